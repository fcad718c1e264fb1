package fetch

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tt := range []struct {
		name  string
		lines []string
		date  string
		want  time.Duration
		ok    bool
	}{
		{"none", nil, "", 0, false},
		{"seconds", []string{"120"}, "", 2 * time.Minute, true},
		{"zero", []string{"0"}, "", 0, true},
		{"white space", []string{" 7\t"}, "", 7 * time.Second, true},
		{"leading zeros", []string{"007"}, "", 7 * time.Second, true},
		{"empty", []string{""}, "", 0, false},
		{"negative", []string{"-1"}, "", 0, false},
		{"plus", []string{"+5"}, "", 0, false},
		{"fraction", []string{"1.5"}, "", 0, false},
		{"unit", []string{"5s"}, "", 0, false},
		{"hex", []string{"0x10"}, "", 0, false},
		{"other digits", []string{"١"}, "", 0, false},
		{"list", []string{"5, 5"}, "", 0, false},
		{"lines that agree", []string{"5", "5"}, "", 5 * time.Second, true},
		{"lines that do not", []string{"5", "6"}, "", 0, false},
		{"overflow", []string{"9223372036854775807"}, "", MaxRetryAfter, true},
		{"far overflow", []string{"99999999999999999999999999999999"}, "", MaxRetryAfter, true},
		{"date against now", []string{at(90 * time.Second)}, "", 90 * time.Second, true},
		{"date against the answer's own", []string{at(90 * time.Second)}, at(60 * time.Second), 30 * time.Second, true},
		{"unreadable own date", []string{at(90 * time.Second)}, "yesterday", 90 * time.Second, true},
		{"date now", []string{at(0)}, "", 0, true},
		{"past date", []string{"Wed, 21 Oct 2015 07:28:00 GMT"}, "", 0, false},
		{"rfc 850", []string{"Tuesday, 01-Sep-26 12:00:10 GMT"}, "", 10 * time.Second, true},
		{"asctime", []string{"Tue Sep  1 12:00:10 2026"}, "", 10 * time.Second, true},
		{"far date", []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, "", MaxRetryAfter, true},
		{"iso date", []string{"2026-09-01T12:01:00Z"}, "", 0, false},
	} {
		h := http.Header{}
		if tt.lines != nil {
			h["Retry-After"] = tt.lines
		}
		if tt.date != "" {
			h.Set("Date", tt.date)
		}
		if d, ok := ParseRetryAfter(h, now); d != tt.want || ok != tt.ok {
			t.Errorf("%s: %v %v, want %v %v", tt.name, d, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"1", "-1", "99999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", " 5", "5,6"} {
		f.Add(s, "")
		f.Add(s, "Wed, 21 Oct 2015 07:27:00 GMT")
	}
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, v, date string) {
		d, ok := ParseRetryAfter(http.Header{"Retry-After": {v}, "Date": {date}}, now)
		if d < 0 || d > MaxRetryAfter || !ok && d != 0 {
			t.Errorf("%q: %v %v", v, d, ok)
		}
	})
}

