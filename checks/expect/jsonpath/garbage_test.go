package jsonpath

import (
	"context"
	"testing"
)

// FuzzGarbage gives the engines what is no JSON: nodes mean nothing then, but
// nothing may break or run forever.
func FuzzGarbage(f *testing.F) {
	for _, s := range [][2]string{{`{"a"`, "$.a"}, {`[1,`, "$[*]"}, {`{:}`, "$.*"}, {"", "$..a"}, {`"\`, "$"}, {`}]`, "$[-1]"}, {`{1:2]`, "$[?@.a]"}, {`{"\u`, "$['a']"}} {
		f.Add([]byte(s[0]), s[1])
	}
	f.Fuzz(func(t *testing.T, doc []byte, path string) {
		p, err := Parse(path)
		if err != nil || len(doc) > 300 || len(path) > 40 {
			t.Skip()
		}
		for _, index := range []bool{false, true} {
			d := NewDocument(doc)
			if index {
				if err := d.Index(); err != nil {
					t.Fatal(err)
				}
			}
			err := d.Select(context.Background(), p, func(v Value, at *Location) bool {
				v.Decode()
				return len(at.String()) > 0 && v.Len() >= 0
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}
