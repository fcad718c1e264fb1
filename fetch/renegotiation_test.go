package fetch

import (
	"crypto/x509"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/fixtures"
)

// TestG4Renegotiation: a server that wants to renegotiate, as old ones with
// client certificates do, meets our own policy: it is not its certificate, and
// no repetition helps.
func TestG4Renegotiation(t *testing.T) {
	o, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(o.CAPEM())
	_, err = newClient(t, Config{Policy: exact(), Way: Way{Roots: roots}}).Do(t.Context(), &Request{URL: o.Endpoint(fixtures.TLSRenegotiation)})
	e := failed(t, err)
	if e.Kind != Network || e.Detail != TLSPolicy || e.Retryable || e.Outcome != OutcomeFatal || e.Attempts() != 1 {
		t.Errorf("got %s/%s %s after %d attempts: %v", e.Kind, e.Detail, e.Outcome, e.Attempts(), e.Err)
	}
	if !strings.Contains(e.Err.Error(), "renegotiation") {
		t.Errorf("not what was to be met: %v", e.Err)
	}
}
