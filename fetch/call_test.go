package fetch

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCallThatAskedNobody(t *testing.T) {
	var none *Call
	none.RecordTrip(Trip{Attempts: make([]Attempt, 1)})
	none.RecordCache("u", time.Now())
	for _, c := range []*Call{none, new(Call)} {
		c.RecordTrip(Trip{Stopped: StopCancelled})
		if c.Retrieval() != nil || c.ServedFromCache() || c.FieldSource(nil, "u", nil) != nil {
			t.Error("a call that asked nobody has a provenance")
		}
		if _, ok := c.RetrievedAt(); ok {
			t.Error("it was retrieved at some time")
		}
	}
}

func TestCallProvenance(t *testing.T) {
	noon := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	c := new(Call)
	c.RecordAnswer(&Answer{URL: "u", FinalURL: "v", RetrievedAt: noon, Trip: Trip{Attempts: []Attempt{{Kind: Timeout}, {Kind: NotFound}, {}}}})
	if at, ok := c.RetrievedAt(); !ok || at != noon || c.ServedFromCache() {
		t.Errorf("%v %v", at, ok)
	}
	c.RecordCache("w", noon.Add(-time.Hour))
	c.RecordCache("u", noon.Add(time.Hour))
	if at, _ := c.RetrievedAt(); at != noon.Add(-time.Hour) || !c.ServedFromCache() {
		t.Errorf("the oldest is %v", at)
	}
	want := &FieldSource{Fields: []string{"a"}, URL: "u", RetrievedAt: noon, Filter: "$.a"}
	if d := cmp.Diff(want, c.FieldSource([]string{"a"}, "u", "$.a")); d != "" {
		t.Error(d)
	}
	if s := c.FieldSource(nil, "v", nil); s == nil || s.Fields == nil || s.ServedFromCache {
		t.Errorf("by its final URL: %+v", s)
	}
	if s := c.FieldSource(nil, "w", nil); s == nil || !s.ServedFromCache {
		t.Errorf("from the cache: %+v", s)
	}
	if s := c.FieldSource(nil, "x", nil); s != nil {
		t.Errorf("never accessed: %+v", s)
	}
	got, _ := json.Marshal(c.Retrieval())
	if string(got) != `{"requests":1,"attempts":3,"anomalies":["timeout"]}` {
		t.Errorf("%s", got)
	}
}

func TestAnomaliesAreNeverNull(t *testing.T) {
	c := new(Call)
	c.RecordTrip(Trip{Attempts: []Attempt{{}}})
	got, _ := json.Marshal(c.Retrieval())
	if string(got) != `{"requests":1,"attempts":1,"anomalies":[]}` {
		t.Errorf("%s", got)
	}
}

func TestCallIsSafeForConcurrentUse(t *testing.T) {
	c := new(Call)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			c.RecordTrip(Trip{Attempts: []Attempt{{Kind: Network}}})
			c.RecordCache("u", time.Now())
			c.Retrieval()
			c.RetrievedAt()
		})
	}
	wg.Wait()
	if r := c.Retrieval(); r.Requests != 50 || len(r.Anomalies) != 50 {
		t.Errorf("%+v", r)
	}
}
