package checks_test

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

// row is one public case of what live origins do, asked over real sockets of
// an origin of its own, with everything that has to be known about its result.
type row struct {
	id     string // the case, and what is particular about this row
	door   string // the endpoint that is asked; "" is the plain HTTP door
	trust  bool   // verify certificates by the origin's own authority
	origin string // further keys of the origin, in YAML flow style
	probe  string // keys of the probe, in YAML flow style

	finding checks.Finding
	kind    fetch.Kind
	detail  string
	looks   fetch.LooksLike
	cause   fetch.Cause
	status  int
	trips   string         // what each trip said alone, and its attempts: "drift:1 ok:2"
	flags   string         // "persistent", "unstable"
	stopped string         // why the last trip made no further attempt
	codes   string         // of the mismatches
	notes   string         // what was set right in passing; "" asks for nothing
	motivo  string         // a part of it
	hits    map[string]int // requests by path; nil: as many as attempts, where they were declared to go
	more    func(t *testing.T, r *checks.Result, o *fixtures.Origin)
}

// The secrets that a row may use as ${env.TOKEN} and ${env.KEY}.
var secrets = map[string]string{"TOKEN": "t0ken-of-the-test", "KEY": "k3y-of-the-test"}

// everyWait is tiny, and every wait is exact.
const everyWait = `
version: 1
defaults:
  timeout: 5s
  budget: 20s
  retries: 1
  backoff: {strategy: fixed, base: 10ms, max: 10ms, jitter: none}
  ambiguous: {trips: 2, wait: 5ms}
  confirm: {trips: 2, wait: 5ms}
`

func (w *row) declaration(o *fixtures.Origin) string {
	door := o.URL()
	if w.door != "" {
		door = o.Endpoint(w.door)
	}
	further := ""
	if w.origin != "" {
		further = ", " + w.origin
	}
	return fmt.Sprintf("%sorigins: {o: {url: %q%s}}\nprobes:\n  - {name: p, origin: o, %s}\n", everyWait, door, further, w.probe)
}

func (w *row) options(t *testing.T, o *fixtures.Origin) checks.Options {
	opt := checks.Options{
		Rand: func() float64 { return 0 },
		Env:  func(name string) (string, bool) { v, ok := secrets[name]; return v, ok },
	}
	if w.trust {
		opt.Transport = func(*checks.Origin) http.RoundTripper { return trusting(t, o) }
	}
	return opt
}

// trusting is a transport that knows the origin's own authority.
func trusting(t *testing.T, o *fixtures.Origin) *http.Transport {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(o.CAPEM()) {
		t.Error("the origin's authority is no certificate")
	}
	return &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		Proxy:           nil, DisableCompression: true, ForceAttemptHTTP2: true,
	}
}

func start(t *testing.T) *fixtures.Origin {
	t.Helper()
	o, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

func plan(t *testing.T, yaml string, opt checks.Options) *checks.Plan {
	t.Helper()
	d, err := checks.LoadBytes("case.yaml", []byte(yaml), checks.LoadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	p, err := checks.NewPlan(d, d.Probes, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return p
}

// ask runs the row's one probe.
func (w *row) ask(t *testing.T, o *fixtures.Origin) *checks.Result {
	t.Helper()
	report := plan(t, w.declaration(o), w.options(t, o)).Run(t.Context())
	if len(report.Results) != 1 {
		t.Fatalf("%d results, want 1", len(report.Results))
	}
	return &report.Results[0]
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, w := range slices.Concat(bodyCases, statusCases, wireCases, redirectCases, callerCases) {
		t.Run(w.id, w.holds)
	}
}

// holds asks the row's probe and compares everything.
func (w *row) holds(t *testing.T) {
	t.Parallel()
	o := start(t)
	r := w.ask(t, o)
	w.compare(t, r)
	w.arrived(t, r, o)
	sound(t, r)
	if w.more != nil {
		w.more(t, r, o)
	}
	if t.Failed() {
		t.Logf("%s\n%s", w.declaration(o), text(r))
	}
}

// compare holds the result against the row.
func (w *row) compare(t *testing.T, r *checks.Result) {
	t.Helper()
	for _, c := range []struct{ what, got, want string }{
		{"finding", string(r.Finding), string(w.finding)},
		{"kind", of(r.Kind), string(w.kind)},
		{"detail", of(r.Detail), w.detail},
		{"looks_like", of(r.LooksLike), string(w.looks)},
		{"cause", of(r.Cause), string(w.cause)},
		{"status", fmt.Sprint(value(r.Status)), fmt.Sprint(w.status)},
		{"trips", tripsOf(r), w.trips},
		{"flags", flagsOf(r), w.flags},
		{"mismatches", codesOf(r), w.codes},
		{"notes", strings.Join(r.Notes, " "), cmp.Or(w.notes, strings.Join(r.Notes, " "))},
	} {
		if c.got != c.want {
			t.Errorf("%s %q, want %q", c.what, c.got, c.want)
		}
	}
	if w.stopped != "" && of(r.Trips[len(r.Trips)-1].Stopped) != w.stopped {
		t.Errorf("stopped %q, want %q", of(r.Trips[len(r.Trips)-1].Stopped), w.stopped)
	}
	if !strings.Contains(of(r.Motivo), w.motivo) {
		t.Errorf("motivo %q, want %q in it", of(r.Motivo), w.motivo)
	}
}

// arrived counts what the origin saw: no request more and none less than the
// result tells of.
func (w *row) arrived(t *testing.T, r *checks.Result, o *fixtures.Origin) {
	t.Helper()
	if w.hits != nil {
		for path, want := range w.hits {
			if got := o.Hits(path); got != want {
				t.Errorf("%d requests for %s, want %d", got, path, want)
			}
		}
		return
	}
	attempts := 0
	for _, trip := range r.Trips {
		attempts += len(trip.Attempts)
	}
	switch w.door {
	case fixtures.Refused:
	case "", fixtures.TLS, fixtures.OtherPort:
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Hits(u.Path); got != attempts {
			t.Errorf("%d requests arrived, the result tells of %d", got, attempts)
		}
	default:
		if got := o.Connections(w.door); got != attempts {
			t.Errorf("%d connections were accepted, the result tells of %d attempts", got, attempts)
		}
	}
}

// issued are the cases that have to be here; more of each kind exist.
var issued = strings.Fields(`A1 A2 A5 A7 A10 C6 D2 D3 D5 D6 D11 D15 D17 E3 E4 E7 F3 F6 G3 G6 G8 G9
	H2 H9 H10 H11 I1 I4 I6 I7 K1 K4 M3 M5 M7 M8 M10 M11 M12`)

func TestEveryCaseIsAsked(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{"M8": true} // TestTheCallersCut
	for _, w := range slices.Concat(bodyCases, statusCases, wireCases, redirectCases, callerCases) {
		id, _, _ := strings.Cut(w.id, " ")
		asked[id] = true
	}
	for _, id := range issued {
		if !asked[id] {
			t.Errorf("%s is not asked", id)
		}
	}
}
