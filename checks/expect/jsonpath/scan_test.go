package jsonpath

import (
	"strings"
	"testing"
	"time"
)

func TestSkipString(t *testing.T) {
	far := strings.Repeat("a", 40) // beyond where a short string is looked at byte by byte
	for text, want := range map[string]int{
		`""x`: 2, `"a"x`: 3, `"\""x`: 4, `"\\"x`: 4, `"\\\""x`: 6, `"a\\" "`: 5, `"\"\"\\"x`: 8,
		`"` + far + `"x`: 42, `"` + far + `\"b"x`: 45, `"` + far + `\\"b"`: 44, `"` + far + `\\\"\\"`: 48,
		`"`: 1, `"a`: 2, `"\`: 2, `"\"`: 3, `"` + far: 41, `"` + far + `\"`: 43,
	} {
		if got := skipString([]byte(text), 0); got != want {
			t.Errorf("%s: ends at %d, want %d", text, got, want)
		}
	}
}

// TestLongRunsOfEscapes reads what would take minutes where each escape looked
// for the end of its string anew.
func TestLongRunsOfEscapes(t *testing.T) {
	for _, escape := range []string{`\\`, `\"`, `\n`, `\u0041`} {
		began := time.Now()
		body := []byte(`{"v":"` + strings.Repeat(escape, 4<<20) + `","w":1}`)
		if got := skipValue(body, 0); got != len(body) {
			t.Errorf("%s: ends at %d of %d", escape, got, len(body))
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %s", escape, took)
		}
	}
}
