package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"unicode/utf8"
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
	if e != nil {
		t.evidence(e, t.errorText(w, body))
		if readErr != nil && caller.Err() != nil && ourDeadline(ctx) == nil {
			cut := t.broken(caller, ctx, w, readErr)
			cut.Previous = e
			return nil, cut
		}
		w.unread = t.missing(caller, ctx, w, body, readErr, err)
		return nil, e
	}
	if readErr != nil {
		return nil, t.broken(caller, ctx, w, readErr)
	}
	if err != nil {
		return nil, t.undecodable(w, body, err)
	}
	text, notes, err := t.text(w.res.Header, body)
	if e := t.rejected(w, text, err); e != nil {
		return nil, e
	}
	a := t.delivered(w)
	a.Body, a.Notes = text, notes
	return a, nil
}

// text gives the body as UTF-8 where it is text: in JSON mode, where a charset
// is declared, and where the media type says so or there is none.
func (t *trip) text(h http.Header, body []byte) ([]byte, []Note, error) {
	charset := cmp.Or(t.req.Charset, t.c.cfg.Charset)
	if t.req.Mode == ModeJSON || charset != "" || isText(h) {
		return toUTF8(h, charset, body)
	}
	if text, found := bytes.CutPrefix(body, utf8BOM); found {
		return text, []Note{NoteBOM}, nil
	}
	return body, nil, nil
}

// errorText is the body of an error status as UTF-8, as far as that goes: it is
// only evidence, and may be cut at a limit.
func (t *trip) errorText(w *walk, body []byte) []byte {
	if cut := withoutHalf(body); utf8.Valid(cut) {
		body = cut
	}
	text, _, _ := t.text(w.res.Header, body)
	return text
}

// body reads and decodes. readErr is the connection's fault, err the bytes' (an
// *EncodingError) or our limit's (a *BodyTooLargeError).
func (t *trip) body(w *walk, rec *Attempt, limit int64) (data []byte, readErr, err error) {
	if w.leg.method == http.MethodHead || w.res.StatusCode == http.StatusNoContent || w.res.StatusCode == http.StatusNotModified {
		return nil, nil, nil // RFC 9110 §6.4.1
	}
	list := codings(w.res.Header["Content-Encoding"])
	if w.res.Uncompressed { // a recording holds what was unpacked
		list = nil
	}
	most := limit
	if len(list) > 0 { // the limit is about what is unpacked
		most = headroom(limit)
	}
	raw, over, readErr := readUpTo(w.res.Body, w.res.ContentLength, most)
	rec.Bytes = t.came(len(raw))
	rec.Body = max(0, t.c.since(w.firstByte))
	if over {
		err = &BodyTooLargeError{Limit: limit}
	}
	if len(list) == 0 {
		return raw, readErr, err
	}
	data, decodeErr := decode(raw, list, limit)
	if err == nil {
		err = decodeErr
	}
	plain := decodeErr != nil && utf8.Valid(raw)
	w.garbled = decodeErr != nil && !plain
	if decodeErr != nil && (len(data) == 0 || plain) {
		data = raw // better evidence than nothing, or than what unpacking plain text gave
	}
	return data, readErr, err
}

// missing is what the body of an error status would have failed with, had the
// status not said it all; nil where it came whole.
func (t *trip) missing(caller, ctx context.Context, w *walk, body []byte, readErr, err error) *Error {
	var large *BodyTooLargeError
	switch {
	case readErr != nil:
		return t.broken(caller, ctx, w, readErr)
	case w.garbled || errors.As(err, &large):
		return t.undecodable(w, body, err)
	}
	return nil
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

// rejected asks whether the body of a 2xx is what the mode, its charset and the
// hook accept; unreadable is what was wrong with the charset.
func (t *trip) rejected(w *walk, body []byte, unreadable error) *Error {
	if w.res.StatusCode/100 != 2 {
		return nil
	}
	if e := t.misshapen(w, body, unreadable); e != nil {
		return e
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

// misshapen names a body that is not one JSON value, in JSON mode, not written
// in its charset, or not what the request says.
func (t *trip) misshapen(w *walk, body []byte, unreadable error) *Error {
	offset, err := int64(-1), unreadable
	if t.req.Mode == ModeJSON && w.leg.method != http.MethodHead {
		f := checkJSON(body)
		if f != nil && f.deep {
			e := t.failure(w)
			e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: CauseMaxDepth})
			e.Err = f.err
			return e
		}
		if f != nil {
			offset, err = faultOffset(body, f), f.err
		}
	}
	if err == nil && t.req.Inspect != nil && w.leg.method != http.MethodHead {
		err = t.req.Inspect(body)
	}
	if err == nil {
		return nil
	}
	e := t.failure(w)
	var limit *LimitError
	if errors.As(err, &limit) {
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: limit.Cause})
		e.Err = err
		return e
	}
	e.fault(Fault{Kind: MalformedBody, Outcome: OutcomeSuccess})
	e.Err = err
	t.evidence(e, body)
	var format *FormatError
	if errors.As(err, &format) && format.Format == "ndjson" && e.LooksLike == LooksMultipleDocuments {
		e.LooksLike = LooksInvalidJSON // many documents are what is wanted
	}
	var charset *CharsetError
	if e.Offset = offset; errors.As(err, &charset) {
		e.Offset = charset.Offset
		switch looks := e.LooksLike; {
		case looks == "", looks == LooksPlainText, looks == LooksBinary && charset.Charset != "",
			t.req.Mode != ModeJSON && (looks == LooksXML || looks == LooksHTML && t.req.Inspect == nil): // which may be what is asked for
			e.LooksLike = LooksWrongCharset
		}
	}
	return e
}

// evidence keeps the body of a failure and says what it looks like.
func (t *trip) evidence(e *Error, body []byte) {
	e.Body = body
	if t.method != http.MethodHead {
		e.LooksLike = LooksLikeOf(e.Status, e.Header, e.FinalURL, body)
	}
}
