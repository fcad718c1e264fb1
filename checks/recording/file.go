package recording

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/fetch"
)

// version is the form of the files that this package writes and reads.
const version = 1

// file is one probe's recording.
type file struct {
	Version   int        `json:"fonteviva_recording"`
	Probe     string     `json:"probe"`
	Exchanges []exchange `json:"exchanges"`
}

// exchange is one request and what it got: a response, or the kind of failure
// that it went unanswered by.
type exchange struct {
	RecordedAt time.Time  `json:"recorded_at"`
	Request    request    `json:"request"`
	Unanswered fetch.Kind `json:"unanswered,omitzero"`
	Response   *response  `json:"response,omitzero"`
	TTFBMS     float64    `json:"ttfb_ms,omitzero"`
	BodyMS     float64    `json:"body_ms,omitzero"`
}

type request struct {
	Method  string  `json:"method"`
	URL     string  `json:"url"`
	Headers headers `json:",embed"`
	Sum     string  `json:"body_sha256,omitzero"`
}

type response struct {
	Status  int     `json:"status"`
	Headers headers `json:",embed"`
	// Coding is the Content-Encoding that was undone.
	Coding []string `json:"content_encoding,omitzero"`
	TLS    *tlsInfo `json:"tls,omitzero"`
	Bytes  int64    `json:"bytes"`
	// Partial marks a body that went on, or was left out.
	Partial bool    `json:"partial,omitzero"`
	Text    *string `json:"body,omitzero"`
	Base64  []byte  `json:"body_base64,omitzero"`
}

// headers are values by name. Those that are no text a person could read are
// in Base64.
type headers struct {
	Text   map[string][]string `json:"headers,omitzero"`
	Base64 map[string][][]byte `json:"headers_base64,omitzero"`
}

type tlsInfo struct {
	Version   uint16    `json:"version"`
	Cipher    uint16    `json:"cipher"`
	Protocol  string    `json:"protocol,omitzero"`
	Subject   string    `json:"subject"`
	Issuer    string    `json:"issuer"`
	NotBefore time.Time `json:"not_before"`
	NotAfter  time.Time `json:"not_after"`
}

