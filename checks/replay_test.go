package checks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/recording"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

// replayed runs a declaration live, keeps what was answered in files, and runs
// it again on those files when the origin is gone.
func replayed(t *testing.T, declaration string, env map[string]string, parallel int, gone func()) (live, again *checks.Report) {
	t.Helper()
	d, err := checks.LoadBytes("t.yaml", []byte(declaration), checks.LoadOptions{Network: func([]checks.Raw) fetch.Policy { return fetch.DefaultPolicy() }})
	if err != nil {
		t.Fatal(err)
	}
	opt := checks.Options{Parallel: parallel, Tape: new(fetch.Tape), Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	if live, err = checks.Await(t.Context(), d, d.Probes, 0, opt); err != nil {
		t.Fatal(err)
	}
	gone()
	dir := t.TempDir()
	folder, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, p := range d.Probes {
		if list := opt.Tape.Take(p.Name); len(list) > 0 {
			if err := folder.Write(p.Name, list); err != nil {
				t.Fatal(err)
			}
		}
	}
	recordings, err := recording.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	opt.Tape, opt.Replay = nil, fetch.NewReplay(recordings)
	opt.Transport = func(*checks.Origin) http.RoundTripper { return forbidden{t} }
	opt.Reach = func(context.Context, string, fetch.Way) error {
		t.Error("the control target was asked")
		return errors.New("no")
	}
	began := time.Now()
	if again, err = checks.Await(t.Context(), d, d.Probes, 0, opt); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the replay took %s", took)
	}
	return live, again
}

// forbidden fails the test that sends anything.
type forbidden struct{ t *testing.T }

func (f forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	f.t.Errorf("a replay sent %s", r.URL)
	return nil, errors.New("no")
}

// story is all that a result says but for when and how long.
func story(r *checks.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v measured=%v unstable=%v persistent=%v %s %s %s %s", r.Name, r.Finding, r.Measured, r.Unstable, r.Persistent, show(r.Kind), show(r.Detail), show(r.Status), show(r.LooksLike))
	fmt.Fprintf(&b, " %s %s %s", show(r.FinalURL), show(r.Mirror), show(r.SharedWith))
	for _, m := range r.Mismatches {
		fmt.Fprintf(&b, " %s(%s|%s)", m.Code, m.Want, m.Got)
	}
	for _, trip := range r.Trips {
		fmt.Fprintf(&b, " [%s wait=%d", trip.Finding, trip.WaitMS)
		for _, a := range trip.Attempts {
			fmt.Fprintf(&b, " %s/%s", show(a.Kind), show(a.Status))
		}
		b.WriteString("]")
	}
	if r.Sentinel != nil {
		fmt.Fprintf(&b, " sentinel=%s", r.Sentinel.Finding)
	}
	return b.String()
}

func show[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

// TestReplayOfTheDemo: every finding that the demo shows comes again from its
// recordings, except of what nothing answered: that is ours.
func TestReplayOfTheDemo(t *testing.T) {
	for _, parallel := range []int{1, 64} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			origin := ownOrigin(t)
			live, again := replayed(t, string(fixtures.DemoDeclaration), origin.DemoEnv(), parallel, func() { origin.Close() }) //nolint:errcheck // it is gone either way
			silent := 0
			for i := range live.Results {
				a, b := &live.Results[i], &again.Results[i]
				if a.Kind != nil && (*a.Kind == fetch.Network || *a.Kind == fetch.Timeout) {
					silent++
					if b.Finding != checks.Alheio || b.Cause == nil || *b.Cause != fetch.CauseNoRecording || b.Asked || b.Retrieval != nil {
						t.Errorf("%s was not recorded, and is %s", b.Name, story(b))
					}
					continue
				}
				if story(a) != story(b) {
					t.Errorf("live   %s\nreplay %s", story(a), story(b))
				}
				if !b.ServedFromCache || (b.RetrievedAt == nil) != (a.RetrievedAt == nil) {
					t.Errorf("%s: served_from_cache %v, retrieved_at %v", b.Name, b.ServedFromCache, b.RetrievedAt)
				}
				if b.RetrievedAt != nil && b.RetrievedAt.Sub(*a.RetrievedAt).Abs() > 5*time.Second {
					t.Errorf("%s: retrieved at %s, recorded at %s", b.Name, b.RetrievedAt, a.RetrievedAt)
				}
			}
			if silent != 3 {
				t.Errorf("%d probes had no answer", silent)
			}
		})
	}
}

// ownOrigin is one that a test may close.
func ownOrigin(t *testing.T) *fixtures.Origin {
	t.Helper()
	o, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() }) //nolint:errcheck // the test has ended
	return o
}

