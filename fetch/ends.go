package fetch

import "context"

// deliver closes the trip with an answer.
func (t *trip) deliver(a *Answer) *Answer {
	t.log.Duration = t.c.since(t.start)
	a.Trip = t.log
	t.call.RecordAnswer(a)
	return a
}

// end closes the trip with a failure.
func (t *trip) end(e *Error, stop Stop) *Error {
	t.log.Stopped = stop
	t.log.Duration = t.c.since(t.start)
	e.Trip = t.log
	e.Transport = !t.heard && len(t.log.Attempts) > 0
	t.call.RecordTrip(t.log)
	return e
}

// isCut reports a failure that did not end by itself.
func (e *Error) isCut() bool { return e.Kind == Aborted || e.Detail == BudgetSpent }

// cutWaiting is the caller's cancel during a wait, after the failure last.
func (t *trip) cutWaiting(ctx context.Context, last *Error, err error) *Error {
	if ctx.Err() != nil {
		err = cancelled(ctx)
	}
	e := t.blank(err)
	e.Status, e.FinalURL, e.Previous = last.Status, last.FinalURL, last
	e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
	return e
}

// cutQueued is the caller's cancel before anything was sent.
func (t *trip) cutQueued(err error) *Error {
	e := t.blank(err)
	e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
	return e
}

// discard frees the open body of a failure that is not handed over.
func discard(e *Error) {
	if e.Response != nil {
		e.Response.Body.Close()
		e.Response = nil
	}
}

// refused ends a trip whose next attempt was not let through. Where attempts
// were made, what the last one said stands.
func (t *trip) refused(no *refusal, last *Error) *Error {
	if no.stop == StopOwnLimit {
		t.log.Unfit = no.wait
	}
	switch {
	case last == nil:
		return t.end(t.unasked(no), no.stop)
	case no.stop == StopCancelled:
		e := t.unasked(no)
		e.Status, e.FinalURL, e.Previous = last.Status, last.FinalURL, last
		return t.end(e, no.stop)
	}
	return t.end(last, no.stop)
}

// unasked is the failure of a trip that never left.
func (t *trip) unasked(no *refusal) *Error {
	e := t.blank(no.err)
	switch no.stop {
	case StopCircuit:
		e.fault(Fault{Kind: Network, Outcome: OutcomeRetryable, Detail: CircuitOpen})
		e.Retryable = true
	case StopCancelled:
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
	case StopNoRecording:
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: NoRecording, Cause: CauseNoRecording})
	default: // nothing but the rate limit takes time before the first attempt
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: CauseOwnLimiter})
	}
	return e
}

// blank starts an error about which nothing is known yet but the place.
func (t *trip) blank(err error) *Error {
	return &Error{Offset: -1, URL: t.req.URL, FinalURL: t.place.raw, Mirror: t.place.mirror, Err: err}
}
