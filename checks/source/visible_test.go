package source

import (
	"encoding/json"
	"testing"
)

func TestVisibleJSON(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"é 表 😀 \ufffd\": [1, \"\\n\"]\n}\n": "{\n  \"é 表 😀 \ufffd\": [1, \"\\n\"]\n}\n",
		"[\"\u202eabc\u200b\u0085\x7f\"]":          `["\u202eabc\u200b\u0085\u007f"]`,
		"[\"\U000e0041\ufeff\"]":                   `["\udb40\udc41\ufeff"]`,
	} {
		got := string(VisibleJSON([]byte(in)))
		if got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		var a, b any
		if json.Unmarshal([]byte(in), &a) != nil || json.Unmarshal([]byte(got), &b) != nil {
			t.Errorf("%q is no JSON", got)
		}
		if x, y := mustJSON(a), mustJSON(b); x != y {
			t.Errorf("%q means %s, not %s", got, y, x)
		}
	}
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
