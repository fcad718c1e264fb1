package checks

import (
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// Declaration is one or several files, read and checked as a whole.
type Declaration struct {
	Files    []string
	Named    []string  // the files and folders that it was read from, as they were named
	Reads    []string  // every other file that they name and that was read, sorted
	Origins  []*Origin // in the order of the files
	Probes   []*Probe  // in the order of the files
	Settings []Raw     // the settings: block
	Formats  []Raw     // the formats: block, checked by package report
	Profiles []Raw     // the profiles: block, checked by package report
	Secrets  []Secret  // in the order of the files
	// KnownFailures are in the order of the files; the first that fits a result
	// is its own.
	KnownFailures []KnownFailure
	// Connectivity are the control targets; nil where none is declared.
	Connectivity *Connectivity
}

// Raw is a part of a declaration that another room gives a meaning to. A
// scalar has a Value, a mapping has Children.
type Raw struct {
	Key      string
	Value    string
	Children []Raw
	Node     source.Node // of the value, to report a problem at its place
	KeyNode  source.Node
}

// Origin is a declared live source.
type Origin struct {
	Name      string
	Pos       source.Position
	URL       source.Text // base; a path in it is kept
	UserAgent source.Text // "" means the default of the program
	Headers   []Header
	Auth      *Auth
	Policy    fetch.Policy
	Ambiguous Retrip
	Confirm   Retrip
	Mirrors   []source.Text // bases of the same source, asked when URL fails
	MCP       *MCPServer    // nil: the origin answers plain HTTP
	Sentinel  *Sentinel     // nil where none is declared
	Answers   []fetch.Rule  // what answers mean; the first that matches decides
	RateLimit *fetch.RateLimit
	Breaker   *fetch.BreakerPolicy // nil: turned off
	Out       Out
	Charset   string // of bodies; "" where the answer itself has to say
	// TraceHeaders are request headers that carry trace codes: traceparent in
	// its own form, any other with the result's code.
	TraceHeaders []string
	// MaxUnmeasured is what defaults say for probes; 0 means not set.
	MaxUnmeasured time.Duration

	file *declared // while it is read: where relative files stand
}

// Header is one declared request header.
type Header struct {
	Name  string
	Value source.Text
}

// Auth is how requests identify themselves. Its values come from the
// environment only, and are redacted in every output.
type Auth struct {
	Scheme string      // "bearer", "basic" or "header"
	Name   string      // header: its name
	User   source.Text // basic
	Value  source.Text // the token, the password or the header's value
}

// Retrip says how often a finding is tried again by a whole trip: Trips in
// all (1 turns it off), Wait between them.
type Retrip struct {
	Trips int
	Wait  time.Duration
}

// Empty is what a legitimately absent or empty answer leads to.
type Empty string

// What "empty:" may say.
const (
	EmptyOK   Empty = "ok"
	EmptyWarn Empty = "warn"
	EmptyFail Empty = "fail"
)

// Probe is one declared contract.
type Probe struct {
	Name          string
	Title         string
	Pos           source.Position
	Origin        *Origin
	Tags          []string
	Request       Request
	MCP           *MCPCall     // nil: the probe asks by plain HTTP
	Policy        fetch.Policy // the origin's, with this probe's own timeout, retries, backoff and retry_on
	JSON          bool         // the answer must be one JSON value
	As            expect.Mode  // as: as it is declared; "" where it is not
	CSV           expect.CSVOptions
	Share         bool
	Empty         Empty
	MaxUnmeasured time.Duration // 0 means not set
	MaxEmpty      time.Duration // 0 means not set
	Expect        *expect.Spec  // never nil
	EmptyWhen     expect.EmptyWhen
	Captures      []*expect.Capture // values for other probes, in declared order
	Needs         []*Probe          // those whose captures the request uses, in the order of their use
	Next          *Next             // nil: the answer is one page
	Matrix        string            // the declared name, where each: made several probes of it; else ""
}

// Request is a probe's declared request, before references are expanded.
type Request struct {
	Method     string
	Path       source.Text // with its query, as declared
	Query      []Param
	Headers    []Header
	Body       []byte          // from file:; nil elsewhere
	File       string          // the path of that file; "" elsewhere
	FileAt     source.Position // of the key
	Text       source.Text     // from body: or json:, references still inside
	Form       []Param
	Type       string // the Content-Type that the body's form implies; "" for none
	Idempotent bool
}

// Param is one declared query or form parameter.
type Param struct {
	Name  string
	Value source.Text
}
