package checks

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/fixtures"
)

func TestFingerprint(t *testing.T) {
	f5 := func(id string) string {
		return "<html><body>The requested URL was rejected. Your support ID is: " + id + "<br></body></html>"
	}
	invalid := string(fixtures.Recorded("sgs-requisicao-invalida.html"))
	cases := []struct {
		name string
		a, b string
		same bool
	}{
		{"equal", "x", "x", true},
		{"both empty", "", "", true},
		{"support ids", f5("5483920174638201945"), f5("1834720194857362019"), true},
		{"support id and another text", f5("5483920174638201945"), strings.Replace(f5("5483920174638201945"), "rejected", "accepted", 1), false},
		{"ray ids", "<p>Ray ID: <b>8c1f0a2b3d4e5f60</b></p>", "<p>Ray ID: <b>9a0bb1c2d3e4f5a6</b></p>", true},
		{"a ray id in an attribute", `data-cf-ray="8c1f0a2b3d4e5f60-GRU"`, `data-cf-ray="8c1f0a2b3d4e5f61-EZE"`, true},
		{"nonces of scripts", `<script nonce="abcDEFghi">f()</script>`, `<script nonce="QQQxyzAAA">f()</script>`, true},
		{"csrf tokens", `name="csrf_token" value=1; csrf_token="qwertyui"`, `name="csrf_token" value=1; csrf_token="asdfghjk"`, true},
		{"HTTP dates", "at Sun, 29 Nov 2026 20:00:00 GMT", "at Mon, 30 Nov 2026 01:02:03 GMT", true},
		{"ctime", "Sun Nov 29 20:00:00 2026", "Mon Nov 30 01:02:03 2026", true},
		{"ISO times", `{"at":"2026-11-29T20:00:00.123Z","e":1`, `{"at":"2026-11-29T20:00:09+00:00","e":1`, true},
		{"times as people write them", "Quando: 29/11/2026 20:00:00", "Quando: 29/11/2026 20:00:05", true},
		{"Unix times", "t=1796068800123", "t=1796068805999", true},
		{"UUIDs", "id 123e4567-e89b-12d3-a456-426614174000", "id 00000000-e89b-12d3-a456-426614174fff", true},
		{"references of an edge", "Reference #18.2f3e1602.1718000000.1a2b3c4d", "Reference #18.3a4e1602.1718000009.9a2b3c4e", true},
		{"request ids", "RequestId 2A3B4C5D6E7F8G9H", "RequestId 9Z8Y7X6W5V4U3T2S", true},
		{"how long it took", "timed out after 3541 seconds", "timed out after 3600 seconds", true},
		{"the node", "served by 10.0.0.1", "served by 10.0.0.17", true},
		{"layout", "<p>a\n  b</p>", "<p>a b</p>", true},

		{"another title", "<title>Invalid</title>", "<title>Busy</title>", false},
		{"another figure", `{"valor":"0.043739"`, `{"valor":"0.043740"`, false},
		{"another year", "table of 2025", "table of 2026", false},
		{"another status in the text", "Error 502", "Error 503", false},
		{"another series", "bcdata.sgs.11", "bcdata.sgs.433", false},
		{"another name that ends in digits", "algorithm sha256 of agregados6579", "algorithm sha256 of agregados6580", false},
		{"cut elsewhere", `[{"a":1},{"a":`, `[{"a":1},{"a":1},`, false},
		{"the page of SGS", invalid, invalid, true},
		{"far behind", strings.Repeat("x ", maxVarying/2) + "a", strings.Repeat("x ", maxVarying/2) + "b", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if same := fingerprint([]byte(c.a)) == fingerprint([]byte(c.b)); same != c.same {
				t.Errorf("same %v, want %v\n%s\n%s", same, c.same, c.a, c.b)
			}
		})
	}
}

func FuzzFingerprint(f *testing.F) {
	for _, s := range []string{"", "Ray ID: 8c1f0a2b3d4e5f60", "2026-11-29T20:00:00Z", "\xff\x00", "nonce=\"abcdEFG1\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		if fingerprint(b) != fingerprint(before) {
			t.Fatal("not a function of the bytes")
		}
		if !bytes.Equal(b, before) {
			t.Fatal("the body was changed")
		}
	})
}
