package report

import (
	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// The encoder appends by hand: ten thousand results are written in the time
// that reflection needs for one thousand, and the escaping is ours. A test
// holds it equal to what encoding/json makes of the same document.

// appendResultMembers appends a result's members after an open brace.
func appendResultMembers(b []byte, r *checks.Result) []byte {
	b = appendStringKey(b, "name", r.Name)
	b = appendOptString(b, "title", r.Title)
	b = appendStringKey(b, "origin", r.Origin)
	b = appendOptString(b, "vantage", r.Vantage)
	b = appendStringKey(b, "trace", r.Trace)
	b = appendList(b, "tags", r.Tags, appendWord)
	b = appendStringKey(b, "file", r.File)
	b = appendInt(b, "line", r.Line)
	b = appendBool(b, "asked", r.Asked)
	b = appendBool(b, "measured", r.Measured)
	b = appendStringKey(b, "finding", r.Finding)
	b = appendOptString(b, "disposition", r.Disposition)
	b = appendBool(b, "persistent", r.Persistent)
	b = appendBool(b, "unstable", r.Unstable)
	b = appendOptString(b, "verdict", r.Verdict)
	b = appendOptString(b, "kind", r.Kind)
	b = appendOptString(b, "cause", r.Cause)
	b = appendOptString(b, "detail", r.Detail)
	b = appendOptString(b, "outcome", r.Outcome)
	b = appendOptString(b, "looks_like", r.LooksLike)
	b = appendOptInt(b, "status", r.Status)
	b = appendBool(b, "transport", r.Transport)
	b = appendStringKey(b, "url", r.URL)
	b = appendOptString(b, "final_url", r.FinalURL)
	b = appendRedirect(b, r.Redirect)
	b = appendOptString(b, "mirror", r.Mirror)
	b = appendOptString(b, "rule", r.Rule)
	b = appendOptString(b, "motivo", r.Motivo)
	b = appendList(b, "notes", r.Notes, appendWord)
	b = appendList(b, "mismatches", r.Mismatches, appendMismatch)
	b = appendRetrieval(b, r.Retrieval)
	b = appendOptTime(b, "retrieved_at", r.RetrievedAt)
	b = appendBool(b, "served_from_cache", r.ServedFromCache)
	b = appendOptString(b, "shared_with", r.SharedWith)
	b = appendOptTime(b, "since", r.Since)
	b = appendOptTime(b, "last_measured_at", r.LastMeasuredAt)
	b = appendOptTime(b, "unmeasured_since", r.UnmeasuredSince)
	b = appendOptString(b, "known_failure", r.KnownFailure)
	b = appendPast(b, r.Past)
	b = appendInt(b, "duration_ms", r.DurationMS)
	b = appendOptString(b, "reproduce", r.Reproduce)
	b = appendList(b, "trips", r.Trips, appendTrip)
	return appendSentinel(b, r.Sentinel)
}

func appendSentinel(b []byte, s *checks.SentinelTrip) []byte {
	b = appendKey(b, "sentinel")
	if s == nil {
		return append(b, "null"...)
	}
	b = appendStringKey(append(b, '{'), "finding", s.Finding)
	return append(appendTrip(appendKey(b, "trip"), &s.Trip), '}')
}

func appendPast(b []byte, p *checks.Past) []byte {
	b = appendKey(b, "past")
	if p == nil {
		return append(b, "null"...)
	}
	b = appendOptString(append(b, '{'), "before", p.Before)
	b = appendOptString(b, "change", p.Change)
	b = appendOptTime(b, "broken_since", p.BrokenSince)
	b = appendInt(b, "runs", p.Runs)
	b = appendBool(b, "flaky", p.Flaky)
	b = appendInt(b, "unmeasured_ms", p.UnmeasuredMS)
	u := &p.Unmeasured
	b = appendInt(append(appendKey(b, "unmeasured"), '{'), "runs", u.Runs)
	b = appendInt(b, "respondeu", u.Respondeu)
	b = appendInt(b, "indisponivel", u.Indisponivel)
	b = appendInt(b, "ambiguo", u.Ambiguo)
	b = append(appendInt(b, "alheio", u.Alheio), '}')
	return append(appendOptInt(b, "max_unmeasured_ms", p.MaxUnmeasuredMS), '}')
}

func appendRedirect(b []byte, r *checks.Redirect) []byte {
	b = appendKey(b, "redirect")
	if r == nil {
		return append(b, "null"...)
	}
	b = appendStringKey(append(b, '{'), "location", r.Location)
	return append(appendBool(b, "cross_host", r.CrossHost), '}')
}

func appendMismatch(b []byte, m *expect.Mismatch) []byte {
	b = appendStringKey(append(b, '{'), "code", m.Code)
	b = appendOptString(b, "path", m.Path)
	b = appendStringKey(b, "severity", m.Severity)
	b = appendStringKey(b, "want", m.Want)
	return append(appendStringKey(b, "got", m.Got), '}')
}

func appendRetrieval(b []byte, r *fetch.Retrieval) []byte {
	b = appendKey(b, "retrieval")
	if r == nil {
		return append(b, "null"...)
	}
	b = appendInt(append(b, '{'), "requests", r.Requests)
	b = appendInt(b, "attempts", r.Attempts)
	return append(appendList(b, "anomalies", r.Anomalies, appendWord), '}')
}

func appendTrip(b []byte, t *checks.Trip) []byte {
	b = appendInt(append(b, '{'), "wait_ms", t.WaitMS)
	b = appendInt(b, "queued_ms", t.QueuedMS)
	b = appendStringKey(b, "finding", t.Finding)
	b = appendOptString(b, "stopped", t.Stopped)
	b = appendOptInt(b, "unfit_ms", t.UnfitMS)
	return append(appendList(b, "attempts", t.Attempts, appendAttempt), '}')
}

func appendAttempt(b []byte, a *checks.Attempt) []byte {
	b = appendInt(append(b, '{'), "start_ms", a.StartMS)
	b = appendInt(b, "wait_ms", a.WaitMS)
	b = appendOptString(b, "wait_reason", a.WaitReason)
	b = appendInt(b, "requests", a.Requests)
	b = appendOptString(b, "kind", a.Kind)
	b = appendOptString(b, "detail", a.Detail)
	b = appendOptInt(b, "status", a.Status)
	b = appendOptInt(b, "dns_ms", a.DNSMS)
	b = appendOptInt(b, "connect_ms", a.ConnectMS)
	b = appendOptInt(b, "tls_ms", a.TLSMS)
	b = appendOptInt(b, "ttfb_ms", a.TTFBMS)
	b = appendOptInt(b, "body_ms", a.BodyMS)
	b = appendInt(b, "total_ms", a.TotalMS)
	return append(appendInt(b, "bytes", a.Bytes), '}')
}

func appendSummaryMembers(b []byte, s *Summary) []byte {
	b = appendInt(b, "total", s.Total)
	b = appendInt(b, "asked", s.Asked)
	b = appendInt(b, "measured", s.Measured)
	b = appendInt(b, "ok", s.OK)
	b = appendInt(b, "drift", s.Drift)
	b = appendInt(b, "indisponivel", s.Indisponivel)
	b = appendInt(b, "respondeu", s.Respondeu)
	b = appendInt(b, "ambiguo", s.Ambiguo)
	return appendInt(b, "alheio", s.Alheio)
}

func appendDegradation(b []byte, d *checks.Degradation) []byte {
	b = appendStringKey(append(b, '{'), "feature", d.Feature)
	b = appendStringKey(b, "reason", d.Reason)
	return append(appendInt(b, "count", d.Count), '}')
}

func appendOrigin(b []byte, o *checks.OriginState) []byte {
	b = appendStringKey(append(b, '{'), "name", o.Name)
	return append(appendOptString(b, "breaker", o.Breaker), '}')
}
