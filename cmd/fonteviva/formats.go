package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/report"
)

func (a *app) formatsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the formats, and what each does with each finding",
		Long: `formats lists every format that --format and --output take, with its default row
of the policy. "fonteviva policy" shows the rows as a declaration, a profile and
flags make them.`,
		Example: `  fonteviva formats
  fonteviva formats --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newConfig(cmd.Flags())
			if err != nil {
				return err
			}
			if cmd.Flag("format").Value.String() == "json" {
				data, err := report.MarshalFormats(c.language())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "%s\n", data)
				return err
			}
			return report.RenderFormats(a.out, report.Options{Lang: c.language(), Width: a.width})
		},
	}
	cmd.Flags().Var(newChoice("text", "text", "json"), "format", "`text` or json")
	cmd.Flags().String("lang", "", "`language` of what a person reads: en or pt-BR")
	return cmd
}

// plugin says an error as a monitoring system wants it, where nagios owns the
// exit code: a line on stdout that says unknown. For its server exit 2 would be
// a broken contract.
func (a *app) plugin(cmd *cobra.Command, err error) bool {
	flag := cmd.Flag("format")
	if flag == nil || flag.Value.Type() != "string" {
		return false
	}
	if c, _ := newConfig(cmd.Flags()); c == nil || c.str("format") != "nagios" {
		return false
	}
	fmt.Fprint(a.out, report.UnknownLine(err))
	return true
}
