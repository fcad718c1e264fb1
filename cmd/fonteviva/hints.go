package main

import (
	"errors"
	"fmt"
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
	return fmt.Errorf("%w\n  %s", err, hint)
}

// noArgs refuses arguments where a command takes none, and suggests what was
// meant.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no argument, got %q\n  see %s --help", cmd.CommandPath(), strings.Join(args, " "), cmd.CommandPath())
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
	return fmt.Errorf("unknown command %q\n  %s", args[0], source.DidYouMean(args[0], names))
}
