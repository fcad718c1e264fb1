package checks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fetch/mcp"
)

// Options are what a run needs beside its declaration. The zero value runs on
// real time, over the network, one probe at a time and without a budget.
type Options struct {
	Parallel int           // probes at a time over all origins; below 1 means 1
	Budget   time.Duration // of the whole run; 0 means none
	Env      func(name string) (string, bool)
	// UserAgent is sent where a declaration names none; "" means fetch's own.
	UserAgent string
	Version   string      // of this program, told to MCP servers
	Observe   func(Event) // told what happens, from several goroutines; may be nil

	// Tape records what each probe asks and gets, under its name. Replay answers
	// from recordings in place of everything live: nothing is dialled, and every
	// probe lives on the time of its recording. Nil: neither.
	Tape   *fetch.Tape
	Replay *fetch.Replay

	// clients are those of an earlier round of the same run: what their breakers
	// and limiters know goes on, as does what its redactor has learnt.
	clients  map[*Origin]*fetch.Client
	redactor *secret.Redactor

	// The rest is for tests.
	Clock     fetch.Clock
	Rand      func() float64
	TraceSeed []byte                                 // 16 bytes or more; nil draws one
	Transport func(origin *Origin) http.RoundTripper // nil, or a nil transport: the network
	// Reach asks a control target of connectivity:; nil: fetch.Reachable, and
	// nothing where Transport stands for the network.
	Reach func(ctx context.Context, target string, way fetch.Way) error
}

// Event is one step of a run, for showing progress.
type Event struct {
	Kind  EventKind
	Probe string
	Wait  time.Duration // with EventRetrip: the pause before the next trip
	// Result is there with EventDone; it is the run's own and must not be
	// changed or kept.
	Result *Result
	// Answer is there with EventDone when the expectations have judged the
	// answer that the result is about. It holds the whole body.
	Answer *expect.Observation
}

// EventKind is what an Event tells.
type EventKind int

// The events.
const (
	EventStart  EventKind = iota // a probe begins its first trip
	EventRetrip                  // a probe waits for another trip
	EventDone                    // a probe has its result
)

// Plan is a selection of probes, ready to run: every reference expanded, every
// request built, identical GETs joined.
type Plan struct {
	opt      Options
	decl     *Declaration
	probes   []*planned
	origins  []*originRun
	redactor *secret.Redactor
	reaches  map[*Origin][]destination   // where requests go; nil where no secret is bound
	peers    []*mcp.Peer                 // those of single probes
	reach    func(context.Context) error // asks the control target; nil without one
	visits   map[*Probe]visit            // of the round that was made
}

// planned is one selected probe.
type planned struct {
	index   int
	probe   *Probe
	origin  *originRun
	peer    *mcp.Peer // nil: plain HTTP
	request fetch.Request
	trace   string
	shared  *planned // the owner of the trip that this probe is judged on
	// needs are the probes whose captures the request uses, at refs; request
	// shows them as they are declared then, and each journey completes its own.
	needs []*planned
	refs  []source.Ref
}

// originRun is what a run holds for one origin.
type originRun struct {
	origin   *Origin
	agent    string // the declared or given User-Agent, "" for fetch's own
	client   *fetch.Client
	peer     *mcp.Peer     // nil: the origin answers plain HTTP
	sentinel fetch.Request // used where the origin declares one
	silent   atomic.Bool   // nothing at all came from it, at least once
}

// job is one trip to be made, and the probes that are judged on it, the owner
// first.
type job struct {
	origin *originRun
	probes []*planned

	// The rest is the gate's.
	lane  *lane  // of its origin, in this run
	waits int    // jobs that have to end before this one may start
	frees []*job // jobs that wait for this one
}

// after lets a job wait for another.
func (j *job) after(need *job) {
	j.waits++
	need.frees = append(need.frees, j)
}

