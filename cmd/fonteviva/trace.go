package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

func (a *app) traceCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace [CODE] [FILE|-]",
		Short: "Draw the attempts, waits and phases of a result on a time axis",
		Long: `trace draws what a run did on the network: trips, attempts, waits, and the phases of
each attempt. CODE is the trace code of a result, or of the whole run; without it,
what was not plainly ok is drawn. The run comes from a file or a pipe (json or
ndjson); a CODE alone is looked for in the history first, whatever its project, and
with neither CODE nor file nor pipe it is the run that was kept last.`,
		Example: `  fonteviva trace 7M2KQ0ZD
  fonteviva run --format json | fonteviva trace
  fonteviva trace 7M2KQ0ZD run.ndjson`,
		Args: argCount(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.trace(cmd, args) },
	}
	addStateFlag(cmd)
	cmd.Flags().String("lang", "", "`language` of what a person reads: en or pt-BR")
	cmd.Flags().String("color", "", "`when` to colour: auto, always or never (default auto)")
	return cmd
}

// codeForm is what a trace code looks like; a file of that name is given as
// ./NAME.
var codeForm = source.Pattern(`^[0-9A-Za-z]{8}$`)

func (a *app) trace(cmd *cobra.Command, args []string) error {
	c, err := newConfig(cmd.Flags())
	if err != nil {
		return err
	}
	code := ""
	if len(args) > 0 && codeForm().MatchString(args[0]) {
		code, args = args[0], args[1:]
	}
	if len(args) > 1 {
		return fmt.Errorf("%q is not a trace code: 8 letters and digits, such as 7M2KQ0ZD", args[0])
	}
	if len(args) == 1 && args[0] != "-" {
		if _, err := os.Stat(args[0]); err != nil {
			return fmt.Errorf("%q is neither a trace code (8 letters and digits) nor a file: %w", args[0], err)
		}
	}
	doc, err := a.traced(cmd, c, code, args)
	if err != nil {
		return err
	}
	results, err := report.TraceResults(doc, code)
	if err != nil {
		return err
	}
	return report.Waterfall(a.out, results, report.Options{Color: c.colored(a.outTTY), Lang: c.language(), Width: a.width})
}

// traced is the run to be drawn: the kept one with that code, else what a file
// or a pipe holds.
func (a *app) traced(cmd *cobra.Command, c *config, code string, args []string) (*report.Document, error) {
	switch {
	case code == "" && len(args) == 0 && (a.inTTY || a.inNone):
		doc, err := a.kept(cmd, c, func(s *history.Store, project string) (*history.Run, error) { return s.Latest(cmd.Context(), project) })
		if err != nil {
			return nil, errors.New("no run is kept to be drawn\n  name a file that holds a report, or pipe one: fonteviva run --format json | fonteviva trace")
		}
		return doc, nil
	case code == "" || len(args) > 0:
		return a.readDocument(args)
	}
	doc, err := a.kept(cmd, c, func(s *history.Store, _ string) (*history.Run, error) { return s.FindTrace(cmd.Context(), code) })
	if err == nil {
		return doc, nil
	}
	if a.inTTY {
		return nil, fmt.Errorf("%w: %s; name a file that has it, or pipe a report", err, code)
	}
	if doc, readErr := a.readDocument(nil); readErr == nil {
		return doc, nil
	}
	return nil, fmt.Errorf("%w: %s; and standard input holds no report", err, code)
}

// kept looks for a run in the history, with the key of the project of the
// declaration that is there ("" for none). A history that is not there has none,
// one that cannot be read is told and has none either.
func (a *app) kept(cmd *cobra.Command, c *config, find func(s *history.Store, project string) (*history.Run, error)) (*report.Document, error) {
	l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) { return loadIfAny(nil, o) }, nil)
	if err != nil {
		// A run is found whatever became of the declaration.
		l = &loaded{decl: &checks.Declaration{}, config: c}
	}
	store, err := openHistory(l, history.Options{ReadOnly: true, OpenTimeout: lookTimeout})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.degraded(c, checks.Degradation{Feature: featureHistory, Reason: err.Error(), Count: 1})
		}
		return nil, history.ErrNoTrace
	}
	defer store.Close() //nolint:errcheck // nothing was written
	project := ""
	if len(l.decl.Files) > 0 {
		project = projectOf(l).Key
	}
	run, err := find(store, project)
	if err != nil {
		if !errors.Is(err, history.ErrNoTrace) && !errors.Is(err, history.ErrNoRun) {
			a.degraded(c, checks.Degradation{Feature: featureHistory, Reason: err.Error(), Count: 1})
		}
		return nil, history.ErrNoTrace
	}
	return keptDocument(run), nil
}
