package checks

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/secret"
)

func TestHideProxyFindsTheCredentials(t *testing.T) {
	cases := []struct{ name, address, hidden, shown string }{
		{"a URL", "http://user:s3cret-pass@proxy.example:3128", "s3cret-pass", "proxy.example"},
		{"a URL with an at sign in its path", "http://user:s3cret-pass@proxy.example:3128/@", "s3cret-pass", "proxy.example"},
		{"a URL with an at sign in its query", "http://user:s3cret-pass@proxy.example/?a=b@c", "s3cret-pass", "proxy.example"},
		{"no scheme", "user:s3cret-pass@proxy.example:3128", "s3cret-pass", "proxy.example"},
		{"no URL", "http://user:s3cret/pass@proxy.example", "s3cret/pass", "proxy.example"},
		{"escaped", "http://user:s3cret%2Fpass@proxy.example", "s3cret/pass", "proxy.example"},
		{"a token", "http://s3cret-token@proxy.example", "s3cret-token", "proxy.example"},
		{"none", "http://proxy.example/s3cret", "", "s3cret"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := secret.New(nil)
			hideProxy(r, "HTTP_PROXY", c.address)
			text := c.hidden + " " + base64.StdEncoding.EncodeToString([]byte("user:"+c.hidden)) + " " + c.shown
			got := r.String(text)
			if c.hidden != "" && (strings.Contains(got, c.hidden) || strings.Count(got, "[redacted:HTTP_PROXY]") != 2) {
				t.Errorf("%q is shown as %q", text, got)
			}
			if !strings.Contains(got, c.shown) {
				t.Errorf("%q is hidden, in %q", c.shown, got)
			}
		})
	}
}
