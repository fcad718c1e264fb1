package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// parseURL checks the URL of a request before anything is dialled. Userinfo is
// refused rather than sent or printed: credentials are declared as headers.
func parseURL(raw string) (*url.URL, error) {
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c == 0x7f {
			return nil, fmt.Errorf("%w: the URL has a space or a control character at byte %d", ErrInvalidRequest, i)
		}
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil: // the parser's error repeats the URL, which may hold a secret
		return nil, fmt.Errorf("%w: the URL cannot be parsed", ErrInvalidRequest)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: the URL's scheme is not http or https", ErrInvalidRequest)
	case u.User != nil:
		return nil, fmt.Errorf("%w: the URL carries a user name or password", ErrInvalidRequest)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%w: the URL has no host", ErrInvalidRequest)
	case !validPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return nil, fmt.Errorf("%w: the URL's port is not between 1 and 65535", ErrInvalidRequest)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// CheckURL says what keeps an address from being asked, nil for nothing; its
// errors wrap ErrInvalidRequest and do not repeat the address.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

// parse checks the request's URL. Over a pipe it is a name for people.
func (r *Request) parse() (*url.URL, error) {
	if r.Exchange != nil && r.Exchange.Piped() {
		return &url.URL{Scheme: "stdio", Opaque: r.URL}, nil
	}
	return parseURL(r.URL)
}

func validPort(p string) bool {
	if p == "" {
		return true
	}
	n, err := strconv.ParseUint(p, 10, 16)
	return err == nil && n > 0
}

// checkMethod accepts a token (RFC 9110 §9.1) other than CONNECT, which asks
// for a tunnel and not for an answer.
func checkMethod(m string) error {
	if m != "" && !isToken(m) || m == http.MethodConnect {
		return fmt.Errorf("%w: the method %q cannot be sent", ErrInvalidRequest, m)
	}
	return nil
}

// checkHeader refuses names that are no tokens and values with control
// characters (RFC 9110 §5.1, §5.5). The value is not repeated: it may be a
// secret.
func checkHeader(h http.Header) error {
	for name, values := range h {
		if !isToken(name) {
			return fmt.Errorf("%w: %q is no header name", ErrInvalidRequest, name)
		}
		for _, v := range values {
			for i := range len(v) {
				if c := v[i]; c < ' ' && c != '\t' || c == 0x7f {
					return fmt.Errorf("%w: the value of header %s has a control character at byte %d", ErrInvalidRequest, name, i)
				}
			}
		}
	}
	return nil
}

// isToken is RFC 9110 §5.6.2.
func isToken(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		alnum := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !alnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return true
}

// headerFor gives the headers of a request and its declared Host.
func (c *Client) headerFor(req *Request) (http.Header, string, error) {
	if c.headerErr != nil {
		return nil, "", c.headerErr
	}
	base := c.closed
	if req.Mode == ModeResponse {
		base = c.open
	}
	if len(req.Header) == 0 {
		return base, c.host, nil
	}
	if err := checkHeader(req.Header); err != nil {
		return nil, "", err
	}
	h, host := base.Clone(), c.host
	overlay(h, req.Header)
	delete(h, "Proxy-Authorization")
	if v, ok := h["Host"]; ok {
		delete(h, "Host")
		host = v[0]
	}
	return h, host, nil
}

// outgoing makes the headers that a client sends: the declared ones over our
// own. Accept is what curl sends, so that a reproduction is one; content
// codings are offered where this package undoes them. A Proxy-Authorization is
// no origin's business and never becomes a header of a request: the credentials
// of a proxy stand in its URL.
func outgoing(agent string, declared http.Header, packed bool) (h http.Header, host string, err error) {
	h = http.Header{"User-Agent": {agent}, "Accept": {"*/*"}}
	if packed {
		h["Accept-Encoding"] = []string{offered}
	}
	if err := checkHeader(h); err != nil {
		return nil, "", err
	}
	if err := checkHeader(declared); err != nil {
		return nil, "", err
	}
	overlay(h, declared)
	delete(h, "Proxy-Authorization")
	if v, ok := h["Host"]; ok {
		delete(h, "Host")
		host = v[0]
	}
	return h, host, nil
}

// overlay writes more over h, name by name. A name without values is removed.
func overlay(h, more http.Header) {
	fresh := make(http.Header, len(more))
	for name, values := range more {
		key := http.CanonicalHeaderKey(name)
		fresh[key] = append(fresh[key], values...)
	}
	for key, values := range fresh {
		if len(values) == 0 {
			delete(h, key)
			continue
		}
		h[key] = values
	}
}
