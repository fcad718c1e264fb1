package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	mediaJSON     = "application/json"
	mediaEvents   = "text/event-stream"
	maxEvidence   = 64 << 10
)

// errNoted is what the SDK hears of an answer that the step knows all about. As
// an error of the round trip it fails one call, and not the session.
var errNoted = errors.New("the answer is no reply")

// post is the RoundTripper of one session.
type post struct {
	wire *fetch.Farewell // for what belongs to no attempt

	mu      sync.Mutex
	version string // negotiated; "" before that
}

func (p *post) negotiated(version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = version
}

// RoundTrip sends one request of the SDK. Whatever does not belong to a waiting
// call is sent for politeness only.
func (p *post) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	if p.version != "" && r.Header.Get(headerVersion) == "" {
		r.Header.Set(headerVersion, p.version)
	}
	p.mu.Unlock()
	st := stepOf(r.Context())
	switch {
	case r.Method == http.MethodDelete:
		return p.aside(r)
	case r.Method == http.MethodGet:
		if st.isOver() {
			return nil, fetch.ErrOver
		}
		if st.settled() {
			return nil, errNoted
		}
		return resume(st, r)
	}
	msg, err := messageOf(r)
	if err != nil {
		return nil, err
	}
	_, isReply := msg.(*jsonrpc.Response)
	switch {
	case cancels(msg):
		return nil, fetch.ErrOver
	case !st.isOver():
		return send(st, r, msg)
	case isReply:
		return p.aside(r)
	}
	return nil, fetch.ErrOver
}

// cancels reports the message that a call is no longer waited for. It is not
// sent: the session goes with the call, and the end of the session says it too.
func cancels(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	return ok && r.Method == "notifications/cancelled"
}

// aside sends what is part of no attempt, for a second at most.
func (p *post) aside(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), farewell)
	defer cancel()
	res, err := p.wire.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	io.CopyN(io.Discard, res.Body, maxEvidence)
	res.Body.Close()
	res.Body = http.NoBody
	return res, nil
}

// messageOf reads the message that a request carries, and puts it back.
func messageOf(r *http.Request) (jsonrpc.Message, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	return jsonrpc.DecodeMessage(data)
}

// send makes one POST of a waiting call, and lets only a reply through.
func send(st *step, r *http.Request, msg jsonrpc.Message) (*http.Response, error) {
	call, _ := msg.(*jsonrpc.Request)
	st.begin()
	if call != nil && call.Method == methodDiscover {
		ctx, cancel := context.WithTimeout(r.Context(), st.patience)
		defer cancel() // what it is answered with is read here
		r = r.WithContext(ctx)
	}
	l := tether(r.Context())
	defer l.done()
	r = r.WithContext(l.ctx)
	res, err := st.wire.RoundTrip(r)
	if err != nil {
		st.broke(err)
		return nil, err
	}
	st.note(func() { st.res = public(res) })
	switch {
	case call == nil || !call.IsCall():
		return heard(st, r, res)
	case call.Method == methodDiscover && res.StatusCode/100 != 2:
		return whole(st, res) // the SDK reads versions in it
	case res.StatusCode/100 != 2:
		return nil, refuse(st, r, res)
	}
	if call.Method != methodInitialize {
		res.Header.Del(headerSession) // only an opening may name one
	}
	switch kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); {
	case kind == mediaEvents && call.Method == methodDiscover:
		return stored(newEvents(st, res, call.ID, l), res)
	case kind == mediaEvents:
		res.Body = newEvents(st, res, call.ID, l)
		l.keep()
		return res, nil
	case res.StatusCode == http.StatusAccepted:
		return nil, await(st, r, res)
	default:
		return message(st, res, call.ID, kind)
	}
}

// stored is a stream that is read here and now.
func stored(e *events, res *http.Response) (*http.Response, error) {
	defer e.Close()
	text, err := io.ReadAll(e)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}