const replayDeclaration = `
version: 1
defaults: {retries: 1, backoff: {base: 20ms, max: 20ms, jitter: none}, ambiguous: {trips: 2, wait: 30ms}, confirm: {trips: 2, wait: 30ms}}
connectivity: 127.0.0.1:9
origins:
  plain: {url: "${env.FONTEVIVA_DEMO_ORIGIN}"}
  guarded:
    url: "${env.FONTEVIVA_DEMO_ORIGIN}"
    auth: {bearer: "${env.TOKEN}"}
    sentinel: /json/dados/serie/bcdata.sgs.433/dados/ultimos/1?formato=json
    rate_limit: {max: 200, window: 1s}
  mirrored: {url: "${env.FONTEVIVA_DEMO_REFUSED}", mirrors: ["${env.FONTEVIVA_DEMO_ORIGIN}"]}
probes:
  - {name: first, origin: plain, get: "/array?n=3", as: json}
  - {name: sharer, origin: plain, get: "/array?n=3", as: json, expect: {json: [{path: "$", length: {max: 2}}]}}
  - {name: chain, origin: plain, get: /redirect/chain/3, as: json}
  - {name: echo, origin: guarded, request: {method: POST, path: "/echo?key=${env.TOKEN}", body: "my ${env.TOKEN}"}, as: json}
  - {name: page, origin: guarded, get: "/status/200?h=Content-Type:text/html&body=%3Chtml%3Eerror", as: json}
  - {name: slow, origin: plain, get: "/slow?ms=60", as: json, expect: {max_duration: {max: 50ms, severity: fail}}}
  - {name: mirror, origin: mirrored, get: "/array?n=2", as: json}
  - {name: not-gzip, origin: plain, get: /h2/dados/serie/bcdata.sgs.11/dados, as: json}
  - {name: bom, origin: plain, get: /h9/dados/serie/bcdata.sgs.11/dados, as: json}
`

// TestReplayOfEveryKindOfTrip: shared answers, redirects, secrets in URL and
// body, the sentinel, mirrors and recorded durations.
func TestReplayOfEveryKindOfTrip(t *testing.T) {
	origin := ownOrigin(t)
	env := origin.DemoEnv()
	env["TOKEN"] = "s3cret-tok3n"
	live, again := replayed(t, replayDeclaration, env, 8, func() { origin.Close() }) //nolint:errcheck // it is gone either way
	want := map[string]checks.Finding{
		"first": checks.OK, "sharer": checks.Drift, "chain": checks.OK, "echo": checks.OK, "page": checks.Drift,
		"slow": checks.Drift, "mirror": checks.OK, "not-gzip": checks.Ambiguo, "bom": checks.OK,
	}
	for i := range live.Results {
		a, b := &live.Results[i], &again.Results[i]
		if a.Finding != want[a.Name] || b.Finding != a.Finding {
			t.Errorf("live   %s\nreplay %s", story(a), story(b))
		}
	}
	if m := again.Results[6].Mirror; m == nil || !strings.HasPrefix(*m, origin.URL()) {
		t.Errorf("the mirror is %v", m)
	}
	slow := again.Results[5].Trips[0].Attempts[0]
	if slow.TotalMS < 60 || slow.TTFBMS == nil || *slow.TTFBMS < 60 {
		t.Errorf("%+v", slow)
	}
}

// TestReplayOfAChain: what a probe captures from a recording asks for the next
// one, even where it is a secret, of which the recording has the mask only.
func TestReplayOfAChain(t *testing.T) {
	origin := ownOrigin(t)
	env := origin.DemoEnv()
	env["TOKEN"] = "s3cret-tok3n"
	live, again := replayed(t, `
version: 1
origins:
  plain: {url: "${env.FONTEVIVA_DEMO_ORIGIN}"}
  guarded: {url: "${env.FONTEVIVA_DEMO_ORIGIN}", auth: {bearer: "${env.TOKEN}"}}
probes:
  - {name: first, origin: guarded, get: "/echo?key=${env.TOKEN}", as: json, capture: {m: {path: "$.method"}, all: {path: "$.headers.Authorization[0]"}}}
  - {name: second, origin: plain, get: "/echo?m=${first.m}&k=${first.all}", as: json}
  - {name: third, origin: plain, request: {method: POST, path: "/echo", json: {k: "${first.all}"}}, as: json}
`, env, 4, func() { origin.Close() }) //nolint:errcheck // it is gone either way
	for i := range live.Results {
		if a, b := &live.Results[i], &again.Results[i]; story(a) != story(b) || b.Finding != checks.OK {
			t.Errorf("live   %s\nreplay %s", story(a), story(b))
		}
	}
}
