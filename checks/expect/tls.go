package expect

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
)

// TLS is what an answer's connection says of itself.
type TLS struct {
	Version  string    // "1.2", "1.3"
	Issuer   string    // of the server's certificate, in the form of RFC 2253
	NotAfter time.Time // when that certificate ends; zero when there is none
}

// tlsExpectation is the tls: mapping.
type tlsExpectation struct {
	fail, warn time.Duration // left before the certificate ends; 0 where it is not declared
	issuer     textRules
	versions   []string
}

var tlsVersions = []string{"1.0", "1.1", "1.2", "1.3"}

var issuerTable = source.NewObject("the issuer's expectation", textFields()...)

var tlsTable = source.NewObject("tls",
	source.Field[tlsExpectation]{Name: "expires_after", Form: source.TimeFrom(time.Second), Doc: "how long the certificate has to be good for at least, such as 14d", Decode: func(e *tlsExpectation, n source.Node) {
		v, ok := n.Duration(time.Second)
		source.Optional(&e.fail, v, ok)
	}},
	source.Field[tlsExpectation]{Name: "warn_after", Form: source.TimeFrom(time.Second), Doc: "the same for a warning, such as 30d", Decode: func(e *tlsExpectation, n source.Node) {
		v, ok := n.Duration(time.Second)
		source.Optional(&e.warn, v, ok)
	}},
	source.Field[tlsExpectation]{Name: "issuer", Form: source.Either(source.OneOrList(1, source.SomeText), issuerTable.Form), Doc: "a part of the issuer's name, or matchers on it", Decode: func(e *tlsExpectation, n source.Node) {
		if n.IsMapping() {
			issuerTable.Decode(n, &e.issuer)
			return
		}
		e.issuer.each("contains", n, containsText)
	}},
	source.Field[tlsExpectation]{Name: "version", Form: source.OneOrList(1, source.OneOf(tlsVersions...)), Doc: "the TLS version, 1.2 or 1.3, or a list of them", Decode: func(e *tlsExpectation, n source.Node) {
		items := n.ItemsOrOne()
		if len(items) == 0 {
			n.Problem("such as 1.3", "the list of versions is empty")
		}
		for _, item := range items {
			if v, ok := item.Enum(tlsVersions...); ok {
				e.versions = append(e.versions, v)
			}
		}
	}},
)

func decodeTLS(s *Spec, n source.Node) {
	e := &tlsExpectation{issuer: textRules{severity: Fail}}
	if !tlsTable.Decode(n, e) {
		return
	}
	if pairs, _ := n.Pairs(); len(pairs) == 0 {
		n.Problem("such as tls: {expires_after: 14d, warn_after: 30d}", "tls expects nothing")
	}
	if e.fail > 0 && e.warn > 0 && e.warn <= e.fail {
		n.Problem("", "warn_after: %s is not more than expires_after: %s", source.FormatDuration(e.warn), source.FormatDuration(e.fail))
	}
	s.add(e)
}

func (e *tlsExpectation) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.TLS == nil {
		f.add(Mismatch{Code: "tls", Severity: Fail, Want: "a TLS connection", Got: "none"})
		return
	}
	e.expiry(o, f)
	issuer := []byte(o.TLS.Issuer)
	for _, r := range e.issuer.rules {
		if !r.holds(issuer) {
			f.add(Mismatch{Code: "tls.issuer", Severity: e.issuer.severity, Want: r.want, Got: r.got(issuer)})
		}
	}
	if len(e.versions) > 0 && !slices.Contains(e.versions, o.TLS.Version) {
		f.add(Mismatch{Code: "tls.version", Severity: Fail, Want: strings.Join(e.versions, " or "), Got: o.TLS.Version})
	}
}

// expiry reports a certificate that ends too soon, once.
func (e *tlsExpectation) expiry(o *Observation, f *findings) {
	left := o.TLS.NotAfter.Sub(o.Now)
	for _, limit := range []struct {
		key      string
		least    time.Duration
		severity Severity
	}{{"expires_after", e.fail, Fail}, {"warn_after", e.warn, Warn}} {
		if limit.least > 0 && left < limit.least {
			f.add(Mismatch{Code: "tls." + limit.key, Severity: limit.severity, Want: "a certificate that is good for " + source.FormatDuration(limit.least) + " more",
				Got: "one that ends on " + o.TLS.NotAfter.UTC().Format(time.RFC3339) + ", in " + ageText(max(left, 0))})
			return
		}
	}
}
