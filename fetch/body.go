package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
)

// closed reads the body (json and text mode) and judges the whole answer. The
// status line wins: what is wrong with the body of an error status changes
// nothing but the evidence.
func (t *trip) closed(caller, ctx context.Context, w *walk, rec *Attempt) (*Answer, *Error) {
	e := t.named(w)
	limit := t.policy.MaxBody
	if e != nil && !t.readsErrors(e.Status) {
		limit = min(limit, maxErrorBody)
	}
	body, readErr, err := t.body(w, rec, limit)
	bom := bytes.HasPrefix(body, utf8BOM)
	body = bytes.TrimPrefix(body, utf8BOM)
	if e != nil {
		t.evidence(e, body)
		if readErr != nil && caller.Err() != nil && ourDeadline(ctx) == nil {
			cut := t.broken(caller, ctx, w, readErr)
			cut.Previous = e
			return nil, cut
		}
		return nil, e
	}
	if readErr != nil {
		return nil, t.broken(caller, ctx, w, readErr)
	}
	if err != nil {
		return nil, t.undecodable(w, body, err)
	}
	if e := t.rejected(w, body); e != nil {
		return nil, e
	}
	a := t.delivered(w)
	a.Body = body
	if bom {
		a.Notes = append(a.Notes, NoteBOM)
	}
	return a, nil
}

// body reads and decodes. readErr is the connection's fault, err the bytes' (an
// *EncodingError) or our limit's (a *BodyTooLargeError).
func (t *trip) body(w *walk, rec *Attempt, limit int64) (data []byte, readErr, err error) {
	if w.leg.method == http.MethodHead || w.res.StatusCode == http.StatusNoContent || w.res.StatusCode == http.StatusNotModified {
		return nil, nil, nil // RFC 9110 §6.4.1
	}
	raw, over, readErr := readUpTo(w.res.Body, w.res.ContentLength, limit)
	rec.Bytes = int64(len(raw))
	rec.Body = max(0, t.c.since(w.firstByte))
	if over {
		err = &BodyTooLargeError{Limit: limit}
	}
	list := codings(w.res.Header["Content-Encoding"])
	if len(list) == 0 {
		return raw, readErr, err
	}
	data, decodeErr := decode(raw, list, limit)
	if err == nil {
		err = decodeErr
	}
	if len(data) == 0 && decodeErr != nil {
		data = raw // better evidence than nothing
	}
	return data, readErr, err
}

// undecodable is a 2xx whose bytes are not what its header says, or more than
// we take.
func (t *trip) undecodable(w *walk, body []byte, err error) *Error {
	e := t.failure(w)
	e.Err = err
	var large *BodyTooLargeError
	if errors.As(err, &large) {
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: CauseMaxBody})
		return e
	}
	e.fault(Fault{Kind: MalformedBody, Outcome: OutcomeSuccess, Detail: BadEncoding})
	t.evidence(e, body)
	return e
}

// rejected asks whether the body of a 2xx is what the mode and the hook accept.
func (t *trip) rejected(w *walk, body []byte) *Error {
	if w.res.StatusCode/100 != 2 {
		return nil
	}
	if t.req.Mode == ModeJSON && w.leg.method != http.MethodHead {
		if f := checkJSON(body); f != nil {
			e := t.failure(w)
			e.fault(Fault{Kind: MalformedBody, Outcome: OutcomeSuccess})
			e.Err = f.err
			t.evidence(e, body)
			e.Offset = f.offset
			return e
		}
	}
	if t.c.cfg.InspectBody == nil {
		return nil
	}
	w.res.Body = http.NoBody
	kind := t.inspect(w.res, body)
	if kind == "" {
		return nil
	}
	if _, known := fates[kind]; !known { // the list of kinds is closed
		kind = MalformedBody
	}
	e := t.failure(w)
	e.fault(Fault{Kind: kind, Outcome: OutcomeSuccess, Detail: RejectedByHook})
	t.evidence(e, body)
	return e
}

// evidence keeps the body of a failure and says what it looks like.
func (t *trip) evidence(e *Error, body []byte) {
	e.Body = body
	if t.method != http.MethodHead {
		e.LooksLike = LooksLikeOf(e.Status, e.Header, e.FinalURL, body)
	}
}
