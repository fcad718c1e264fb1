package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/report"
)

func (a *app) reportCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "report [FILE|-]",
		Short: "Write a recorded run (json or ndjson) in another format",
		Long: `report reads a run that --format json or ndjson has written, from a file or from
stdin, applies the policy anew and writes it. Its exit code is that of the run
under this policy.`,
		Example: `  fonteviva run --format json | fonteviva report --format junit > report.xml
  fonteviva report run.ndjson -v
  fonteviva report --profile recovery < run.json`,
		Args: argCount(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.reread(cmd, f, args) },
	}
	addConfigFlag(cmd, &f.configs)
	addReportFlags(cmd, &f)
	return cmd
}

func (a *app) reread(cmd *cobra.Command, f runFlags, args []string) error {
	if len(args) == 0 {
		args = []string{"-"}
	}
	doc, err := a.readDocument(args)
	if err != nil {
		return err
	}
	return a.judgeAnew(cmd, f, args, func(policy *report.Policy, format string) *report.Document { return doc.Rejudge(policy, format) })
}

// judgeAnew writes what was recorded earlier under the policy of now: that of
// the flags, and of the declaration where one is named. inputs are the files
// that were read, which no report may replace.
func (a *app) judgeAnew(cmd *cobra.Command, f runFlags, inputs []string, judge func(policy *report.Policy, format string) *report.Document) error {
	l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) {
		if len(f.configs) == 0 {
			return &checks.Declaration{}, nil
		}
		return checks.Load(f.configs, o)
	}, f.on)
	if err != nil {
		return err
	}
	f.inputs = slices.Concat(inputs, l.decl.Files, l.decl.Reads, historyFiles(l))
	r, err := formats(l.config, f)
	if err != nil {
		return err
	}
	a.write(l.config, judge(l.policy, r.main.Name), r)
	return nil
}

// readDocument reads the run from the named file, else from stdin.
func (a *app) readDocument(args []string) (*report.Document, error) {
	name, from := "-", a.in
	if len(args) == 1 && args[0] != "-" {
		name = args[0]
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		from = file
	} else if a.inTTY {
		return nil, errors.New("a run is read from a file or from a pipe\n  fonteviva run --format json | fonteviva report --format junit")
	}
	doc, err := report.Read(from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n  a report is what fonteviva run --format json (or ndjson) writes", cmp.Or(map[string]string{"-": "stdin"}[name], name), err)
	}
	return doc, nil
}
