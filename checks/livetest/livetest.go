package livetest

import (
	"os"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/recording"
	"github.com/fonteviva/fonteviva/fetch"
)

// Option changes what Run runs, or how.
type Option func(*config)

type config struct {
	names, tags []string
	recordings  string // a folder that answers in place of the sources; "" for none
	options     checks.Options
}

// Only runs the probes that names or patterns choose; see
// checks.Declaration.Select. Several Only add up.
func Only(names ...string) Option { return func(c *config) { c.names = append(c.names, names...) } }

// Tags runs the probes that carry one of the tags, and none that carries a tag
// written with ! before it.
func Tags(tags ...string) Option { return func(c *config) { c.tags = append(c.tags, tags...) } }

// Env replaces the environment that ${env.NAME} is read from.
func Env(lookup func(name string) (string, bool)) Option {
	return func(c *config) { c.options.Env = lookup }
}

// Budget caps the whole run. Where it is silent, nine tenths of what the test
// binary has left (go test -timeout) are the cap, so that every probe still
// gets its result.
func Budget(d time.Duration) Option { return func(c *config) { c.options.Budget = d } }

// Parallel is how many probes are asked at a time (default 16).
func Parallel(n int) Option { return func(c *config) { c.options.Parallel = n } }

// Replay answers from the recordings in a folder, which fonteviva record has
// made, in place of the sources: nothing is asked of the network, and the test
// says the same every day. A request that no recording answers is an error; a
// recorded outage skips as a live one does.
func Replay(dir string) Option { return func(c *config) { c.recordings = dir } }

// With changes any option of the run.
func With(change func(*checks.Options)) Option { return func(c *config) { change(&c.options) } }

// Run runs a declaration, a file or a folder, and reports every probe in a
// subtest of its name. The declaration's own mistakes, and variables that are
// missing, fail t at once.
func Run(t *testing.T, declaration string, opts ...Option) {
	t.Helper()
	for _, r := range results(t, declaration, opts...) {
		t.Run(r.Name, func(t *testing.T) { Report(t, &r) })
	}
}

// results runs the probes; nil where t has failed.
func results(t testing.TB, declaration string, opts ...Option) []checks.Result {
	t.Helper()
	c := &config{options: checks.Options{Parallel: 16, Env: os.LookupEnv, Budget: left(t)}}
	for _, opt := range opts {
		opt(c)
	}
	if c.recordings != "" {
		recordings, err := recording.Read(c.recordings)
		if err != nil {
			t.Fatalf("recordings in %s: %v\nthey are made with: fonteviva record --dir DIR", c.recordings, err)
			return nil
		}
		c.options.Replay = fetch.NewReplay(recordings)
	}
	d, err := checks.Load([]string{declaration}, checks.LoadOptions{})
	if err != nil {
		t.Fatal(err)
		return nil
	}
	probes, err := d.Select(c.names, c.tags)
	if err != nil {
		t.Fatal(err)
		return nil
	}
	if len(probes) == 0 {
		t.Fatal("no probe is selected: nothing was measured")
		return nil
	}
	plan, err := checks.NewPlan(d, probes, c.options)
	if err != nil {
		t.Fatal(err)
		return nil
	}
	return plan.Run(t.Context()).Results
}

// left is the time that the test binary leaves for a run; 0 means no end.
func left(t testing.TB) time.Duration {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return 0
	}
	deadline, ok := d.Deadline()
	if !ok {
		return 0
	}
	return max(time.Until(deadline)*9/10, time.Second)
}
