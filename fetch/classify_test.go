package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"syscall"
	"testing"
	"time"
)

var nxdomain = &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "origin.test", IsNotFound: true}}

func TestClassifyStatus(t *testing.T) {
	none := http.Header{}
	for _, tt := range []struct {
		status  int
		header  http.Header
		kind    Kind
		outcome Outcome
	}{
		{200, none, "", OutcomeSuccess},
		{204, none, "", OutcomeSuccess},
		{299, none, "", OutcomeSuccess},
		{0, none, Network, OutcomeRetryable},
		{101, none, Network, OutcomeRetryable},
		{300, none, Redirect, OutcomeRedirect},
		{304, none, Redirect, OutcomeRedirect},
		{399, none, Redirect, OutcomeRedirect},
		{400, none, HTTP4xx, OutcomeClientError},
		{401, none, HTTP4xx, OutcomeClientError},
		{403, none, HTTP4xx, OutcomeBlocked},
		{403, http.Header{"Retry-After": {"5"}}, RateLimited, OutcomeRateLimited},
		{403, http.Header{"X-Ratelimit-Remaining": {"0"}}, RateLimited, OutcomeRateLimited},
		{403, http.Header{"X-Ratelimit-Remaining": {"10"}}, HTTP4xx, OutcomeBlocked},
		{404, http.Header{"Retry-After": {"5"}}, NotFound, OutcomeClientError},
		{408, none, HTTP4xx, OutcomeRetryable},
		{410, none, HTTP4xx, OutcomeClientError},
		{425, none, HTTP4xx, OutcomeRetryable},
		{429, none, RateLimited, OutcomeRateLimited},
		{451, none, HTTP4xx, OutcomeBlocked},
		{499, none, HTTP4xx, OutcomeClientError},
		{500, none, HTTP5xx, OutcomeRetryable},
		{599, none, HTTP5xx, OutcomeRetryable},
		{777, none, HTTP5xx, OutcomeRetryable},
	} {
		if k, o := ClassifyStatus(tt.status, tt.header); k != tt.kind || o != tt.outcome {
			t.Errorf("%d %v: %q %q, want %q %q", tt.status, tt.header, k, o, tt.kind, tt.outcome)
		}
	}
}

// alert stands for crypto/tls's own unexported type: taken from a real
// handshake in wire_tls_test.go. Here only what other packages could send.
type alert uint8

func (alert) Error() string { return "tls: handshake failure" }

