package shape

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var day = time.Date(2026, 5, 7, 13, 0, 0, 0, time.UTC)

func TestFileSurvives(t *testing.T) {
	for _, text := range []string{
		`null`, `[]`, `{}`, `[{"a":1},{"a":null,"b":"01/02/2024"}]`, `{"x":"","y":["1","1.5",""],"z":[[],[1.5]]}`,
		`{"2024-01-01":{"v":[true]}}`, `[1,"a",null,{"b":1},[2]]`, `{"a b":"<&>","é\u0000":"x@y.example"}`,
	} {
		s := learn(t, text, Options{Enums: paths(t, "$[*].a")})
		b, err := (&File{Probe: "p", AcceptedAt: day, Shape: s}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Unmarshal(b)
		if err != nil {
			t.Fatalf("%s\n%s: %v", text, b, err)
		}
		want := &File{Probe: "p", AcceptedAt: day.Truncate(24 * time.Hour), Shape: s}
		if diff := cmp.Diff(want, f); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	const ok = `{"version":1,"probe":"p","accepted_at":"2026-05-07","shape":{"type":"string"}}`
	if _, err := Unmarshal([]byte(ok)); err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat(`{"type":"array","length":"1","items":`, MaxDepth+1) + `{"type":"null"}` + strings.Repeat("}", MaxDepth+1)
	for from, text := range map[string]string{
		"it is not JSON, at byte 0":                                           ``,
		"it is not JSON, at byte 1":                                           `{x`,
		"it holds a key that no shape has: name":                              `{"name":"package","version":1}`,
		"it holds a key that no shape has: Version":                           strings.Replace(ok, "version", "Version", 1),
		"it holds a key that no shape has: sahpe":                             strings.Replace(ok, "shape", "sahpe", 1),
		"its version is 2; this fonteviva reads version 1":                    strings.Replace(ok, `:1`, `:2`, 1),
		"its version is 0; this fonteviva reads version 1":                    `{}`,
		"it has no date of acceptance, or no shape":                           `{"version":1,"probe":"p","accepted_at":"yesterday","shape":{"type":"null"}}`,
		`type "strnig" is not known`:                                          strings.Replace(ok, "string", "strnig", 1),
		`format "date" is not known`:                                          strings.Replace(ok, `"string"`, `"string","format":"date"`, 1),
		"$ has no type":                                                       strings.Replace(ok, `"type":"string"`, ``, 1),
		"$ says more than its type has":                                       strings.Replace(ok, `"string"`, `"null","format":"URL"`, 1),
		"length \"2 to 1\" is not known":                                      strings.Replace(ok, `"string"`, `"array","length":"2 to 1"`, 1),
		"$ has no lengths":                                                    strings.Replace(ok, `"string"`, `"array"`, 1),
		"$ is a map and is not":                                               strings.Replace(ok, `"string"`, `"object","keys":{},"values":{"type":"null"},"size":"1"`, 1),
		"$.a.b has no type":                                                   strings.Replace(ok, `"string"`, `"object","keys":{"a":{"type":"object","keys":{"b":{}}}}`, 1),
		"$ has a key without a shape":                                         strings.Replace(ok, `"string"`, `"object","keys":{"a":null}`, 1),
		"what stands at /shape/type is not what a shape has there":            strings.Replace(ok, `"string"`, `7`, 1),
		"an enumeration holds single values":                                  strings.Replace(ok, `"string"`, `"string","enum":[[1]]`, 1),
		"it is larger than 4 MiB":                                             strings.Repeat(" ", MaxFile+1),
		"$" + strings.Repeat("[*]", MaxDepth+1) + " is deeper than 64 levels": strings.Replace(ok, `{"type":"string"}`, deep, 1),
	} {
		f, err := Unmarshal([]byte(text))
		if err == nil || err.Error() != from || f != nil {
			t.Errorf("%.80s: %v, want %s", text, err, from)
		}
	}
}