// NewPlan expands references and builds every request, also those of the probes
// that the selected ones need (Declaration.WithNeeds). Its error names all
// environment variables that are missing, or every address that is none, with
// their places; nothing has been asked of the network then.
func NewPlan(d *Declaration, probes []*Probe, opt Options) (*Plan, error) {
	if opt.Env == nil {
		opt.Env = func(string) (string, bool) { return "", false }
	}
	probes = d.WithNeeds(probes)
	if err := d.Missing(probes, opt.Env); err != nil {
		return nil, err
	}
	switch {
	case opt.Replay != nil:
		opt.Reach = nil
	case opt.Reach == nil && opt.Transport == nil:
		opt.Reach = fetch.Reachable
	}
	p := &Plan{opt: opt, decl: d}
	b := &builder{
		expander: expander{env: opt.Env}, plan: p, origins: map[*Origin]*originRun{}, owners: map[shareKey][]*planned{},
		planned: map[*Probe]*planned{},
	}
	var problems source.Collector
	p.reaches = d.bindSecrets(probes, opt.Env, opt.Replay == nil && opt.Transport == nil, &problems)
	for i, probe := range probes {
		b.add(i, probe, &problems)
	}
	for _, pl := range p.probes {
		for _, need := range pl.probe.Needs {
			pl.needs = append(pl.needs, b.planned[need])
		}
	}
	if c := d.Connectivity; c != nil && opt.Reach != nil {
		way := b.way(&c.Out)
		p.reach = func(ctx context.Context) error {
			return anyReached(ctx, c.Targets, func(ctx context.Context, target string) error { return opt.Reach(ctx, target, way) })
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if p.redactor = opt.redactor; p.redactor == nil {
		p.redactor = d.Redactor(opt.Env)
	}
	return p, nil
}

// builder carries what planning one probe leaves for the next.
type builder struct {
	expander
	plan    *Plan
	origins map[*Origin]*originRun
	owners  map[shareKey][]*planned
	planned map[*Probe]*planned
}

// shareKey is what makes two GETs identical.
type shareKey struct {
	origin  *Origin
	url     string
	headers string
	policy  fetch.Policy
	json    bool
	as      string // as: and csv:
}

func (b *builder) add(index int, probe *Probe, problems *source.Collector) {
	o := b.origin(probe.Origin, problems)
	pl := &planned{index: index, probe: probe, origin: o}
	if probe.MCP != nil {
		b.addMCP(pl)
		return
	}
	pl.request, pl.refs = b.request(probe), capturesOf(&probe.Request)
	if err := checkURL(pl.request.URL); err != nil {
		problems.Add(probe.Pos, "check url: of the origin, get: of the probe, and the variables in them", "probe %s has no usable address: %v", probe.Name, err)
		return
	}
	b.share(pl)
	b.planned[probe] = pl
	b.plan.probes = append(b.plan.probes, pl)
}

// share joins a probe to the first one that makes the identical GET. What is
// known only when a probe runs, and walks over pages, are nobody else's.
func (b *builder) share(pl *planned) {
	r := &pl.request
	if !pl.probe.Share || len(pl.refs) > 0 || pl.probe.Next != nil || (r.Method != "" && r.Method != http.MethodGet) || len(r.Body) > 0 {
		return
	}
	key := shareKey{origin: pl.probe.Origin, url: r.URL, headers: headerKey(r.Header), policy: pl.probe.Policy, json: pl.probe.JSON, as: fmt.Sprint(pl.probe.As, pl.probe.CSV)}
	for _, owner := range b.owners[key] {
		if sameStatuses(owner.probe, pl.probe) {
			pl.shared = owner
			return
		}
	}
	b.owners[key] = append(b.owners[key], pl)
}

// sameStatuses reports whether two probes take the same statuses for answers.
func sameStatuses(a, b *Probe) bool {
	if !a.Expect.HasStatus() && !b.Expect.HasStatus() {
		return true
	}
	for status := 300; status < 1000; status++ {
		expectsA := a.Expect.HasStatus() && a.Expect.StatusExpected(status)
		expectsB := b.Expect.HasStatus() && b.Expect.StatusExpected(status)
		if expectsA != expectsB {
			return false
		}
	}
	return true
}

func headerKey(h http.Header) string {
	if len(h) == 0 {
		return ""
	}
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	var s strings.Builder
	for _, name := range names {
		fmt.Fprintf(&s, "%s\x00%q\x00", name, h[name])
	}
	return s.String()
}

// checkURL says what is wrong with an expanded address, and never quotes it: it
// may hold a credential.
func checkURL(s string) error {
	path, query, _ := strings.Cut(s, "?")
	if reason, hint := checkBaseURL(path); reason != "" {
		return fmt.Errorf("it %s; %s", reason, hint)
	}
	if strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }) {
		return errors.New("its query holds a space, a control character or a fragment; write them percent-encoded")
	}
	return nil
}
