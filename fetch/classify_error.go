package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"os"
	"syscall"
)

// Phase is how far a request had come when it failed, as httptrace saw it.
type Phase int

// The phases, in the order of a request's life.
const (
	PhaseStart   Phase = iota // no connection yet, and nothing known about it
	PhaseDNS                  // looking the name up
	PhaseConnect              // opening the connection
	PhaseTLS                  // in the handshake
	PhaseWait                 // connected; no byte of an answer yet
	PhaseHeader               // the first byte of the answer came
	PhaseBody                 // the header came whole
)

// Fault is what a failure is called.
type Fault struct {
	Kind    Kind
	Outcome Outcome
	Detail  Detail
	Cause   Cause
}

// late is the detail of a timeout, by the phase that it ended.
var late = map[Phase]Detail{
	PhaseStart: TCPTimeout, PhaseDNS: DNSTimeout, PhaseConnect: TCPTimeout, PhaseTLS: TLSTimeout,
	PhaseWait: HeaderTimeout, PhaseHeader: HeaderTimeout, PhaseBody: BodyTimeout,
}

// Our own deadlines, as the causes of the contexts that they end.
var (
	ErrTimeout = errors.New("the attempt's timeout ended")
	ErrBudget  = errors.New("the trip's budget ended")
)

// ClassifyError names a failure by the types along its error chain and by the
// phase it happened in, never by wording.
func ClassifyError(err error, phase Phase) Fault {
	f := Fault{Kind: Network}
	var limit *LimitError
	switch {
	case errors.As(err, &limit):
		f.Kind, f.Cause = Aborted, limit.Cause
	case errors.Is(err, ErrOwnLimit):
		f.Kind, f.Cause = Aborted, CauseOwnLimiter
	case errors.Is(err, ErrNoRecording):
		f.Kind, f.Detail, f.Cause = Aborted, NoRecording, CauseNoRecording
	case errors.Is(err, ErrBudget):
		f.Kind, f.Detail = Timeout, BudgetSpent
	case errors.Is(err, ErrTimeout):
		f.Kind, f.Detail = Timeout, late[phase]
	case errors.Is(err, context.Canceled):
		f.Kind, f.Detail = Aborted, Cancelled
	default:
		f.Detail, f.Cause = networkDetail(err, phase)
		if f.Detail == "" && isTimeout(err) { // a clock inside a transport that is not ours
			f.Kind, f.Detail = Timeout, late[phase]
		}
	}
	f.Outcome = fates[f.Kind]
	if f.Detail.NeverRetried() {
		f.Outcome = OutcomeFatal
	}
	return f
}

// networkDetail asks in turn who could have said this: our own side, the
// resolver, TLS, TCP, HTTP.
func networkDetail(err error, phase Phase) (Detail, Cause) {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "", CauseFDLimit
	}
	var cause Cause
	var proxy *ProxyError
	switch {
	case errors.As(err, &proxy) && proxy.Upstream:
		return proxy.Detail, ""
	case isProxy(err):
		cause = CauseProxy
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dnsDetail(dns), cause
	}
	if d := tlsDetail(err, phase); d != "" {
		return d, cause
	}
	if phase == PhaseBody {
		return BodyCut, cause
	}
	if d := tcpDetail(err); d != "" {
		return d, cause
	}
	return httpDetail(err, phase), cause
}

// isProxy reports a failure between us and a proxy. A caller's own
// http.Transport marks what happened while dialling one by the operation of the
// net.OpError.
func isProxy(err error) bool {
	var refused *ProxyError
	if errors.As(err, &refused) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect")
}

func dnsDetail(e *net.DNSError) Detail {
	switch {
	case e.IsNotFound:
		return DNSNXDomain
	case e.IsTimeout:
		return DNSTimeout
	}
	return DNSServfail
}

// tcpDetails is searched in order.
var tcpDetails = []struct {
	errno  syscall.Errno
	detail Detail
}{
	{syscall.ECONNREFUSED, TCPRefused},
	{syscall.ECONNRESET, TCPReset},
	{syscall.ECONNABORTED, TCPReset},
	{syscall.EPIPE, TCPReset},
	{syscall.EHOSTUNREACH, TCPUnreachable},
	{syscall.ENETUNREACH, TCPUnreachable},
	{syscall.EHOSTDOWN, TCPUnreachable},
	{syscall.ENETDOWN, TCPUnreachable},
	{syscall.EADDRNOTAVAIL, TCPUnreachable},
	{syscall.ETIMEDOUT, TCPTimeout},
}

func tcpDetail(err error) Detail {
	for _, row := range tcpDetails {
		if errors.Is(err, row.errno) {
			return row.detail
		}
	}
	return ""
}

// httpDetail names what is left: a connection that ended, or an answer that is
// no HTTP. net/http's parser has hardly any types, so that an untyped error
// after the first byte of an answer is the parser's.
func httpDetail(err error, phase Phase) Detail {
	var proto textproto.ProtocolError
	switch {
	case errors.As(err, &proto):
		return HTTPMalformed
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return ConnectionClosed
	case phase == PhaseHeader && !isIO(err):
		return HTTPMalformed
	}
	return ""
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// isIO reports an error of a connection, as against one of a parser or of a
// handshake.
func isIO(err error) bool {
	var op *net.OpError
	var errno syscall.Errno
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &errno) || isTimeout(err) || errors.As(err, &op)
}
