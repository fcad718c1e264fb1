package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

// lookTimeout bounds how long a command that looks at the history waits for it
// to open.
const lookTimeout = 5 * time.Second

func (a *app) historyCmd() *cobra.Command {
	var configs []string
	cmd := &cobra.Command{
		Use:   "history [NAME|GLOB…]",
		Short: "Show what earlier runs found: strips, availability, latency, streaks",
		Long: `history shows a strip for each probe, one letter per run and the newest last, what
it says now and since when, when it was last measured, and over 24 hours, 7 days and
30 days how often it was measured, how often the source answered (available), how
often the contract was broken, and the latency (median and 95th percentile).
It shows the probes of the declaration in the current folder (or of -c), and those
of every project where there is none.

It ends with 0 whatever the runs found, and where there are none yet; with 2 for a
name that neither a run nor the declaration knows; with 3 where the history cannot be
read.`,
		Example: `  fonteviva history
  fonteviva history selic-diaria 'ibge-*'
  fonteviva history --since 7d --format json`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.history(cmd, configs, args) },
	}
	addConfigFlag(cmd, &configs)
	addStateFlag(cmd)
	cmd.Flags().String("since", "", "only runs since then: a `time` span such as 7d, a date or an RFC 3339 time")
	cmd.Flags().Var(newChoice("text", "text", "json"), "format", "`text` or json")
	cmd.Flags().String("lang", "", "`language` of what a person reads: en or pt-BR")
	cmd.Flags().String("color", "", "`when` to colour: auto, always or never (default auto)")
	return cmd
}

func (a *app) history(cmd *cobra.Command, configs, names []string) error {
	l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) { return loadIfAny(configs, o) }, nil)
	if err != nil {
		return err
	}
	now := time.Now()
	since, err := parseSince(cmd.Flag("since").Value.String(), now)
	if err != nil {
		return err
	}
	o := report.Options{Color: l.config.colored(a.outTTY), Lang: l.config.language(), Width: a.width}
	query := history.Query{Match: slices.Concat(names, madeOf(l.decl.Probes, names)), Since: since, Cells: report.StripCells(o)}
	if len(l.decl.Files) > 0 {
		query.Project = projectOf(l).Key
	}
	strips, err := a.strips(cmd, l, query)
	if err != nil {
		return err
	}
	if len(strips) == 0 && len(names) > 0 {
		if err := a.unmatched(cmd, l, query); err != nil {
			return err
		}
	}
	if cmd.Flag("format").Value.String() == "json" {
		return report.HistoryJSON(a.out, strips, now)
	}
	return report.History(a.out, strips, now, o)
}

// madeOf are the names of the probes that each: made of a declared name: whoever
// runs them by it finds what they found by it.
func madeOf(probes []*checks.Probe, names []string) (made []string) {
	for _, p := range probes {
		if p.Matrix != "" && slices.Contains(names, p.Matrix) {
			made = append(made, p.Name)
		}
	}
	return made
}

// unmatched is an error where a query names nothing that was ever run or that
// is declared; a known probe may well have no run of the asked time.
func (a *app) unmatched(cmd *cobra.Command, l *loaded, query history.Query) error {
	all, err := a.strips(cmd, l, history.Query{Project: query.Project})
	if err != nil {
		return err
	}
	var known []string
	for i := range all {
		known = append(known, all[i].Probe.Name)
	}
	for _, p := range l.decl.Probes {
		known = append(known, p.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, glob := range query.Match {
		if slices.ContainsFunc(known, func(name string) bool { ok, err := path.Match(glob, name); return ok && err == nil }) {
			return nil
		}
	}
	name := query.Match[0]
	return fmt.Errorf("no probe that was run or is declared is called %q\n  %s", name, cmp.Or(source.DidYouMean(name, known), "see fonteviva history, without a name"))
}

// strips reads the history; one that does not exist yet has none.
func (a *app) strips(cmd *cobra.Command, l *loaded, query history.Query) ([]history.Strip, error) {
	store, err := openHistory(l, history.Options{ReadOnly: true, OpenTimeout: lookTimeout})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, historyError(err)
	}
	defer store.Close() //nolint:errcheck // nothing was written
	strips, err := store.History(cmd.Context(), query)
	if err != nil {
		return nil, historyError(err)
	}
	return strips, nil
}

// historyError is a history that cannot be looked at, which is our own side.
func historyError(err error) error {
	return &exitError{report.ExitOwn, fmt.Errorf("history unavailable (%s)", report.Inert(err.Error(), 0))}
}

// parseSince reads a span before now, a date (its beginning in UTC) or a time.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := source.ParseDuration(s); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since: %q is neither a span such as 7d, nor a date such as 2026-11-01, nor an RFC 3339 time", s)
}