// heard is the answer to what needs no reply: any 2xx will do.
func heard(st *step, r *http.Request, res *http.Response) (*http.Response, error) {
	if res.StatusCode/100 != 2 {
		return nil, refuse(st, r, res)
	}
	io.CopyN(io.Discard, res.Body, maxEvidence)
	res.Body.Close()
	res.Body = http.NoBody
	res.Header.Del(headerSession)
	return res, nil
}

// whole reads an answer that is handed on as it is.
func whole(st *step, res *http.Response) (*http.Response, error) {
	body, _ := readUpTo(res.Body, maxEvidence)
	st.note(func() { st.body, st.refused = body, true })
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.Header.Del(headerSession)
	return res, nil
}

// refuse notes a status that is none of success.
func refuse(st *step, r *http.Request, res *http.Response) error {
	body, _ := readUpTo(res.Body, maxEvidence)
	stale := r.Header.Get(headerSession) != "" && (res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusBadRequest)
	st.note(func() { st.body, st.refused, st.stale = body, true, stale })
	return errNoted
}

// await is a 202 to a call: the reply may come by a way that we do not listen
// on. Nothing more will be heard in this attempt.
func await(st *step, r *http.Request, res *http.Response) error {
	res.Body.Close()
	<-r.Context().Done()
	st.broke(context.Cause(r.Context()))
	return r.Context().Err()
}

// message lets an answer through that is the reply to the call.
func message(st *step, res *http.Response, id jsonrpc.ID, kind string) (*http.Response, error) {
	limit := st.wire.MaxBody()
	body, err := readUpTo(res.Body, limit)
	seen := public(res)
	if _, large := errors.AsType[*fetch.BodyTooLargeError](err); large {
		st.tooLarge(seen, err)
		return nil, errNoted
	}
	if err != nil {
		st.broke(err)
		return nil, err
	}
	var m jsonrpc.Message
	ours := false
	if kind == mediaJSON {
		m, ours, _ = decode(body)
	}
	r, ok := m.(*jsonrpc.Response)
	switch {
	case !ok:
		st.damaged(seen, &damage{deep: kind == mediaJSON && fetch.TooDeep(body), text: body})
		return nil, errNoted
	case r.ID != id:
		st.wrong(seen, body, fetch.WrongReply)
		return nil, errNoted
	case r.Error == nil && !fetch.ValidJSON(r.Result):
		st.wrong(seen, body, fetch.NotRPC)
		return nil, errNoted
	}
	if ours {
		body = st.standIn(r)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// resume asks for the rest of a stream that ended before the reply. A server
// need not have it: what it then says of this question is no answer to the call,
// which it has taken already.
func resume(st *step, r *http.Request) (*http.Response, error) {
	st.mu.Lock()
	first := st.res
	st.mu.Unlock()
	st.begin()
	l := tether(r.Context())
	defer l.done()
	r = r.WithContext(l.ctx)
	res, err := st.wire.RoundTrip(r)
	if err != nil {
		st.broke(err)
		return nil, err
	}
	st.note(func() { st.res = public(res) })
	switch code := res.StatusCode; {
	case code/100 == 5 || code == http.StatusTooManyRequests:
		err = refuse(st, r, res)
		st.note(func() { st.stale, st.spent = false, true })
		return nil, err
	case code/100 != 2:
		res.Body.Close()
		st.note(func() { st.res, st.silent = first, true })
		return nil, errNoted
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != mediaEvents {
		body, _ := readUpTo(res.Body, maxEvidence)
		st.wrong(public(res), body, fetch.NotRPC)
		return nil, errNoted
	}
	res.Body = newEvents(st, res, jsonrpc.ID{}, l)
	l.keep()
	res.Header.Del(headerSession)
	return res, nil
}

// public is an answer without its body and without what identifies us.
func public(res *http.Response) *http.Response {
	out := *res
	out.Header = res.Header.Clone()
	out.Header.Del(headerSession)
	out.Body = http.NoBody
	return &out
}

// readUpTo reads and closes a body; what is over the limit is left unread.
func readUpTo(body io.ReadCloser, limit int64) ([]byte, error) {
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(data)) > limit {
		return data[:limit], &fetch.BodyTooLargeError{Limit: limit}
	}
	return data, err
}
