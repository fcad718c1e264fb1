package checks

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fonteviva/fonteviva/checks/source"
)

// FuzzLoadBytes holds that any text is either a declaration that keeps its
// promises or a bounded list of problems with places.
func FuzzLoadBytes(f *testing.F) {
	for _, pattern := range []string{"testdata/wrong/*.yaml", "testdata/valid/*.yaml", "testdata/wrong/*/*.y*ml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := LoadBytes("fuzz.yaml", data, LoadOptions{})
		if err != nil {
			ps, ok := errors.AsType[source.Problems](err)
			if !ok || len(ps) == 0 || len(ps) > 101 || d != nil {
				t.Fatalf("%d problems, declaration %v: %v", len(ps), d, err)
			}
			_ = err.Error()
			return
		}
		keepsPromises(t, d)
	})
}

func keepsPromises(t *testing.T, d *Declaration) {
	t.Helper()
	if len(d.Probes) == 0 {
		t.Fatal("no probe")
	}
	for _, p := range d.Probes {
		if !IsName(p.Name) || p.Origin == nil || p.Expect == nil || p.Policy.Timeout <= 0 || p.Policy.Budget <= 0 || p.Policy.Retries > maxRetries {
			t.Fatalf("%+v", p)
		}
		if reason, _ := checkTarget(p.Request.Path.Raw()); reason != "" || !isToken(p.Request.Method) {
			t.Fatalf("%q %q", p.Request.Method, p.Request.Path.Raw())
		}
		for _, h := range append(p.Request.Headers, p.Origin.Headers...) {
			if !isToken(h.Name) || !isFieldValue(h.Value.Raw()) {
				t.Fatalf("%q: %q", h.Name, h.Value.Raw())
			}
		}
	}
	for _, o := range d.Origins {
		if l := o.RateLimit; l != nil && (l.Max < 1 || l.Window <= 0) {
			t.Fatalf("%+v", l)
		}
		if b := o.Breaker; b != nil && (!(b.ErrorThreshold > 0 && b.ErrorThreshold <= 1) || b.MinRequests < 1 || b.Window <= 0 || b.HalfOpenAfter <= 0) {
			t.Fatalf("%+v", b)
		}
		for i := range o.Answers {
			if o.Answers[i].Means == "" || o.Answers[i].Name == "" {
				t.Fatalf("%+v", o.Answers[i])
			}
		}
		if err := o.Out.Way.Check(); err != nil || len(o.TraceHeaders) > maxTraceHeaders || len(o.Mirrors) > maxMirrors {
			t.Fatalf("%v %+v", err, o)
		}
	}
	// Whatever the environment lacks is named, and nothing panics.
	_ = d.Missing(d.Probes, func(string) (string, bool) { return "", false })
}
