package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/report"
)

func main() {
	delayGC()
	os.Exit(run(os.Args[1:], systemStreams()))
}

// streams is what the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// inTTY, outTTY and errTTY say whether a person's terminal is behind them;
	// width is that of out in columns, 0 when not known.
	inTTY, outTTY, errTTY bool
	// inNone says that nothing can come from in: it is a device such as
	// /dev/null, as it is for a job.
	inNone bool

	width int
}

func systemStreams() streams {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	s.inTTY = term.IsTerminal(int(os.Stdin.Fd()))
	if info, err := os.Stdin.Stat(); err == nil {
		s.inNone = !s.inTTY && info.Mode()&os.ModeCharDevice != 0
	}
	s.outTTY, s.errTTY = term.IsTerminal(int(os.Stdout.Fd())), term.IsTerminal(int(os.Stderr.Fd()))
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		s.width = w
	}
	return s
}

// app is one invocation.
type app struct {
	streams
	signals *signals
	exit    int  // what the command that ran asks for
	lost    bool // a report could not be written, and that was said
	// secrets hides what the declaration calls a secret in what is said beside
	// the reports; nil until one is read.
	secrets *secret.Redactor
}

// run executes one command line and gives the exit code.
func run(args []string, s streams) (code int) {
	// A closed pipe must come as an error that a writer can handle, not end
	// the process.
	signal.Ignore(syscall.SIGPIPE)
	// net/http writes what origins send out of turn to the standard logger, in
	// clear: it may hold what we sent, and it is nobody's report.
	log.SetOutput(io.Discard)
	sig := newSignals()
	defer sig.stop()
	out := sig.watched(s.out)
	s.out, s.err = out, sig.watched(s.err)
	a := &app{streams: s, signals: sig}
	defer func() {
		if broke := recover(); broke != nil {
			code = a.panicked(broke, debug.Stack())
		}
	}()
	// Colour is decided by this command, never by the library's own look at
	// the terminal.
	color.NoColor = false
	root := a.root(args)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	if !root.CompletionOptions.DisableDefaultCmd {
		tellShells(root)
	}
	cmd, err := root.ExecuteContextC(a.signals.ctx)
	if lost := out.failure(); lost != nil && (err == nil || errors.Is(err, lost)) {
		return a.unwritten(lost)
	}
	if err != nil {
		if a.plugin(cmd, err) {
			return report.ExitUnknown
		}
		return a.fail(err)
	}
	return a.exit
}

// unwritten says that standard output could not be written, where no report has
// said so already.
func (a *app) unwritten(lost error) int {
	if !a.lost {
		fmt.Fprintf(a.err, "fonteviva: standard output could not be written: %v\n", cause(lost))
	}
	return report.Worst(a.exit, report.ExitOutput)
}

// exitError is an error that asks for an exit code of its own; every other
// error is the user's (2).
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// fail says what is wrong on stderr.
func (a *app) fail(err error) int {
	if errors.Is(err, syscall.EPIPE) {
		return a.exit
	}
	fmt.Fprintf(a.err, "fonteviva: %s\n", a.said(err))
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return report.ExitUsage
}

// said is an error for a person, each of its lines inert: names of files and
// lines of a declaration stand in it, which not everybody who runs it has written.
func (a *app) said(err error) string {
	lines := strings.Split(a.secrets.String(err.Error()), "\n")
	for i, line := range lines {
		lines[i] = report.GuardLine(report.Inert(line, maxSaid))
	}
	return strings.Join(lines, "\n")
}

// maxSaid bounds a line of an error, in bytes.
const maxSaid = 64 << 10

// panicked says that this program is broken, line by line and inert: what a
// panic carries can come from anywhere.
func (a *app) panicked(broke any, stack []byte) int {
	text := a.secrets.String(fmt.Sprintf("panic: %v\n%s", broke, stack))
	fmt.Fprintln(a.err, "fonteviva: this is a defect of fonteviva; please report it")
	for line := range strings.Lines(text) {
		fmt.Fprintln(a.err, "  "+report.Inert(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "  "), 0))
	}
	return report.ExitOwn
}

// root is the command tree.
func (a *app) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "fonteviva",
		Short: "Did the source change, or is it down?",
		Long: `fonteviva probes declared contracts against live third-party sources and says,
for each one, whether the source changed (drift: a defect to fix) or is down
(nothing to fix, try again later). An outage never looks like drift, and nothing
unmeasured ever looks like a pass.`,
		Example: `  fonteviva demo                     # see every finding, on a simulated origin
  fonteviva init URL                 # write a declaration to begin with
  fonteviva run                      # probe what fonteviva.yaml declares
  fonteviva run --profile smoke      # after a deploy
  fonteviva explain ambiguo          # what a word or an exit code means`,
		SilenceUsage: true, SilenceErrors: true,
		Args:             knownCommand,
		PersistentPreRun: func(*cobra.Command, []string) { <-a.signals.heeded },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("version") {
				return a.printVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().Bool("version", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = false
	if a.addCommands(root, args) {
		root.CompletionOptions.DisableDefaultCmd = true // a shell that asks names none of ours
		return root
	}
	completeValues(root)
	return root
}

// addCommands adds the command that the first argument names, and reports true,
// or all of them where it names none: making every command costs a start more
// than a parse of its own arguments.
func (a *app) addCommands(root *cobra.Command, args []string) bool {
	commands := []struct {
		name string
		make func() *cobra.Command
	}{
		{"run", a.runCmd}, {"record", a.recordCmd}, {"accept", a.acceptCmd}, {"validate", a.validateCmd}, {"list", a.listCmd},
		{"policy", a.policyCmd}, {"report", a.reportCmd}, {"merge", a.mergeCmd}, {"history", a.historyCmd}, {"trace", a.traceCmd},
		{"formats", a.formatsCmd}, {"demo", a.demoCmd}, {"origin", a.originCmd}, {"mcp", a.mcpCmd}, {"init", a.initCmd},
		{"schema", a.schemaCmd}, {"explain", a.explainCmd}, {"version", a.versionCmd},
	}
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			root.AddCommand(c.make())
			return true
		}
	}
	for _, c := range commands {
		root.AddCommand(c.make())
	}
	if len(args) > 0 && args[0] == "help" {
		helpKnown(root)
	}
	return false
}
