package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/report"
)

// Defaults of a run where neither a flag, the environment, the declaration nor
// the profile says otherwise.
const (
	defaultParallel  = 16
	defaultRunBudget = 10 * time.Minute
)

// runFlags are the flags of run that are no settings.
type runFlags struct {
	configs []string
	tags    []string
	outputs []string
	on      []string
	verbose bool
	// noHistory neither reads earlier runs nor keeps this one.
	noHistory bool
	inputs    []string // what is read, and no report may replace
	reports   reports
	replay    string // a folder of recordings that answer in place of the sources; "" for none

	recordings string // a folder that recordings are written to; "" for none

	tape   *fetch.Tape                        // nil: nothing is recorded
	answer *fetch.Replay                      // nil: the sources
	ready  func(probes []*checks.Probe) error // asked before anything else is; may be nil
	ran    func(*loaded, *checks.Report)      // told of the finished run; may be nil
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [NAME|GLOB…]",
		Short: "Probe the declared contracts and report",
		Long: `run probes what the declaration declares and reports every finding. The exit code
says what to do: 0 nothing failed, 1 a contract is broken, 3 our own side failed,
5 not enough was measured, 75 the source is down (where the policy fails on it).
"fonteviva explain EXIT-CODE" tells more about each.`,
		Example: `  fonteviva run
  fonteviva run selic-diaria 'ibge-*'
  fonteviva run --profile smoke --format github --output junit=report.xml
  fonteviva run --on indisponivel=fail --min-measured 80%
  fonteviva run --profile recovery --wait 10m selic-diaria
  fonteviva run --replay recordings        # what fonteviva record has kept`,
		// A declaration in a file is read meanwhile; one on a pipe may not come.
		PersistentPreRun: func(*cobra.Command, []string) {
			if slices.ContainsFunc(f.configs, mayBlock) {
				<-a.signals.heeded
			}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.doRun(cmd, f, args) },
	}
	a.addRunFlags(cmd, &f)
	cmd.Flags().StringVar(&f.replay, "replay", "", "answer from the recordings in this `folder`, without the network")
	return cmd
}

// mayBlock reports whether reading a path can keep us waiting.
func mayBlock(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// addRunFlags are the flags of every command that runs what is declared.
func (a *app) addRunFlags(cmd *cobra.Command, f *runFlags) {
	addConfigFlag(cmd, &f.configs)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.tags, "tag", nil, "only probes with this `tag`; repeatable (any of them), !tag excludes")
	flags.String("parallel", "", fmt.Sprintf("`number` of probes at a time over all origins (default %d)", defaultParallel))
	flags.String("budget", "", fmt.Sprintf("`time` for the whole run (default %s, or the profile's)", source.FormatDuration(defaultRunBudget)))
	flags.String("wait", "", "repeat what was not measured for this `time`")
	flags.BoolVar(&f.noHistory, "no-history", false, "neither read earlier runs nor keep this one")
	addStateFlag(cmd)
	addReportFlags(cmd, f)
}

func addStateFlag(cmd *cobra.Command) {
	cmd.Flags().String("state-dir", "", "`folder` of the history (default $XDG_STATE_HOME/fonteviva or ~/.local/state/fonteviva)")
}

func addConfigFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVarP(into, "config", "c", nil, "declaration `file` or folder; repeatable (default fonteviva.yaml)")
}

// addReportFlags adds what every command that writes a run's reports takes.
func addReportFlags(cmd *cobra.Command, f *runFlags) {
	cmd.Flags().StringArrayVar(&f.outputs, "output", nil, "a further report, as `FORMAT=PATH`; repeatable")
	cmd.Flags().StringArrayVar(&f.on, "on", nil, "override the policy, as `FINDING=DISPOSITION`; repeatable")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show every attempt")
	addPolicyFlags(cmd)
	addViewFlags(cmd)
}

func addPolicyFlags(cmd *cobra.Command) {
	cmd.Flags().String("profile", "", "the `occasion`: local, smoke, contract, cron, recovery, or one of the declaration (default local)")
	cmd.Flags().String("min-measured", "", "fail with exit 5 when fewer were measured: a `number` or a share such as 80%")
}

func addViewFlags(cmd *cobra.Command) {
	cmd.Flags().String("format", "", "how the run is written, by `name`: "+strings.Join(report.FormatNames(), ", ")+" (default pretty)")
	cmd.Flags().String("lang", "", "`language` of what a person reads: en or pt-BR (default: the locale's)")
	cmd.Flags().String("color", "", "`when` to colour: auto, always or never (default auto)")
}

// loaded is a declaration with the settings and the policy that it, the flags
// and the environment come to.
type loaded struct {
	decl   *checks.Declaration
	config *config
	policy *report.Policy
}

