package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

// step is one call of the SDK, as the wire saw it. It travels in the context of
// the call, and everything that is sent for it finds it there.
type step struct {
	wire     *fetch.Wire
	patience time.Duration // how long server/discover may take

	mu      sync.Mutex
	over    bool
	res     *http.Response        // the last HTTP answer
	body    []byte                // of an answer that is no reply
	err     error                 // the connection broke
	fault   fetch.Fault           // what came is no reply
	refused bool                  // the status refuses
	stale   bool                  // it refuses a request that named our session
	silent  bool                  // the stream ended without the reply
	spent   bool                  // the SDK gives the session up, or soon will
	replies map[string]*reply     // by method
	calls   map[jsonrpc.ID]string // methods by id
	whole   *jsonrpc.Response     // a reply that the SDK cannot read

	discovered discovery
}

// reply is a JSON-RPC reply: a result or an error.
type reply struct {
	result json.RawMessage
	err    *jsonrpc.Error
}

type stepKey struct{}

func (st *step) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, stepKey{}, st)
}

func stepOf(ctx context.Context) *step {
	st, _ := ctx.Value(stepKey{}).(*step)
	return st
}

func newStep(w *fetch.Wire) *step {
	return &step{wire: w, replies: map[string]*reply{}, calls: map[jsonrpc.ID]string{}}
}

// end says that nobody waits for this call any more.
func (st *step) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.over = true
}

// isOver reports whether a request finds nobody to count it.
func (st *step) isOver() bool {
	if st == nil {
		return true
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.over
}

// note changes what is known, as long as somebody waits for it.
func (st *step) note(f func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.over {
		f()
	}
}

// begin forgets what an earlier request of the same call came to.
func (st *step) begin() {
	st.note(func() {
		st.res, st.body, st.err, st.fault = nil, nil, nil, fetch.Fault{}
		st.refused, st.stale, st.silent = false, false, false
	})
}

func (st *step) broke(err error) { st.note(func() { st.err = err }) }

// wrong is an answer that is no reply.
func (st *step) wrong(res *http.Response, body []byte, detail fetch.Detail) {
	st.note(func() {
		st.res, st.body = res, body
		st.fault = fetch.Fault{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, Detail: detail}
	})
}

// damaged is an answer in the place of the reply.
func (st *step) damaged(res *http.Response, d *damage) {
	st.note(func() { st.res, st.body, st.fault = res, d.text, d.fault() })
}

// tooLarge is an answer of which we take no more.
func (st *step) tooLarge(res *http.Response, err error) {
	st.note(func() {
		st.res, st.err = res, err
		st.fault = fetch.Fault{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseMaxBody}
	})
}

// sent notes a call under its id. What an earlier one came to is over, but for
// that of server/discover.
func (st *step) sent(id jsonrpc.ID, method string) {
	st.note(func() {
		if method == methodInitialize {
			st.discovered = discovery{st.res, st.body, st.err, st.fault}
		}
		st.calls[id], st.fault = method, fetch.Fault{}
	})
}

// settled reports an answer that tells enough to ask for no more of it.
func (st *step) settled() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.fault != fetch.Fault{} && st.fault.Detail != fetch.WrongReply
}

// standIn keeps a reply for got, and gives the text of one that the SDK can read.
func (st *step) standIn(r *jsonrpc.Response) []byte {
	text, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.ID, Result: json.RawMessage(`{}`)})
	if err != nil {
		return nil
	}
	st.note(func() { st.whole = r })
	return text
}

// entire is the reply that another stands in for, or the reply itself.
func (st *step) entire(r *jsonrpc.Response) *jsonrpc.Response {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.whole != nil && st.whole.ID == r.ID {
		return st.whole
	}
	return r
}

// got takes the reply to one of the calls.
func (st *step) got(r *jsonrpc.Response) {
	st.note(func() {
		method := st.calls[r.ID]
		if d, is := errors.AsType[*damage](r.Error); is {
			st.body, st.fault = d.text, d.fault()
			return
		}
		wire, isRPC := errors.AsType[*jsonrpc.Error](r.Error)
		if r.Error != nil && !isRPC { // the SDK's own word for a stream that ended
			st.silent = true
			return
		}
		st.fault = fetch.Fault{}
		st.replies[method] = &reply{result: r.Result, err: wire}
	})
}

// reply gives the reply to a method, nil when none came.
func (st *step) reply(method string) *reply {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.replies[method]
}