// Encode writes what a probe asked and got as an indented JSON text.
func Encode(probe string, list []fetch.Recorded) ([]byte, error) {
	f := file{Version: version, Probe: probe, Exchanges: make([]exchange, 0, len(list))}
	for i := range list {
		f.Exchanges = append(f.Exchanges, exchangeOf(&list[i]))
	}
	data, err := json.Marshal(f, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	return append(data, '\n'), err
}

// Decode reads a file that Encode has written, perhaps edited since. Its error
// says what is wrong, and repeats nothing of it.
func Decode(data []byte) (probe string, list []fetch.Recorded, err error) {
	var head struct {
		Version int `json:"fonteviva_recording"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Version == 0 {
		return "", nil, errors.New("it is no recording of fonteviva")
	}
	if head.Version != version {
		return "", nil, fmt.Errorf("it is a recording of version %d, and this program reads version %d", head.Version, version)
	}
	var f file
	if err := json.Unmarshal(data, &f, json.RejectUnknownMembers(true)); err != nil {
		return "", nil, fmt.Errorf("it is not what record has written: %w", placed(err))
	}
	for i := range f.Exchanges {
		r, err := f.Exchanges[i].recorded()
		if err != nil {
			return "", nil, fmt.Errorf("exchange %d: %w", i+1, err)
		}
		list = append(list, r)
	}
	return f.Probe, list, nil
}

// placed says where a file is wrong; the words of the JSON library repeat what
// stands there.
func placed(err error) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return fmt.Errorf("the value at %q is not what belongs there", semantic.JSONPointer)
	case errors.As(err, &syntactic):
		return fmt.Errorf("it is not valid JSON at byte %d", syntactic.ByteOffset)
	}
	return errors.New("it is not valid JSON")
}

func exchangeOf(r *fetch.Recorded) exchange {
	x := exchange{
		RecordedAt: r.At.UTC().Truncate(time.Millisecond), Unanswered: r.Unanswered,
		Request: request{Method: r.Method, URL: r.URL, Headers: headersOf(r.Header), Sum: r.Sum},
	}
	if r.Unanswered != "" {
		return x
	}
	x.TTFBMS, x.BodyMS = milliseconds(r.TTFB), milliseconds(r.Reading)
	x.Response = &response{Status: r.Status, Headers: headersOf(r.Answered), Coding: r.Coding, Bytes: r.Bytes, Partial: r.Partial}
	switch {
	case readable(r.Body):
		text := string(r.Body)
		x.Response.Text = &text
	default:
		x.Response.Base64 = r.Body
	}
	if t := r.TLS; t != nil {
		x.Response.TLS = &tlsInfo{t.Version, t.Cipher, t.Protocol, t.Subject, t.Issuer, t.NotBefore, t.NotAfter}
	}
	return x
}

// recorded checks one exchange and gives what was recorded.
func (x *exchange) recorded() (fetch.Recorded, error) {
	r := fetch.Recorded{
		At: x.RecordedAt.UTC(), Method: x.Request.Method, URL: x.Request.URL, Header: x.Request.Headers.all(), Sum: x.Request.Sum,
		Unanswered: x.Unanswered,
	}
	switch u, err := url.Parse(r.URL); {
	case r.Method == "":
		return r, errors.New("its request has no method")
	case err != nil || u.Scheme == "" || u.Host == "":
		return r, errors.New("its request has no absolute URL")
	case x.RecordedAt.IsZero():
		return r, errors.New("recorded_at is missing")
	case x.Response == nil && slices.Contains(fetch.Kinds(), x.Unanswered):
		return r, nil
	case x.Response == nil || x.Unanswered != "":
		return r, errors.New("it has neither a response nor the kind it went unanswered by, or both")
	}
	p := x.Response
	switch {
	case p.Status < 200 || p.Status > 999:
		return r, errors.New("its status is not between 200 and 999")
	case p.Bytes < 0 || !passes(x.TTFBMS) || !passes(x.BodyMS):
		return r, errors.New("bytes, ttfb_ms or body_ms is out of range")
	case p.Text != nil && p.Base64 != nil:
		return r, errors.New("its body is there twice")
	}
	r.Status, r.Answered, r.Coding, r.Bytes, r.Partial, r.Body = p.Status, p.Headers.all(), p.Coding, p.Bytes, p.Partial, p.Base64
	if p.Text != nil {
		r.Body = []byte(*p.Text)
	}
	r.TTFB, r.Reading = duration(x.TTFBMS), duration(x.BodyMS)
	if t := p.TLS; t != nil {
		r.TLS = &fetch.TLSInfo{
			Version: t.Version, Cipher: t.Cipher, Protocol: t.Protocol, Subject: t.Subject, Issuer: t.Issuer,
			NotBefore: t.NotBefore.UTC(), NotAfter: t.NotAfter.UTC(),
		}
	}
	return r, nil
}

func headersOf(h http.Header) headers {
	var out headers
	for name, values := range h {
		if !slices.ContainsFunc(values, func(v string) bool { return !readable([]byte(v)) }) {
			if out.Text == nil {
				out.Text = map[string][]string{}
			}
			out.Text[name] = values
			continue
		}
		if out.Base64 == nil {
			out.Base64 = map[string][][]byte{}
		}
		for _, v := range values {
			out.Base64[name] = append(out.Base64[name], []byte(v))
		}
	}
	return out
}

func (h headers) all() http.Header {
	out := http.Header{}
	for name, values := range h.Text {
		key := http.CanonicalHeaderKey(name)
		out[key] = append(out[key], values...)
	}
	for name, values := range h.Base64 {
		key := http.CanonicalHeaderKey(name)
		for _, v := range values {
			out[key] = append(out[key], string(v))
		}
	}
	return out
}

// readable reports text that looks like what it is: valid UTF-8 without
// control characters, and without those that no one sees or that turn the
// direction of writing.
func readable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool {
		return !unicode.IsGraphic(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// longest bounds a recorded duration.
const longest = 24 * time.Hour

func passes(ms float64) bool { return ms >= 0 && ms <= longest.Seconds()*1000 }

func milliseconds(d time.Duration) float64 {
	return math.Round(min(d, longest).Seconds()*1e6) / 1e3
}

func duration(ms float64) time.Duration { return time.Duration(math.Round(ms * 1e6)) }