func TestBackoff(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name string
		b    Backoff
		rnd  float64
		want []time.Duration
	}{
		{"exponential", Backoff{Strategy: Exponential, Base: s, Max: 8 * s}, 0.9, []time.Duration{s, 2 * s, 4 * s, 8 * s, 8 * s}},
		{"silent means exponential", Backoff{Base: s, Max: 3 * s}, 0, []time.Duration{s, 2 * s, 3 * s}},
		{"linear", Backoff{Strategy: Linear, Base: 2 * s, Max: 5 * s}, 0, []time.Duration{2 * s, 4 * s, 5 * s}},
		{"linear from nothing", Backoff{Strategy: Linear, Max: 5 * s}, 0, []time.Duration{0, 0, 0}},
		{"linear to its very max", Backoff{Strategy: Linear, Base: 2 * s, Max: 4 * s}, 0, []time.Duration{2 * s, 4 * s, 4 * s}},
		{"fixed", Backoff{Strategy: Fixed, Base: 2 * s, Max: 8 * s}, 0, []time.Duration{2 * s, 2 * s, 2 * s}},
		{"fixed above max", Backoff{Strategy: Fixed, Base: 9 * s, Max: 8 * s}, 0, []time.Duration{8 * s}},
		{"jitter", Backoff{Strategy: Fixed, Base: s, Max: s, Jitter: s}, 0.25, []time.Duration{1250 * time.Millisecond}},
		{"full jitter", Backoff{Strategy: Exponential, Base: s, Max: 8 * s, Jitter: s, FullJitter: true}, 0.5, []time.Duration{s / 2, s, 2 * s, 4 * s, 4 * s}},
		{"nothing", Backoff{}, 0.5, []time.Duration{0, 0}},
		{"negative", Backoff{Base: -s, Max: -s, Jitter: -s}, 0.5, []time.Duration{0, 0}},
	} {
		var got []time.Duration
		for n := range tt.want {
			got = append(got, tt.b.Wait(n, tt.rnd))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestRetryOnLists(t *testing.T) {
	r := &RetryOn{Kinds: []Kind{Timeout, HTTP5xx}, Statuses: []int{408, 0}}
	for _, tt := range []struct {
		kind   Kind
		status int
		want   bool
	}{{Timeout, 0, true}, {HTTP5xx, 503, true}, {HTTP4xx, 408, true}, {HTTP4xx, 409, false}, {Network, 0, false}} {
		if got := r.listed(tt.kind, tt.status); got != tt.want {
			t.Errorf("%s %d: got %v", tt.kind, tt.status, got)
		}
	}
}

// TestUnusableLimits: a breaker takes its default for a figure that is none, a
// rate limit without one limits nothing.
func TestUnusableLimits(t *testing.T) {
	own := BreakerPolicy{ErrorThreshold: 0.1, MinRequests: 1, Window: time.Second, HalfOpenAfter: 2 * time.Second}
	for given, want := range map[BreakerPolicy]BreakerPolicy{
		own: own, {}: DefaultBreaker(), {ErrorThreshold: -1, MinRequests: -1, Window: -1, HalfOpenAfter: -1}: DefaultBreaker(),
	} {
		if got := given.bounded(); got != want {
			t.Errorf("%+v: got %+v", given, got)
		}
	}
	for p, limits := range map[struct {
		max    int
		window time.Duration
	}]bool{{1, time.Second}: true, {0, time.Second}: false, {-1, time.Second}: false, {1, 0}: false, {1, -time.Second}: false} {
		if got := newLimits(&RateLimit{Max: p.max, Window: p.window}, Clock{}); (got != nil) != limits {
			t.Errorf("%+v: limits: %v", p, got != nil)
		}
	}
}

func TestBackoffNeverOverflows(t *testing.T) {
	for _, st := range []BackoffStrategy{Exponential, Linear, Fixed} {
		b := Backoff{Strategy: st, Base: math.MaxInt64/2 + 1, Max: math.MaxInt64, Jitter: math.MaxInt64}
		for _, n := range []int{0, 1, 2, 63, 64, 1 << 30, math.MaxInt} {
			if d := b.Wait(n, 0.999); d < b.Base {
				t.Errorf("%s, retry %d: %v", st, n, d)
			}
		}
	}
}

func TestWaitAfter(t *testing.T) {
	const s = time.Second
	b := Backoff{Base: 2 * s, Max: 8 * s, Jitter: s}
	for _, tt := range []struct {
		asked  time.Duration
		full   bool
		want   time.Duration
		reason WaitReason
	}{
		{0, false, 2500 * time.Millisecond, WaitBackoff},
		{s, false, 2500 * time.Millisecond, WaitBackoff},
		{20 * s, false, 20500 * time.Millisecond, WaitRetryAfter},
		{20 * s, true, 20 * s, WaitRetryAfter},
		{0, true, s, WaitBackoff},
	} {
		b.FullJitter = tt.full
		if d, r := b.WaitAfter(0, 0.5, tt.asked); d != tt.want || r != tt.reason {
			t.Errorf("%v: %v %v, want %v %v", tt.asked, d, r, tt.want, tt.reason)
		}
	}
}
