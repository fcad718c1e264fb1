package fetch

import (
	"bytes"
	"net/http"
	"regexp"
)

// Means is what an origin's declaration says that an answer means.
type Means string

// The meanings: the four verdicts, and the three that end a trip as an answer.
const (
	MeansIndisponivel Means = "indisponivel"
	MeansRespondeu    Means = "respondeu"
	MeansAmbiguo      Means = "ambiguo"
	MeansAlheio       Means = "alheio"
	MeansOK           Means = "ok"
	MeansDrift        Means = "drift"  // measured, and broken
	MeansAbsent       Means = "absent" // legitimately no data
)

// MeansList lists every meaning, in the order of the documentation.
func MeansList() []Means {
	return []Means{MeansIndisponivel, MeansRespondeu, MeansAmbiguo, MeansAlheio, MeansOK, MeansDrift, MeansAbsent}
}

// IsAnswer reports whether an answer of this meaning ends the trip as one.
func (m Means) IsAnswer() bool { return m == MeansOK || m == MeansDrift || m == MeansAbsent }

// Rule says what an answer of an origin means. It matches when everything that
// it names does; a rule that names nothing matches every answer.
type Rule struct {
	Name         string                 // "origins.sgs.answers[0]"; names the rule in results
	Status       func(status int) bool  // nil: not asked
	Path         string                 // of the URL asked, as a glob (MatchPath); "": not asked
	Header       []HeaderMatch          // all of them
	JSON         func(body []byte) bool // whether a path selects something; nil: not asked
	BodyContains string                 // "": not asked
	BodyMatches  *regexp.Regexp         // nil: not asked
	BodyIs       string                 // BodyIsHTML, BodyIsXML, BodyIsJSON, BodyIsEmpty; "": not asked
	RPCCode      *int64                 // of a JSON-RPC error; nil: not asked
	IsError      *bool                  // whether an MCP tool says that it failed; nil: not asked
	Means        Means
	Retry        *bool // nil: true for indisponivel and ambiguo, else false
}

// What Rule.BodyIs can ask for.
const (
	BodyIsHTML  = "html"
	BodyIsXML   = "xml"
	BodyIsJSON  = "json" // exactly one JSON value (RFC 8259)
	BodyIsEmpty = "empty"
)

// HeaderMatch is what a rule asks of one header field. One that asks for
// nothing but a name wants the field to be there.
type HeaderMatch struct {
	Name    string
	Equals  *string        // one of the field's values, but for surrounding blanks
	Matches *regexp.Regexp // one of the field's values
	Exists  *bool          // false: the field must not be there
}

// Seen is an answer as rules see it.
type Seen struct {
	Status int
	Path   string // of the URL asked, decoded
	Header http.Header
	Body   []byte // decoded
	NoBody bool   // the body was not read: what asks about it does not match
	Cut    bool   // only the beginning of the body came: that it is empty, or all of it JSON, is not known
	RPC    *RPC   // nil: no JSON-RPC reply came, and what asks about one does not match
}

// Retries reports whether an answer that the rule decided may be repeated.
func (r *Rule) Retries() bool {
	if r.Retry != nil {
		return *r.Retry
	}
	return r.Means == MeansIndisponivel || r.Means == MeansAmbiguo
}

// Match reports whether the rule matches an answer. It is pure.
func (r *Rule) Match(s Seen) bool {
	if r.Status != nil && !r.Status(s.Status) {
		return false
	}
	if r.Path != "" && !MatchPath(r.Path, s.Path) {
		return false
	}
	for i := range r.Header {
		if !r.Header[i].match(s.Header) {
			return false
		}
	}
	if !r.matchRPC(s.RPC) {
		return false
	}
	if s.Cut && (r.BodyIs == BodyIsEmpty || r.BodyIs == BodyIsJSON) {
		return false
	}
	return !r.asksBody() || !s.NoBody && r.matchBody(s.Body)
}

// asksBody reports whether the rule cannot be decided by the header alone.
func (r *Rule) asksBody() bool {
	return r.BodyIs != "" || r.BodyContains != "" || r.BodyMatches != nil || r.JSON != nil
}

func (r *Rule) matchRPC(rpc *RPC) bool {
	if r.RPCCode == nil && r.IsError == nil {
		return true
	}
	return rpc != nil && (r.RPCCode == nil || rpc.Code != nil && *rpc.Code == *r.RPCCode) &&
		(r.IsError == nil || rpc.Code == nil && rpc.IsError == *r.IsError)
}

func (r *Rule) matchBody(body []byte) bool {
	return (r.BodyIs == "" || bodyIs(r.BodyIs, body)) &&
		(r.BodyContains == "" || bytes.Contains(body, []byte(r.BodyContains))) &&
		(r.BodyMatches == nil || r.BodyMatches.Match(body)) &&
		(r.JSON == nil || r.JSON(body))
}

func (m *HeaderMatch) match(h http.Header) bool {
	values := h.Values(m.Name)
	if m.Exists != nil && !*m.Exists {
		return len(values) == 0
	}
	for _, v := range values {
		v = trimOWS(v)
		if (m.Equals == nil || v == trimOWS(*m.Equals)) && (m.Matches == nil || m.Matches.MatchString(v)) {
			return true
		}
	}
	return false
}

func bodyIs(what string, body []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, utf8BOM))
	switch what {
	case BodyIsEmpty:
		return len(text) == 0
	case BodyIsJSON:
		return ValidJSON(text)
	case BodyIsHTML:
		return len(text) > 0 && text[0] == '<' && isPage(text[:min(len(text), maxEvidence)])
	case BodyIsXML:
		return len(text) > 0 && text[0] == '<' && !isPage(text[:min(len(text), maxEvidence)])
	}
	return false
}

// isPage tells HTML, XHTML included, from other markup.
func isPage(head []byte) bool {
	switch markup(http.StatusOK, "", head) {
	case LooksXML, LooksXMLFault:
		return false
	}
	return true
}

// FirstMatch gives the first rule that matches, nil when none does.
func FirstMatch(rules []Rule, s Seen) *Rule {
	for i := range rules {
		if rules[i].Match(s) {
			return &rules[i]
		}
	}
	return nil
}
