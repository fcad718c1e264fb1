package fetch

import (
	"net/http"
	"testing"
)

func TestStandIn(t *testing.T) {
	const login, form = "https://a.test/login", `<html><form><input type="password"></form></html>`
	for _, tt := range []struct {
		name string
		a    Answer
		want LooksLike
	}{
		{"text", Answer{Body: []byte("a;b")}, ""},
		{"nothing", Answer{}, LooksEmpty},
		{"white space", Answer{Body: []byte(" \r\n")}, LooksEmpty},
		{"an error page", Answer{Body: []byte(sgsPage)}, LooksHTMLErrorPage},
		{"a page", Answer{Body: []byte("<html><title>List</title>")}, ""},
		{"a guard's page", Answer{Body: []byte(f5Page)}, LooksWAFChallenge},
		{"a guard's header", Answer{Header: http.Header{"X-Amzn-Waf-Action": {"captcha"}}}, LooksWAFChallenge},
		{"a guard's script in a page", Answer{Body: []byte(`<html><title>List</title><script src="/_Incapsula_Resource?x">`)}, ""},
		{"a login after a redirect", Answer{URL: "https://a.test/x", FinalURL: login, Body: []byte(form)}, LooksLoginPage},
		{"a login that was asked for", Answer{URL: login, FinalURL: login, Body: []byte(form)}, ""},
		{"a login in the place of a page", Answer{URL: "https://a.test/x", FinalURL: "https://a.test/x", Body: []byte("<html><title>Sign in</title>" + form)}, LooksLoginPage},
		{"a form in a page", Answer{URL: "https://a.test/x", FinalURL: "https://a.test/x", Body: []byte("<html><title>Blogs</title>" + form)}, ""},
		{"a fault", Answer{Body: []byte("<errors><e/></errors>")}, LooksXMLFault},
		{"a form at a mirror", Answer{URL: "https://a.test/x", Mirror: "https://b.test/x", FinalURL: "https://b.test/x", Body: []byte(form)}, ""},
		{"xml", Answer{Body: []byte("<rows/>")}, ""},
	} {
		tt.a.Status = 200
		if got := StandIn(&tt.a); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
