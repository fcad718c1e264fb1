package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestRequestOnTheWire fixes what is sent when nothing is declared, and what a
// declaration replaces.
func TestRequestOnTheWire(t *testing.T) {
	var got *http.Request
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, body = r, string(b)
	}))
	defer s.Close()
	c := newClient(t, Config{Policy: once(), UserAgent: "app/1 (+mail)", Header: http.Header{"x-key": {"k"}, "accept": {"text/csv"}}})
	if _, err := c.Do(t.Context(), &Request{URL: s.URL + "/a?b=c#d"}); err != nil {
		t.Fatal(err)
	}
	if got.Method != "GET" || got.RequestURI != "/a?b=c" || got.UserAgent() != "app/1 (+mail)" || got.Header.Get("X-Key") != "k" ||
		got.Header.Get("Accept") != "text/csv" || got.Header.Get("Accept-Encoding") != offered || body != "" {
		t.Errorf("%s %s %v", got.Method, got.RequestURI, got.Header)
	}
	h := http.Header{"X-Key": {"own"}, "Host": {"other.test"}, "Accept-Encoding": {"identity"}, "accept": {}}
	if _, err := c.Do(t.Context(), &Request{Method: "POST", URL: s.URL, Header: h, Body: []byte("hello")}); err != nil {
		t.Fatal(err)
	}
	if got.Host != "other.test" || got.Header.Get("X-Key") != "own" || got.Header.Get("Accept-Encoding") != "identity" ||
		got.Header.Get("Accept") != "" || body != "hello" || got.ContentLength != 5 {
		t.Errorf("%s %v %q", got.Host, got.Header, body)
	}
}

func TestInvalidRequests(t *testing.T) {
	f := script(say(200, ""))
	c := NewClient(Config{Transport: f})
	for name, r := range map[string]Request{
		"no scheme":           {URL: "//origin.test/"},
		"no url":              {URL: ""},
		"relative":            {URL: "/a"},
		"other scheme":        {URL: "file:///etc/passwd"},
		"no host":             {URL: "http:///a"},
		"port without host":   {URL: "http://:80/"},
		"user":                {URL: "http://u:p@origin.test/"},
		"empty user":          {URL: "http://@origin.test/"},
		"space":               {URL: "http://origin.test/a b"},
		"line break":          {URL: "http://origin.test/a\r\nX: y"},
		"port 0":              {URL: "http://origin.test:0/"},
		"port too high":       {URL: "http://origin.test:65536/"},
		"empty port":          {URL: "http://origin.test:/"},
		"backslash":           {URL: `http://origin.test\@evil.test/`},
		"broken escape":       {URL: "http://origin.test/%zz"},
		"method with a line":  {URL: origin, Method: "GET / HTTP/1.1\r\nX:"},
		"method with a space": {URL: origin, Method: "GE T"},
		"connect":             {URL: origin, Method: "CONNECT"},
		"header value":        {URL: origin, Header: http.Header{"X": {"a\r\nY: b"}}},
		"header value nul":    {URL: origin, Header: http.Header{"X": {"a\x00"}}},
		"header name":         {URL: origin, Header: http.Header{"X Y": {"a"}}},
		"header without name": {URL: origin, Header: http.Header{"": {"a"}}},
	} {
		_, err := c.Do(context.Background(), &r)
		var e *Error
		if !errors.Is(err, ErrInvalidRequest) || errors.As(err, &e) {
			t.Errorf("%s: got %v (%T)", name, err, err)
		}
	}
	bad := NewClient(Config{Transport: f, Header: http.Header{"X": {"secret\n"}}})
	if _, err := bad.Do(context.Background(), &Request{URL: origin}); !errors.Is(err, ErrInvalidRequest) {
		t.Errorf("got %v", err)
	}
	if f.count() != 0 {
		t.Errorf("%d requests left", f.count())
	}
}
