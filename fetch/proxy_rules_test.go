package fetch

import (
	"net/http"
	"testing"
)

// TestAProxysRefusalIsNoAnswer: the origin's rules, and the status that its
// contract expects, are about an origin that has been asked.
func TestAProxysRefusalIsNoAnswer(t *testing.T) {
	locked := (&testProxy{password: "u:p"}).start(t)
	squid := (&testProxy{refuse: 403, header: http.Header{"X-Squid-Error": {"ERR_ACCESS_DENIED 0"}}}).start(t)
	expects := func(s int) bool { return s/100 == 4 }
	for _, mode := range []Mode{ModeText, ModeJSON, ModeResponse} {
		for _, tt := range []struct {
			name, proxy string
			means       Means // of a rule about every answer; "" for none
			expect      func(int) bool
		}{
			{"a rule that makes it an answer", locked, MeansOK, nil},
			{"a rule that says that the origin refuses", squid, MeansRespondeu, nil},
			{"a rule that says that the origin is down", squid, MeansIndisponivel, nil},
			{"an expected status", locked, "", expects},
			{"an expected status, and a rule", squid, MeansDrift, expects},
		} {
			t.Run(tt.name, func(t *testing.T) {
				cfg := Config{Policy: once(), Way: Way{Proxy: tt.proxy}, Resolver: nameserver(t, 3)}
				if tt.means != "" {
					cfg.Rules = []Rule{{Name: "r", Means: tt.means}}
				}
				_, err := newClient(t, cfg).Do(t.Context(), &Request{URL: "http://origin.test/", Mode: mode, Expect: tt.expect})
				e := failed(t, err)
				if e.Response != nil {
					e.Response.Body.Close()
				}
				if e.Kind != HTTP4xx || e.Cause != CauseProxy || e.Rule != nil {
					t.Errorf("got %s cause %q by rule %v", e.Kind, e.Cause, e.Rule)
				}
			})
		}
	}
}
