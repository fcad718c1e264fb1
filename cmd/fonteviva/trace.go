package main

import (
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/report"
)

func (a *app) traceCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace [CODE] [FILE|-]",
		Short: "Draw the attempts, waits and phases of a result on a time axis",
		Long: `trace draws what a recorded run (json or ndjson, from a file or a pipe) did on the
network: trips, attempts, waits, and the phases of each attempt. CODE is the trace
code of a result, or of the whole run; without it, what was not plainly ok is drawn.`,
		Example: `  fonteviva run --format json | fonteviva trace
  fonteviva trace 7M2KQ0ZD run.ndjson`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.trace(cmd, args) },
	}
	cmd.Flags().String("lang", "", "`language` of what a person reads: en or pt-BR")
	cmd.Flags().String("color", "", "`when` to colour: auto, always or never (default auto)")
	return cmd
}

// codeForm is what a trace code looks like; a file of that name is given as
// ./NAME.
var codeForm = regexp.MustCompile(`^[0-9A-Za-z]{8}$`)

func (a *app) trace(cmd *cobra.Command, args []string) error {
	c, err := newConfig(cmd.Flags())
	if err != nil {
		return err
	}
	code := ""
	if len(args) > 0 && codeForm.MatchString(args[0]) {
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
	doc, err := a.readDocument(args)
	if err != nil {
		return err
	}
	results, err := report.TraceResults(doc, code)
	if err != nil {
		return err
	}
	return report.Waterfall(a.out, results, report.Options{Color: c.colored(a.outTTY), Lang: c.language(), Width: a.width})
}
