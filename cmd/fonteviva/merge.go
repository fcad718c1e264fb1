package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/report"
)

func (a *app) mergeCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "merge FILE…",
		Short: "Join the reports of several runs or shards into one",
		Long: `merge reads runs that --format json or ndjson has written and writes them as one,
in the declaration's order, under the policy. Its exit code is that of the whole.

Results of one probe and vantage are one: the later run's counts. A broken contract
stays until a later run measures the probe, so that an outage never hides it.`,
		Example: `  fonteviva merge shard-1.ndjson shard-2.ndjson
  fonteviva merge shard-*.json --format junit > report.xml
  fonteviva merge first.ndjson again.ndjson --output html=report.html`,
		Args: argCount(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd, f, args) },
	}
	addConfigFlag(cmd, &f.configs)
	addReportFlags(cmd, &f)
	return cmd
}

func (a *app) merge(cmd *cobra.Command, f runFlags, args []string) error {
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return errors.New("merge can read stdin only once")
	}
	docs := make([]*report.Document, len(args))
	for i := range args {
		var err error
		if docs[i], err = a.readDocument(args[i : i+1]); err != nil {
			return err
		}
	}
	merged, err := report.Merge(docs)
	if err != nil {
		return err
	}
	return a.judgeAnew(cmd, f, args, func(policy *report.Policy, format string) *report.Document {
		return report.NewDocument(merged, policy, report.DecideOptions{Format: format})
	})
}
