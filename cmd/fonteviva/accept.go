package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/report"
)

// acceptFlags are the flags of accept.
type acceptFlags struct {
	configs, tags []string
	yes, dry      bool
}

func (a *app) acceptCmd() *cobra.Command {
	var f acceptFlags
	cmd := &cobra.Command{
		Use:   "accept [NAME|GLOB…]",
		Short: "Record how an answer looks now, or accept how it has changed",
		Long: `accept asks the sources of its own and writes the recorded files that the probes
name (shape:). A file that is there already is shown with what has changed, and is
written only after a yes, or with --yes. What is accepted is what is shown; all else
stays as it was recorded.

Nothing is recorded of a probe that was not measured, or of an answer that breaks
another expectation: correct that first. The exit code is then what a run that fails on
it has; 1 also says that there are changes which nobody accepted: with --dry-run, of any
file that is there already.`,
		Example: `  fonteviva accept selic-diaria
  fonteviva accept --dry-run
  fonteviva accept 'ibge-*' --yes`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.doAccept(cmd, f, args) },
	}
	addConfigFlag(cmd, &f.configs)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.tags, "tag", nil, "only probes with this `tag`; repeatable (any of them), !tag excludes")
	flags.BoolVarP(&f.yes, "yes", "y", false, "accept every change without asking")
	flags.BoolVar(&f.dry, "dry-run", false, "show what would be written, and write nothing; exit 1 where a file would change")
	flags.String("parallel", "", fmt.Sprintf("`number` of probes at a time over all origins (default %d)", defaultParallel))
	flags.String("budget", "", "`time` for all questions together (default 10m)")
	flags.String("color", "", "`when` to colour: auto, always or never (default auto)")
	return cmd
}

func (a *app) doAccept(cmd *cobra.Command, f acceptFlags, names []string) error {
	l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) {
		o.Recording = true
		return checks.Load(f.configs, o)
	}, nil)
	if err != nil {
		return err
	}
	probes, err := l.decl.Select(names, f.tags)
	if err != nil {
		return err
	}
	probes = slices.DeleteFunc(slices.Clone(probes), func(p *checks.Probe) bool { return len(p.Expect.Recordings()) == 0 })
	if len(probes) == 0 {
		return errors.New("no probe here has anything to record\n  such as: expect: {shape: shapes/NAME.json}")
	}
	defer a.signals.hold()()
	answers, err := a.ask(l, probes)
	if err != nil {
		return err
	}
	c := newAcceptance(a, l, f)
	codes := []int{}
	for _, t := range targets(probes) {
		if a.signals.received() != 0 {
			break
		}
		codes = append(codes, c.settle(t, answers))
	}
	if sig := a.signals.received(); sig != 0 {
		codes = append(codes, exitOf(sig))
	}
	a.exit = report.Worst(codes...)
	return nil
}

// answered is what one probe's trips gave.
type answered struct {
	result checks.Result
	seen   *expect.Observation // nil where no expectation has judged it
}

// ask runs the probes and keeps their answers.
func (a *app) ask(l *loaded, probes []*checks.Probe) (map[string]answered, error) {
	var mu sync.Mutex
	seen := map[string]*expect.Observation{}
	progress := a.newProgress(l, len(probes))
	rep, err := checks.Await(a.signals.ctx, l.decl, probes, 0, a.runOptions(l, os.LookupEnv, func(e checks.Event) {
		progress.observe(e)
		if e.Kind == checks.EventDone {
			mu.Lock()
			seen[e.Probe] = e.Answer
			mu.Unlock()
		}
	}))
	progress.stop()
	if err != nil {
		return nil, problemError(err)
	}
	mu.Lock()
	defer mu.Unlock()
	answers := make(map[string]answered, len(probes))
	for _, r := range rep.Results {
		answers[r.Name] = answered{r, seen[r.Name]}
	}
	return answers, nil
}

// target is one file and the probes that name it.
type target struct {
	dir, file string
	recording expect.Recording // of the first probe
	probes    []*checks.Probe
}

// name is the path for a person.
func (t *target) name() string { return filepath.Join(t.dir, filepath.FromSlash(t.file)) }

// targets lists the files in the order of the probes.
func targets(probes []*checks.Probe) []*target {
	var list []*target
	for _, p := range probes {
		for _, r := range p.Expect.Recordings() {
			t := &target{dir: filepath.Dir(p.Pos.File), file: r.File(), recording: r}
			if i := slices.IndexFunc(list, func(u *target) bool { return u.name() == t.name() }); i >= 0 {
				t = list[i]
			} else {
				list = append(list, t)
			}
			t.probes = append(t.probes, p)
		}
	}
	return list
}