// load reads everything that can be wrong before anything is asked.
func (a *app) load(cmd *cobra.Command, read func(checks.LoadOptions) (*checks.Declaration, error), on []string) (*loaded, error) {
	c, err := newConfig(cmd.Flags())
	if err != nil {
		return nil, err
	}
	decl, err := read(checks.LoadOptions{
		Network: c.network,
		Check: func(d *checks.Declaration, problems *source.Collector) {
			checkSettings(d.Settings, report.ProfileNames(d))
			report.CheckDeclaration(d, problems)
		},
	})
	if err != nil {
		return nil, problemError(err)
	}
	dropTree(len(decl.Probes))
	a.secrets = decl.Redactor(os.LookupEnv)
	if name, known := c.str("profile"), report.ProfileNames(decl); name != "" && !slices.Contains(known, name) {
		return nil, fmt.Errorf("%s: unknown profile %q: %s", c.from(settings[0]), name, source.DidYouMean(name, known))
	}
	policy, err := report.ResolvePolicy(report.PolicyRequest{Declaration: decl, Profile: c.str("profile"), On: on, MinMeasured: c.str("min_measured")})
	if err != nil {
		return nil, err
	}
	return &loaded{decl: decl, config: c, policy: policy}, nil
}

// problemError lets a list of problems start on a line of its own.
func problemError(err error) error {
	if ps, ok := errors.AsType[source.Problems](err); ok {
		return fmt.Errorf("the declaration is not valid; nothing was asked\n%w", ps)
	}
	return err
}

func (a *app) doRun(cmd *cobra.Command, f runFlags, names []string) error {
	l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) { return checks.Load(f.configs, o) }, f.on)
	if err != nil {
		return err
	}
	probes, err := l.decl.Select(names, f.tags)
	if err != nil {
		return err
	}
	probes = a.withNeeds(l, probes)
	a.sayUnread(l, probes)
	f.inputs = slices.Concat(l.decl.Files, l.decl.Reads, historyFiles(l))
	for _, t := range targets(probes) {
		f.inputs = append(f.inputs, t.name())
	}
	if f.reports, err = formats(l.config, f); err != nil {
		return err
	}
	if f.ready != nil {
		if err := f.ready(probes); err != nil {
			return err
		}
	}
	if f.replay != "" {
		if f.answer, err = openReplay(f.replay); err != nil {
			return err
		}
	}
	// Held before the history is opened beside this: waiting would cost more then.
	defer a.signals.hold()()
	var keep *keeper
	if !f.noHistory && f.answer == nil { // what a recording says is not how the source is now
		keep = newKeeper(l, probes)
	}
	if err := a.probe(l, probes, f, os.LookupEnv, keep); err != nil {
		return err
	}
	if f.answer != nil {
		a.sayReplay(l, f.replay)
	}
	return nil
}

// withNeeds adds what a selection needs, and says so.
func (a *app) withNeeds(l *loaded, probes []*checks.Probe) []*checks.Probe {
	all := l.decl.WithNeeds(probes)
	if len(all) > len(probes) && !l.policy.Profile.Quiet {
		var names []string
		for _, p := range all {
			if !slices.Contains(probes, p) {
				names = append(names, p.Name)
			}
		}
		fmt.Fprintf(a.err, "fonteviva: also asked, because the selection needs it: %s\n", strings.Join(names, ", "))
	}
	return all
}

// probe runs a selection and writes its reports; it sets the exit code.
func (a *app) probe(l *loaded, probes []*checks.Probe, f runFlags, env func(string) (string, bool), keep *keeper) error {
	defer a.signals.hold()()
	progress := a.newProgress(l, len(probes))
	opt := a.runOptions(l, env, progress.observe)
	opt.Tape, opt.Replay = f.tape, f.answer
	wait := l.wait()
	if f.answer != nil {
		wait = 0 // a recording says tomorrow what it says today
	}
	rep, err := checks.Await(a.signals.ctx, l.decl, probes, wait, opt)
	progress.stop()
	if err != nil {
		return problemError(err)
	}
	if f.ran != nil {
		f.ran(l, rep)
	}
	keep.remember(rep, probes, l.policy.Profile.MaxUnmeasured)
	l.decl.ApplyPast(rep)
	doc := report.NewDocument(rep, l.policy, report.DecideOptions{
		Format: f.reports.main.Name, Signal: int(a.signals.received()),
		AgeLimits: slices.ContainsFunc(probes, func(p *checks.Probe) bool { return p.MaxUnmeasured > 0 }),
	})
	keep.pack(doc)
	a.write(l.config, doc, f.reports)
	ctx, done := a.signals.soon()
	defer done()
	if err := keep.save(ctx, doc); err != nil {
		a.degraded(l.config, checks.Degradation{Feature: featureHistory, Reason: err.Error(), Count: 1})
	}
	return nil
}

// degraded says on stderr what could not be done, once the reports are out.
func (a *app) degraded(c *config, d checks.Degradation) {
	fmt.Fprintln(a.err, a.secrets.String(report.DegradedLine(&d, c.language())))
}

// wait is how long what was not measured is asked again.
func (l *loaded) wait() time.Duration { return l.config.duration("wait", l.policy.Profile.Wait) }

// runOptions are what the settings say of a run.
func (a *app) runOptions(l *loaded, env func(string) (string, bool), observe func(checks.Event)) checks.Options {
	return checks.Options{
		Parallel: l.config.count("parallel", defaultParallel),
		// Where nobody says a budget, waiting for a source is time of its own.
		Budget:    l.config.duration(runBudget, cmp.Or(l.policy.Profile.Budget, defaultRunBudget)+l.wait()),
		Env:       env,
		UserAgent: userAgent(),
		Version:   strings.Trim(buildVersion(), "()"),
		Observe:   observe,
	}
}
