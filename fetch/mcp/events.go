package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

// lastDrain is how long the end of a stream is waited for once its reply is
// there, so that the connection can be used again.
const lastDrain = 50 * time.Millisecond

// events is an event stream that lets whole events through, and only those
// whose data is a message. Without that, one wrong event would end the session
// of everybody.
type events struct {
	st    *step
	res   *http.Response
	src   io.ReadCloser
	lines *bufio.Reader
	limit int64
	id    jsonrpc.ID // of the reply that ends the stream; invalid: any
	leash *leash
	again bool // an event had an id: the SDK will ask for the rest
	ready bytes.Buffer
	end   error
	last  *time.Timer // running once the reply is there
}

// leash ties a request to the context of its call, until its reply is there:
// what then remains of the stream must not be cut with the call, because its
// connection would be lost.
type leash struct {
	ctx    context.Context
	cancel context.CancelFunc
	loose  func() bool
	kept   bool
}

func tether(call context.Context) *leash {
	l := &leash{}
	l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(call))
	l.loose = context.AfterFunc(call, l.cancel)
	return l
}

// keep leaves the end of the request to the end of its stream.
func (l *leash) keep() { l.kept = true }

// done ends the request, unless a stream was kept.
func (l *leash) done() {
	if !l.kept {
		l.free()
	}
}

func (l *leash) free() {
	l.loose()
	l.cancel()
}

func newEvents(st *step, res *http.Response, id jsonrpc.ID, l *leash) *events {
	return &events{
		st: st, res: public(res), src: res.Body, lines: bufio.NewReader(res.Body), limit: st.wire.MaxBody(), id: id, leash: l,
	}
}

// Close closes the stream.
func (e *events) Close() error {
	if e.last != nil {
		e.last.Stop()
	}
	defer e.leash.free()
	return e.src.Close()
}

// Read gives the bytes of the next events.
func (e *events) Read(p []byte) (int, error) {
	for e.ready.Len() == 0 {
		if e.last != nil {
			_, _ = io.CopyN(io.Discard, e.lines, maxEvidence)
			return 0, io.EOF
		}
		if e.end != nil {
			return 0, e.end
		}
		e.next()
	}
	return e.ready.Read(p)
}

// next reads one event. What breaks off before its blank line is no event.
func (e *events) next() {
	var raw, data bytes.Buffer
	named := false
	for {
		line, err := e.line(e.limit - int64(raw.Len()))
		switch {
		case err == io.EOF:
			e.end = io.EOF
			return
		case err != nil:
			e.fail(err)
			return
		}
		raw.Write(line)
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if data.Len() > 0 {
				data.WriteByte('\n')
			}
			data.Write(value)
		case "id":
			e.again = true
		case "event":
			named = len(value) > 0 && string(value) != "message"
		}
	}
	if data.Len() == 0 || named {
		e.ready.Write(raw.Bytes())
		return
	}
	e.message(raw.Bytes(), data.Bytes())
}

// message lets an event through that carries a message.
func (e *events) message(raw, data []byte) {
	m, ours, _ := decode(data)
	if m == nil {
		e.st.damaged(e.res, &damage{deep: fetch.TooDeep(data), text: bytes.Clone(data)})
		e.st.note(func() { e.st.spent = e.again })
		e.end = io.EOF
		return
	}
	r, isReply := m.(*jsonrpc.Response)
	if ours { // which only a reply is
		raw = fmt.Appendf(nil, "data: %s\n\n", e.st.standIn(r))
	}
	e.ready.Write(raw)
	if !isReply {
		return
	}
	if e.id.IsValid() && r.ID != e.id {
		e.st.wrong(e.res, bytes.Clone(data), fetch.WrongReply)
		return // the right one may follow
	}
	e.st.note(func() { e.st.fault = fetch.Fault{} })
	e.leash.loose()
	e.last = time.AfterFunc(lastDrain, func() { e.src.Close() })
}

func (e *events) fail(err error) {
	e.end = io.EOF
	if _, large := errors.AsType[*fetch.BodyTooLargeError](err); large {
		e.st.tooLarge(e.res, err)
		return
	}
	e.st.broke(err)
}

// line reads one line with its end, of at most limit bytes.
func (e *events) line(limit int64) ([]byte, error) {
	var line []byte
	for {
		part, err := e.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case int64(len(line)) > limit:
			return nil, &fetch.BodyTooLargeError{Limit: e.limit}
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) > 0:
			return nil, io.EOF
		}
		return line, err
	}
}
