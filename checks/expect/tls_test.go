package expect

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/source"
)

func parseNode(t *testing.T, yaml string) (source.Node, *source.Collector) {
	t.Helper()
	var c source.Collector
	n, ok := source.Parse("f.yaml", []byte(yaml), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	return n, &c
}

func TestTLS(t *testing.T) {
	now := time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC)
	ends := func(d time.Duration) *TLS {
		return &TLS{Version: "1.3", Issuer: "CN=R11,O=Let's Encrypt,C=US", NotAfter: now.Add(d)}
	}
	const day = 24 * time.Hour
	for _, tc := range []struct {
		yaml string
		tls  *TLS
		want []string
	}{
		{"tls: {expires_after: 14d, warn_after: 30d}", ends(30 * day), nil},
		{"tls: {expires_after: 14d, warn_after: 30d}", ends(30*day - time.Second),
			[]string{"warn tls.warn_after at null: want a certificate that is good for 30d more, got one that ends on 2026-09-30T11:59:59Z, in 29d23h"}},
		{"tls: {expires_after: 14d, warn_after: 30d}", ends(10 * day),
			[]string{"tls.expires_after at null: want a certificate that is good for 14d more, got one that ends on 2026-09-10T12:00:00Z, in 10d"}},
		{"tls: {expires_after: 14d}", ends(-day),
			[]string{"tls.expires_after at null: want a certificate that is good for 14d more, got one that ends on 2026-08-30T12:00:00Z, in 0s"}},
		{"tls: {warn_after: 30d}", ends(day),
			[]string{"warn tls.warn_after at null: want a certificate that is good for 30d more, got one that ends on 2026-09-01T12:00:00Z, in 1d"}},
		{"tls: {issuer: Let's Encrypt, version: 1.3}", ends(day), nil},
		{"tls: {issuer: ICP-Brasil, version: [1.1, 1.2]}", ends(day), []string{
			`tls.issuer at null: want a text with "ICP-Brasil" in it, got "CN=R11,O=Let's Encrypt,C=US"`, "tls.version at null: want 1.1 or 1.2, got 1.3"}},
		{"tls: {issuer: {matches: 'O=(Sectigo|DigiCert)', severity: warn}}", ends(day),
			[]string{`warn tls.issuer at null: want a match of O=(Sectigo|DigiCert), got "CN=R11,O=Let's Encrypt,C=US"`}},
		{"tls: {version: 1.3}", nil, []string{"tls at null: want a TLS connection, got none"}},
	} {
		if tc.want == nil {
			tc.want = []string{}
		}
		if diff := cmp.Diff(tc.want, judge(t, mustDecode(t, tc.yaml), &Observation{TLS: tc.tls, Now: now})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}

func TestTLSProblems(t *testing.T) {
	for _, tc := range []struct{ yaml, want string }{
		{"tls: {}", "1:6 tls expects nothing | such as tls: {expires_after: 14d, warn_after: 30d}"},
		{"tls: {expires_after: 30d, warn_after: 14d}", "1:6 warn_after: 14d is not more than expires_after: 30d | "},
		{"tls: {version: TLS1.3}", `1:16 expected one of 1.0, 1.1, 1.2, 1.3, got "TLS1.3" | did you mean "1.3"?`},
		{"tls: {issuer: {equal: x}}", `1:16 unknown key "equal" in the issuer's expectation | did you mean "equals"?`},
		{"tls: {expires: 30d}", `1:7 unknown key "expires" in tls | known here: expires_after, warn_after, issuer, version`},
	} {
		if diff := cmp.Diff([]string{tc.want}, problemsOf(t, tc.yaml, nil)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}