func TestClassifyError(t *testing.T) {
	op := func(e error) error { return &net.OpError{Op: "read", Err: os.NewSyscallError("read", e)} }
	cert := func(from time.Time) *x509.Certificate { return &x509.Certificate{NotBefore: from} }
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, tt := range []struct {
		name  string
		err   error
		phase Phase
		want  Fault
	}{
		{"attempt in dns", ErrTimeout, PhaseDNS, Fault{Timeout, OutcomeRetryable, DNSTimeout, ""}},
		{"attempt in connect", ErrTimeout, PhaseConnect, Fault{Timeout, OutcomeRetryable, TCPTimeout, ""}},
		{"attempt in tls", ErrTimeout, PhaseTLS, Fault{Timeout, OutcomeRetryable, TLSTimeout, ""}},
		{"attempt before the header", ErrTimeout, PhaseWait, Fault{Timeout, OutcomeRetryable, HeaderTimeout, ""}},
		{"attempt in the header", ErrTimeout, PhaseHeader, Fault{Timeout, OutcomeRetryable, HeaderTimeout, ""}},
		{"attempt in the body", ErrTimeout, PhaseBody, Fault{Timeout, OutcomeRetryable, BodyTimeout, ""}},
		{"budget", fmt.Errorf("x: %w", ErrBudget), PhaseBody, Fault{Timeout, OutcomeRetryable, BudgetSpent, ""}},
		{"cancel", context.Canceled, PhaseWait, Fault{Aborted, OutcomeFatal, Cancelled, ""}},
		{"a transport's own clock", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, PhaseConnect, Fault{Timeout, OutcomeRetryable, TCPTimeout, ""}},
		{"nxdomain", nxdomain, PhaseDNS, Fault{Network, OutcomeFatal, DNSNXDomain, ""}},
		{"servfail", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, PhaseDNS, Fault{Network, OutcomeRetryable, DNSServfail, ""}},
		{"resolver's own timeout", &net.DNSError{Err: "timeout", IsTimeout: true}, PhaseDNS, Fault{Network, OutcomeRetryable, DNSTimeout, ""}},
		{"refused", op(syscall.ECONNREFUSED), PhaseConnect, Fault{Network, OutcomeRetryable, TCPRefused, ""}},
		{"reset", op(syscall.ECONNRESET), PhaseWait, Fault{Network, OutcomeRetryable, TCPReset, ""}},
		{"pipe", op(syscall.EPIPE), PhaseWait, Fault{Network, OutcomeRetryable, TCPReset, ""}},
		{"host unreachable", op(syscall.EHOSTUNREACH), PhaseConnect, Fault{Network, OutcomeRetryable, TCPUnreachable, ""}},
		{"net unreachable", op(syscall.ENETUNREACH), PhaseConnect, Fault{Network, OutcomeRetryable, TCPUnreachable, ""}},
		{"kernel's timeout", op(syscall.ETIMEDOUT), PhaseConnect, Fault{Network, OutcomeRetryable, TCPTimeout, ""}},
		{"reset in the body", op(syscall.ECONNRESET), PhaseBody, Fault{Network, OutcomeRetryable, BodyCut, ""}},
		{"short body", io.ErrUnexpectedEOF, PhaseBody, Fault{Network, OutcomeRetryable, BodyCut, ""}},
		{"bad chunk", errors.New("invalid byte in chunk length"), PhaseBody, Fault{Network, OutcomeRetryable, BodyCut, ""}},
		{"closed", io.EOF, PhaseWait, Fault{Network, OutcomeRetryable, ConnectionClosed, ""}},
		{"closed in the header", io.ErrUnexpectedEOF, PhaseHeader, Fault{Network, OutcomeRetryable, ConnectionClosed, ""}},
		{"no http", errors.New("malformed HTTP response"), PhaseHeader, Fault{Network, OutcomeRetryable, HTTPMalformed, ""}},
		{"bad header", textproto.ProtocolError("malformed MIME header"), PhaseWait, Fault{Network, OutcomeRetryable, HTTPMalformed, ""}},
		{"nothing known", errors.New("odd"), PhaseWait, Fault{Network, OutcomeRetryable, "", ""}},
		{"no more files", op(syscall.EMFILE), PhaseConnect, Fault{Network, OutcomeRetryable, "", CauseFDLimit}},
		{"no more files at all", op(syscall.ENFILE), PhaseConnect, Fault{Network, OutcomeRetryable, "", CauseFDLimit}},
		{"proxy refused", &net.OpError{Op: "proxyconnect", Err: op(syscall.ECONNREFUSED)}, PhaseConnect, Fault{Network, OutcomeRetryable, TCPRefused, CauseProxy}},
		{"proxy unknown", &net.OpError{Op: "proxyconnect", Err: nxdomain}, PhaseDNS, Fault{Network, OutcomeFatal, DNSNXDomain, CauseProxy}},
		{"proxy said no", &ProxyError{Status: 407}, PhaseConnect, Fault{Network, OutcomeRetryable, "", CauseProxy}},
		{"expired", x509.CertificateInvalidError{Cert: cert(past), Reason: x509.Expired}, PhaseTLS, Fault{Network, OutcomeFatal, TLSExpired, ""}},
		{"not yet valid", x509.CertificateInvalidError{Cert: cert(future), Reason: x509.Expired}, PhaseTLS, Fault{Network, OutcomeFatal, TLSNotYetValid, ""}},
		{"other certificate trouble", x509.CertificateInvalidError{Reason: x509.TooManyIntermediates}, PhaseTLS, Fault{Network, OutcomeFatal, TLSInvalidCert, ""}},
		{"unknown authority", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, PhaseTLS, Fault{Network, OutcomeFatal, TLSUnknownAuthority, ""}},
		{"wrong host", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "a"}, PhaseTLS, Fault{Network, OutcomeFatal, TLSWrongHost, ""}},
		{"unnamed verification", &tls.CertificateVerificationError{Err: errors.New("x")}, PhaseTLS, Fault{Network, OutcomeFatal, TLSInvalidCert, ""}},
		{"not tls", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, PhaseTLS, Fault{Network, OutcomeRetryable, TLSNotTLS, ""}},
		{"alert handshake_failure", tls.AlertError(40), PhaseTLS, Fault{Network, OutcomeFatal, TLSPolicy, ""}},
		{"alert internal_error", tls.AlertError(80), PhaseTLS, Fault{Network, OutcomeRetryable, TLSAlert, ""}},
		{"somebody else's uint8", &net.OpError{Op: "remote error", Err: alert(40)}, PhaseWait, Fault{Network, OutcomeRetryable, "", ""}},
		{"version chosen by the server", errors.New("tls: server selected unsupported protocol version 301"), PhaseTLS, Fault{Network, OutcomeFatal, TLSPolicy, ""}},
		{"closed in the handshake", io.EOF, PhaseTLS, Fault{Network, OutcomeRetryable, ConnectionClosed, ""}},
		{"reset in the handshake", op(syscall.ECONNRESET), PhaseTLS, Fault{Network, OutcomeRetryable, TCPReset, ""}},
	} {
		if got := ClassifyError(tt.err, tt.phase); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestDefaultTable(t *testing.T) {
	for _, tt := range []struct {
		f    Fault
		want bool
	}{
		{Fault{Kind: Timeout, Outcome: OutcomeRetryable}, true},
		{Fault{Kind: Network, Outcome: OutcomeRetryable}, true},
		{Fault{Kind: Network, Outcome: OutcomeFatal}, false},
		{Fault{Kind: RateLimited, Outcome: OutcomeRateLimited}, true},
		{Fault{Kind: HTTP5xx, Outcome: OutcomeRetryable}, true},
		{Fault{Kind: HTTP4xx, Outcome: OutcomeBlocked}, false},
		{Fault{Kind: HTTP4xx, Outcome: OutcomeClientError}, false},
		{Fault{Kind: HTTP4xx, Outcome: OutcomeRetryable}, true},
		{Fault{Kind: MalformedBody, Outcome: OutcomeSuccess}, true},
		{Fault{Kind: NotFound, Outcome: OutcomeClientError}, false},
		{Fault{Kind: NotFound, Outcome: OutcomeSuccess}, false},
		{Fault{Kind: Redirect, Outcome: OutcomeRedirect}, false},
		{Fault{Kind: Aborted, Outcome: OutcomeFatal}, false},
	} {
		if got := tt.f.retryable(); got != tt.want {
			t.Errorf("%+v: %v", tt.f, got)
		}
	}
}
