package fetch

import (
	"slices"
	"sync"
	"time"
)

// Call collects what one probe asked of its origin: trips, attempts, anomalies
// and where its data came from. It is explicit, one per probe, and safe for
// concurrent use. The zero value is ready; a nil *Call collects nothing.
type Call struct {
	mu        sync.Mutex
	trips     int
	attempts  int
	anomalies []Kind
	accesses  []access
	failing   []*breaker // places whose first http_5xx was seen
}

// access is one time that data was obtained, from the network or from a cache.
type access struct {
	url    string
	final  string
	at     time.Time
	cached bool
}

// Retrieval is the provenance of a probe's data.
type Retrieval struct {
	Requests  int    `json:"requests"`  // trips that left
	Attempts  int    `json:"attempts"`  // attempts over all trips
	Anomalies []Kind `json:"anomalies"` // failed attempts of an anomalous kind, the overcome ones too; never nil
}

// FieldSource says where some fields of a result came from.
type FieldSource struct {
	Fields          []string  `json:"fields"`
	URL             string    `json:"url"`
	RetrievedAt     time.Time `json:"retrieved_at"`
	ServedFromCache bool      `json:"served_from_cache"`
	Filter          any       `json:"filter"` // how the fields were picked out of the answer; nil when by nothing
}

// Retrieval tells how often the origin was asked, or nil when it was not asked
// once.
func (c *Call) Retrieval() *Retrieval {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trips == 0 {
		return nil
	}
	return &Retrieval{Requests: c.trips, Attempts: c.attempts, Anomalies: append([]Kind{}, c.anomalies...)}
}

// RetrievedAt is when the oldest data was obtained, from the network or from a
// cache; false when none was.
func (c *Call) RetrievedAt() (time.Time, bool) {
	if c == nil {
		return time.Time{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := oldest(c.accesses, func(access) bool { return true })
	if a == nil {
		return time.Time{}, false
	}
	return a.at, true
}

// ServedFromCache reports whether any data came from a cache.
func (c *Call) ServedFromCache() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.accesses, func(a access) bool { return a.cached })
}

// RecordCache notes that the answer of url was taken from a cache, where it
// has been since at.
func (c *Call) RecordCache(url string, at time.Time) {
	c.add(access{url: url, final: url, at: at.UTC(), cached: true})
}

// FieldSource says where fields came from: the oldest access to url (as asked,
// or where its redirects ended). It is nil where no such access happened.
func (c *Call) FieldSource(fields []string, url string, filter any) *FieldSource {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := oldest(c.accesses, func(a access) bool { return a.url == url || a.final == url })
	if a == nil {
		return nil
	}
	return &FieldSource{
		Fields: append([]string{}, fields...), URL: url, RetrievedAt: a.at, ServedFromCache: a.cached, Filter: filter,
	}
}

// RecordTrip counts a trip and the anomalies of its attempts. A trip without
// an attempt never left and is not counted. Client.Do calls it; whoever serves
// one trip to several probes calls it for the others.
func (c *Call) RecordTrip(t Trip) {
	if c == nil || len(t.Attempts) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trips++
	c.attempts += len(t.Attempts)
	for i := range t.Attempts {
		if k := t.Attempts[i].Kind; k.IsAnomaly() {
			c.anomalies = append(c.anomalies, k)
		}
	}
}

// RecordAnswer counts the trip of an answer and notes the access to its data.
func (c *Call) RecordAnswer(a *Answer) {
	c.RecordTrip(a.Trip)
	c.add(access{url: a.URL, final: a.FinalURL, at: a.RetrievedAt})
}

// first5xx reports whether this is the probe's first http_5xx at a place. A
// route that always fails says no more about its origin for being repeated.
func (c *Call) first5xx(b *breaker) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.failing, b) {
		return false
	}
	c.failing = append(c.failing, b)
	return true
}

func (c *Call) add(a access) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accesses = append(c.accesses, a)
}

func oldest(list []access, want func(access) bool) *access {
	var found *access
	for i := range list {
		if want(list[i]) && (found == nil || list[i].at.Before(found.at)) {
			found = &list[i]
		}
	}
	return found
}
