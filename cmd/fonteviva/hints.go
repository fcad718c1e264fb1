package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fonteviva/fonteviva/checks/source"
)

// flagError adds the nearest flag to an unknown one, and the way to help to
// every error about flags.
func flagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("see %s --help", cmd.CommandPath())
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := source.Suggest(unknown.GetSpecifiedName(), names); near != "" {
			hint = fmt.Sprintf("did you mean --%s? %s", near, hint)
		}
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if want := valueForms[wrong.GetFlag().Value.Type()]; want != "" {
			err = fmt.Errorf("--%s: expected %s, got %q", wrong.GetFlag().Name, want, wrong.GetValue())
		}
	}
	return fmt.Errorf("%w\n  %s", err, hint)
}

// valueForms says what a flag takes, by the type of its value; the library's
// own words name its functions.
var valueForms = map[string]string{"int": "a whole number", "bool": "true or false", "duration": "a duration such as 10s"}

// argCount demands so many arguments; no upper bound with high 0.
func argCount(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		want := ""
		switch n := len(args); {
		case n < low && low == high:
			want = fmt.Sprintf("takes %s, got none", plural(low, "argument", "arguments"))
		case n < low:
			want = fmt.Sprintf("takes at least %s, got none", plural(low, "argument", "arguments"))
		case high > 0 && n > high:
			want = fmt.Sprintf("takes at most %s, got %d", plural(high, "argument", "arguments"), n)
		default:
			return nil
		}
		return fmt.Errorf("%s %s\n  fonteviva %s\n  see %s --help", cmd.CommandPath(), want, cmd.Use, cmd.CommandPath())
	}
}

// noArgs refuses arguments where a command takes none, and suggests what was
// meant.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no argument, got %q\n  see %s --help", cmd.CommandPath(), strings.Join(args, " "), cmd.CommandPath())
}

// helpKnown makes help refuse a word that is no command, as the root does.
func helpKnown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		show := c.Run
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if target, rest, err := root.Find(args); err == nil && target == root && len(rest) > 0 {
				return knownCommand(root, rest)
			}
			show(cmd, args)
			return nil
		}
	}
}

// knownCommand refuses a word that is no command, with the nearest that is.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if slices.Contains(names, args[0]) {
		// Only -- keeps a command from being found.
		return fmt.Errorf("a command does not stand after --\n  write it first: %s %s", cmd.CommandPath(), args[0])
	}
	return fmt.Errorf("unknown command %q\n  %s", args[0], source.DidYouMean(args[0], names))
}
