package verdict_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

func TestOfJudgesEveryKind(t *testing.T) {
	want := map[fetch.Kind]verdict.Verdict{
		fetch.Timeout: verdict.Indisponivel, fetch.Network: verdict.Indisponivel,
		fetch.RateLimited: verdict.Indisponivel, fetch.HTTP5xx: verdict.Indisponivel,
		fetch.HTTP4xx: verdict.Respondeu, fetch.NotFound: verdict.Respondeu, fetch.Redirect: verdict.Respondeu,
		fetch.MalformedBody: verdict.Ambiguo,
		fetch.Aborted:       verdict.Alheio,
	}
	for _, kind := range fetch.Kinds() {
		got := verdict.Of(&fetch.Error{Kind: kind, Status: 418, URL: "https://a.example/x"})
		if got.Verdict != want[kind] {
			t.Errorf("%s: got %s, want %s", kind, got.Verdict, want[kind])
		}
		if got.Kind != kind || got.Status != 418 || got.URL != "https://a.example/x" || got.Motivo == "" {
			t.Errorf("%s: facts were lost: %+v", kind, got)
		}
	}
}

func TestAKindOfALaterVersionIsOurs(t *testing.T) {
	if got := verdict.Of(&fetch.Error{Kind: "from_the_future", Status: 503}); got.Verdict != verdict.Alheio {
		t.Errorf("got %q, want alheio: it may not look like an answer", got.Verdict)
	}
}

func TestALocalCauseIsStrongerThanTheKind(t *testing.T) {
	for _, cause := range []fetch.Cause{
		fetch.CauseProxy, fetch.CauseRunnerOffline, fetch.CauseFDLimit,
		fetch.CauseOwnLimiter, fetch.CauseMaxBody, fetch.CauseNoRecording, fetch.CausePanic,
	} {
		got := verdict.Of(&fetch.Error{Kind: fetch.Network, Cause: cause})
		if got.Verdict != verdict.Alheio {
			t.Errorf("%s: got %s, want alheio", cause, got.Verdict)
		}
	}
}

func TestOfWithoutAFetchError(t *testing.T) {
	if got := verdict.Of(nil); got != (verdict.Delivery{}) {
		t.Errorf("Of(nil) = %+v, want the zero Delivery", got)
	}
	for _, err := range []error{errors.New("not an invalid query"), context.Canceled, context.DeadlineExceeded} {
		got := verdict.Of(fmt.Errorf("tool: %w", err))
		if got.Verdict != verdict.Alheio || got.Kind != "" {
			t.Errorf("%v: got %+v, want alheio without a kind", err, got)
		}
	}
}

// pkgError wraps as wrappers did before errors.Unwrap.
type pkgError struct{ inner error }

func (e pkgError) Error() string { return "wrapped" }
func (e pkgError) Cause() error  { return e.inner }

// ring contains itself.
type ring struct{}

func (e *ring) Error() string { return "ring" }
func (e *ring) Unwrap() error { return e }

func TestOfFollowsForeignWrappers(t *testing.T) {
	core := &fetch.Error{Kind: fetch.HTTP5xx, Status: 503, URL: "u"}
	chains := map[string]error{
		"fmt":        fmt.Errorf("a: %w", fmt.Errorf("b: %w", core)),
		"join":       errors.Join(errors.New("x"), core),
		"fmt twice":  fmt.Errorf("%w and %w", errors.New("x"), core),
		"cause":      pkgError{inner: fmt.Errorf("c: %w", core)},
		"mixed deep": fmt.Errorf("a: %w", errors.Join(pkgError{inner: errors.New("dead end")}, pkgError{inner: core})),
	}
	for name, err := range chains {
		got := verdict.Of(err)
		if got.Verdict != verdict.Indisponivel || got.Status != 503 {
			t.Errorf("%s: got %+v, want indisponivel with status 503", name, got)
		}
	}
	if got := verdict.Of(&ring{}); got.Verdict != verdict.Alheio {
		t.Errorf("a chain that contains itself: got %+v, want alheio", got)
	}
}

func TestTheClassNeverComesFromWording(t *testing.T) {
	// An outage whose text speaks of an invalid query stays an outage.
	got := verdict.Of(&fetch.Error{Kind: fetch.HTTP5xx, Status: 503, Body: []byte("backend down; this is not an invalid query")})
	if got.Verdict != verdict.Indisponivel {
		t.Errorf("got %s, want indisponivel", got.Verdict)
	}
}

