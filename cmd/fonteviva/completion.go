package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

// tellShells makes the library's completion command refuse a shell that it does
// not know.
func tellShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	var shells []string
	for _, c := range completion.Commands() {
		shells = append(shells, c.Name())
	}
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return fmt.Errorf("there is no completion for %q\n  %s", args[0], source.DidYouMean(args[0], shells))
	}
}

// completeValues lets a shell complete what the flags and arguments of every
// command take.
func completeValues(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		completeValues(sub)
	}
	for name, values := range map[string]func(*cobra.Command) []string{
		"profile": profileNames,
		"lang":    func(*cobra.Command) []string { return []string{string(report.EN), string(report.PT)} },
		"color":   func(*cobra.Command) []string { return []string{"auto", "always", "never"} },
		"on":      overrides,
		"tag":     tagNames,
		"format":  formatValues,
	} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return values(cmd), cobra.ShellCompDirectiveNoFileComp
			}) // it fails for a flag that is not there or has one, and neither is so
		}
	}
	if strings.Contains(cmd.Use, "[NAME|GLOB…]") {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return slices.DeleteFunc(probeNames(cmd), func(name string) bool { return slices.Contains(args, name) }), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

func formatValues(cmd *cobra.Command) []string {
	if c, ok := cmd.Flag("format").Value.(*choice); ok {
		return c.words
	}
	return report.FormatNames()
}

// overrides lists every FINDING=DISPOSITION.
func overrides(*cobra.Command) (list []string) {
	for _, f := range checks.Findings() {
		for _, d := range report.Dispositions() {
			list = append(list, string(f)+"="+string(d))
		}
	}
	return list
}

// declaredFor is the declaration of a command line that is being completed; an
// empty one where there is none, or none that is valid.
func declaredFor(cmd *cobra.Command) *checks.Declaration {
	configs, _ := cmd.Flags().GetStringArray("config") // none without the flag
	d, err := loadIfAny(configs, checks.LoadOptions{Recording: true})
	if err != nil {
		return &checks.Declaration{}
	}
	return d
}

func profileNames(cmd *cobra.Command) []string { return report.ProfileNames(declaredFor(cmd)) }

func probeNames(cmd *cobra.Command) (list []string) {
	for _, p := range declaredFor(cmd).Probes {
		list = append(list, p.Name)
	}
	return list
}

func tagNames(cmd *cobra.Command) (list []string) {
	for _, p := range declaredFor(cmd).Probes {
		list = append(list, p.Tags...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
