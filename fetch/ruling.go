package fetch

import "net/http"

// judge lets the rules read the answer of an attempt. An answer that did not
// come whole is none: only of an error status, which says it all by itself, may
// the body be missing, and only where the rule does not hand it on to be read.
// What a proxy refuses has not been asked of the origin whose rules these are.
func (t *trip) judge(w *walk, a *Answer, e *Error) (*Answer, *Error) {
	if len(t.c.cfg.Rules) == 0 || w.res == nil || w.err != nil || w.denied || t.expected(w.res.StatusCode) {
		return a, e
	}
	body, whole := []byte(nil), t.req.Mode != ModeResponse
	switch {
	case a != nil:
		body = a.Body
	case e.Kind == Aborted || e.Kind == Timeout || e.Kind == Network:
		return a, e
	default:
		body = e.Body
	}
	r := FirstMatch(t.c.cfg.Rules, Seen{
		Status: w.res.StatusCode, Path: t.url.Path, Header: w.res.Header, Body: body, NoBody: !whole, Cut: w.unread != nil,
	})
	if e != nil && w.res.StatusCode/100 != 2 && len(e.Body) > maxErrorBody {
		e.Body = e.Body[:maxErrorBody]
	}
	switch {
	case r == nil:
		return a, e
	case r.Means == MeansOK && w.unread != nil:
		return nil, w.unread
	case r.Means == MeansOK && a == nil && w.garbled:
		return nil, e
	case r.Means.IsAnswer():
		return t.ruledAnswer(w, a, body, r), nil
	}
	return nil, t.ruledFailure(w, a, e, r)
}

// expected reports whether the probe's own expectation of the status decides,
// as an ok rule before the origin's. Within 2xx it has nothing to decide: the
// status is an answer anyhow, and its body is still to be judged.
func (t *trip) expected(status int) bool { return status/100 != 2 && t.expects(status) }

func (t *trip) ruledAnswer(w *walk, a *Answer, body []byte, r *Rule) *Answer {
	if a == nil {
		a = t.delivered(w)
		a.Body = body
		if t.req.Mode == ModeResponse {
			a.Response = w.res
		}
	}
	a.Rule = r
	return a
}

// ruledFailure keeps the kind that the wire said, except within 2xx, where the
// wire said nothing: what a rule calls indisponivel or ambiguo is a body that
// is not the answer, and what it calls respondeu or alheio has no kind.
func (t *trip) ruledFailure(w *walk, a *Answer, e *Error, r *Rule) *Error {
	if e == nil {
		e = t.failure(w)
		t.evidence(e, a.Body)
		if a.Response != nil {
			e.Response = a.Response
		}
	}
	e.Rule = r
	if w.res.StatusCode/100 != 2 {
		return e
	}
	f := Fault{Outcome: OutcomeSuccess, Detail: e.Detail}
	if f.Detail == RejectedByHook { // the rule speaks before the hook
		f.Detail = ""
	}
	if r.Means == MeansIndisponivel || r.Means == MeansAmbiguo {
		f.Kind = MalformedBody
	}
	e.fault(f)
	return e
}

// stopsAt reports whether a rule that names its status reads a redirect, which
// is then not followed. Rules about the body do not: it has not been read.
func (t *trip) stopsAt(res *http.Response) bool {
	rules := t.c.cfg.Rules
	for i := range rules {
		if rules[i].Status != nil && rules[i].Match(Seen{Status: res.StatusCode, Path: t.url.Path, Header: res.Header, NoBody: true}) {
			return true
		}
	}
	return false
}

// readsErrors reports whether the whole body of this error status is wanted,
// because a rule may ask about it, or may make it an answer.
func (t *trip) readsErrors(status int) bool {
	rules := t.c.cfg.Rules
	for i := range rules {
		if (rules[i].asksBody() || rules[i].Means == MeansOK) && (rules[i].Status == nil || rules[i].Status(status)) {
			return true
		}
	}
	return false
}

// inspect asks the hook, and notes that it is what runs.
func (t *trip) inspect(res *http.Response, body []byte) Kind {
	t.hooking.Store(true)
	defer t.hooking.Store(false)
	return t.c.cfg.InspectBody(res, body)
}