func TestMotivo(t *testing.T) {
	wait := 90 * time.Second
	dated := fmt.Errorf("handshake: %w", x509.CertificateInvalidError{Reason: x509.Expired, Cert: &x509.Certificate{
		NotBefore: time.Date(2025, time.December, 1, 23, 0, 0, 0, time.UTC), NotAfter: time.Date(2026, time.March, 2, 23, 0, 0, 0, time.UTC),
	}})
	cases := []struct {
		name string
		err  fetch.Error
		has  []string
		not  string
	}{
		{"challenge", fetch.Error{Kind: fetch.HTTP4xx, Status: 403, LooksLike: fetch.LooksWAFChallenge, Body: []byte("<html><title>Just a moment...</title>")},
			[]string{"desafio WAF: o acesso foi recusado, contrato não medido", "403", "Just a moment..."}, ""},
		{"a challenge that is no refusal", fetch.Error{Kind: fetch.HTTP5xx, Status: 503, LooksLike: fetch.LooksWAFChallenge}, []string{"503"}, "o acesso foi recusado"},
		{"one useful sentence", fetch.Error{Kind: fetch.HTTP4xx, Status: 400, Body: []byte("Tabela 99999: Tabela inválida")},
			[]string{"recusou", "(status 400)", "«Tabela 99999: Tabela inválida»"}, ""},
		{"expired", fetch.Error{Kind: fetch.Network, Detail: fetch.TLSExpired}, []string{"certificado do servidor venceu"}, "status"},
		{"expired, and when", fetch.Error{Kind: fetch.Network, Detail: fetch.TLSExpired, Err: dated}, []string{"certificado do servidor venceu em 02/03/2026"}, "01/12"},
		{"not yet valid, and from when", fetch.Error{Kind: fetch.Network, Detail: fetch.TLSNotYetValid, Err: dated}, []string{"ainda não vale; começa em 01/12/2025"}, "02/03"},
		{"offset", fetch.Error{Kind: fetch.MalformedBody, Status: 200, LooksLike: fetch.LooksNaNJSON, Offset: 17},
			[]string{"NaN", "no byte 17"}, ""},
		{"retry-after", fetch.Error{Kind: fetch.RateLimited, Status: 429, RetryAfter: &wait}, []string{"pediu espera de 1 min 30 s"}, ""},
		{"redirect", fetch.Error{Kind: fetch.Redirect, Status: 302, Location: &fetch.Location{URL: "https://b.example/\x1b[2J"}},
			[]string{`"https://b.example/ [2J"`}, "\x1b"},
		{"plain http", fetch.Error{Kind: fetch.NotFound, Status: 404, URL: "http://a.example/"}, []string{"http puro"}, ""},
		{"hostile text", fetch.Error{Kind: fetch.HTTP4xx, Status: 400, Body: []byte("a\x1b]0;x\x07\nb\xff" + strings.Repeat("z", 5000))},
			[]string{"«a ]0;x b\ufffd", "…»"}, "\x1b"},
		{"gzip bytes say nothing", fetch.Error{Kind: fetch.MalformedBody, Status: 200, LooksLike: fetch.LooksGzipBytes, Body: []byte{0x1f, 0x8b, 8}},
			[]string{"comprimido"}, "disse"},
		{"no recording", fetch.Error{Kind: fetch.Aborted, Cause: fetch.CauseNoRecording}, []string{"não há gravação desta requisição"}, "disse"},
		{"a title in capitals, with entities", fetch.Error{Kind: fetch.HTTP5xx, Status: 502, Body: []byte("<HTML><HEAD>\n<TITLE lang=pt>N&atilde;o &amp; fim</TITLE></HEAD>")},
			[]string{"disse: «Não & fim»"}, "TITLE"},
		{"a title that does not end", fetch.Error{Kind: fetch.HTTP5xx, Status: 502, Body: []byte("<html><title>cortad")}, []string{"«cortad»"}, ""},
		{"a page without a title", fetch.Error{Kind: fetch.HTTP5xx, Status: 502, Body: []byte("<html><body>x")}, []string{"502"}, "disse"},
		{"a tag that does not end", fetch.Error{Kind: fetch.HTTP5xx, Status: 502, Body: []byte("<html><title lang=pt")}, []string{"502"}, "disse"},
		{"a body with a zero byte", fetch.Error{Kind: fetch.HTTP4xx, Status: 400, Body: []byte("\x00PNG")}, []string{"400"}, "PNG"},
		{"bytes that are no text", fetch.Error{Kind: fetch.HTTP4xx, Status: 400, LooksLike: fetch.LooksBinary, Body: []byte("\x01PNG")}, []string{"400"}, "PNG"},
		{"space in front", fetch.Error{Kind: fetch.HTTP4xx, Status: 400, Body: []byte(" \r\n no  such\ttable ")}, []string{"«no such table»"}, ""},
		{"nothing but space", fetch.Error{Kind: fetch.HTTP4xx, Status: 400, Body: []byte(" \n")}, []string{"400"}, "«"},
		{"our cap", fetch.Error{Kind: fetch.Aborted, Cause: fetch.CauseMaxBody, Status: 200, Body: []byte("{}")}, []string{"max_body"}, "disse"},
	}
	for _, c := range cases {
		got := verdict.Of(&c.err).Motivo
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: motivo %q has no %q", c.name, got, want)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: motivo %q has %q", c.name, got, c.not)
		}
		if strings.ContainsAny(got, "\n\r") || len([]rune(got)) > 700 {
			t.Errorf("%s: motivo is not one bounded line: %q", c.name, got)
		}
	}
}

