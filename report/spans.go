package report

import "github.com/fonteviva/fonteviva/checks"

// span is a part of an attempt on the time axis, in milliseconds since the
// probe's first trip began.
type span struct {
	phase    string // wait, dns, connect, tls, ttfb, body
	from, to int64
}

// spansOf gives the parts of an attempt in their order: the wait before it, its
// phases as far as it got. The time to the first byte counts from the attempt's
// start, so that its own part begins where the handshakes end.
func spansOf(a *checks.Attempt, wait int64) []span {
	spans := make([]span, 0, 6)
	add := func(phase string, from, to int64) int64 {
		if to > from {
			spans = append(spans, span{phase, from, to})
		}
		return max(from, to)
	}
	add("wait", max(a.StartMS-wait, 0), a.StartMS)
	at, end := a.StartMS, a.StartMS+a.TotalMS
	for _, p := range []struct {
		phase string
		ms    *int64
	}{{"dns", a.DNSMS}, {"connect", a.ConnectMS}, {"tls", a.TLSMS}} {
		if p.ms != nil {
			at = add(p.phase, at, at+*p.ms)
		}
	}
	first := end
	if a.TTFBMS != nil {
		first = max(at, a.StartMS+*a.TTFBMS)
	}
	add("body", add("ttfb", at, first), end)
	return spans
}

// waitBefore is how long was waited before a trip's attempt; the pause before
// the trip belongs to its first.
func waitBefore(t *checks.Trip, attempt int) int64 {
	wait := t.Attempts[attempt].WaitMS
	if attempt == 0 {
		wait = max(wait, t.WaitMS)
	}
	return wait
}

// axisOf is the length of a result's time axis, at least 1.
func axisOf(r *checks.Result) int64 {
	length := int64(1)
	for i := range r.Trips {
		for j := range r.Trips[i].Attempts {
			a := &r.Trips[i].Attempts[j]
			length = max(length, a.StartMS+a.TotalMS)
		}
	}
	return length
}