func TestEveryDetailHasItsSentence(t *testing.T) {
	for _, d := range []fetch.Detail{
		fetch.DNSNXDomain, fetch.DNSServfail, fetch.DNSTimeout, fetch.TCPRefused, fetch.TCPReset, fetch.TCPUnreachable,
		fetch.TCPTimeout, fetch.TLSExpired, fetch.TLSNotYetValid, fetch.TLSUnknownAuthority, fetch.TLSWrongHost,
		fetch.TLSInvalidCert, fetch.TLSPolicy, fetch.TLSNotTLS, fetch.TLSTimeout, fetch.HTTPMalformed, fetch.HTTPUpgrade,
		fetch.ConnectionClosed, fetch.BodyCut, fetch.HeaderTimeout, fetch.BodyTimeout, fetch.BudgetSpent, fetch.BadEncoding,
		fetch.RedirectLoop, fetch.RedirectTooMany, fetch.RedirectNoLocation, fetch.RedirectCrossHost, fetch.RedirectDowngrade,
		fetch.RedirectUnsafe, fetch.RedirectRefused, fetch.NotModified, fetch.CircuitOpen, fetch.RejectedByHook, fetch.Cancelled, fetch.ProxyUpstream, fetch.TLSAlert,
	} {
		general := verdict.Of(&fetch.Error{Kind: fetch.Network}).Motivo
		if got := verdict.Of(&fetch.Error{Kind: fetch.Network, Detail: d}).Motivo; got == general {
			t.Errorf("detail %s has no sentence of its own", d)
		}
	}
}

func TestTheRuleIsStrongest(t *testing.T) {
	for _, c := range []struct {
		means fetch.Means
		err   fetch.Error
		want  verdict.Verdict
	}{
		{fetch.MeansIndisponivel, fetch.Error{Kind: fetch.HTTP4xx, Status: 403}, verdict.Indisponivel},
		{fetch.MeansIndisponivel, fetch.Error{Kind: fetch.MalformedBody, Status: 200}, verdict.Indisponivel},
		{fetch.MeansRespondeu, fetch.Error{Kind: fetch.HTTP5xx, Status: 500}, verdict.Respondeu},
		{fetch.MeansRespondeu, fetch.Error{Kind: "", Status: 200}, verdict.Respondeu},
		{fetch.MeansAmbiguo, fetch.Error{Kind: fetch.NotFound, Status: 404}, verdict.Ambiguo},
		{fetch.MeansAlheio, fetch.Error{Kind: fetch.NotFound, Status: 404}, verdict.Alheio},
		{fetch.MeansIndisponivel, fetch.Error{Kind: fetch.HTTP4xx, Status: 407, Cause: fetch.CauseProxy}, verdict.Indisponivel},
		{"odd", fetch.Error{Kind: fetch.NotFound, Status: 404}, verdict.Respondeu},
	} {
		e := c.err
		e.Rule = &fetch.Rule{Name: "origins.sgs.answers[3]", Means: c.means}
		got := verdict.Of(fmt.Errorf("trip: %w", &e))
		if got.Verdict != c.want || got.Kind != c.err.Kind || got.Status != c.err.Status {
			t.Errorf("%s over %s/%d: got %+v, want %s", c.means, c.err.Kind, c.err.Status, got, c.want)
		}
		if named := strings.Contains(got.Motivo, "origins.sgs.answers[3]"); named != (c.means != "odd") {
			t.Errorf("%s: motivo %q", c.means, got.Motivo)
		}
	}
}
