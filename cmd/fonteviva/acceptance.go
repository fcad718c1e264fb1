package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/report"
)

// acceptance settles one file after the other.
type acceptance struct {
	app *app
	acceptFlags
	in              *bufio.Reader
	bad, warn, good *color.Color
}

func newAcceptance(a *app, l *loaded, f acceptFlags) *acceptance {
	c := &acceptance{app: a, acceptFlags: f, in: bufio.NewReader(a.in),
		bad: color.New(color.FgRed), warn: color.New(color.FgYellow), good: color.New(color.FgGreen)}
	for _, style := range []*color.Color{c.bad, c.warn, c.good} {
		if l.config.colored(a.outTTY) {
			style.EnableColor()
		} else {
			style.DisableColor()
		}
	}
	return c
}

func (c *acceptance) say(style *color.Color, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if style != nil {
		text = style.Sprint(text)
	}
	fmt.Fprintln(c.app.out, text)
}

// settle decides about one file, and gives the exit code that it asks for.
func (c *acceptance) settle(t *target, answers map[string]answered) int {
	var seen []*expect.Observation
	codes := []int{}
	for _, p := range t.probes {
		got := answers[p.Name]
		code := c.refuse(t, p, &got)
		codes, seen = append(codes, code), append(seen, got.seen)
	}
	if code := report.Worst(codes...); code != report.ExitOK {
		return code
	}
	// Whoever else accepts the same file at the same time is seen under its
	// lock: what was shown is then no longer what would change.
	for range 20 {
		code, err := c.once(t, seen)
		if !errors.Is(err, errChanged) {
			return code
		}
	}
	c.say(c.bad, "%s: others keep writing it; run accept again", t.name())
	return report.ExitOutput
}

// unseen is why the expectations of a measured answer had nothing to judge.
func unseen(r *checks.Result) string {
	if r.Rule != nil {
		return "a rule of the origin says what it means"
	}
	return "it is empty in the way that empty_when: describes"
}

// refuse says why nothing can be recorded of a probe, where that is so.
func (c *acceptance) refuse(t *target, p *checks.Probe, got *answered) int {
	r := &got.result
	switch {
	case !r.Measured:
		why := ""
		if r.Motivo != nil {
			why = ": " + report.Inert(*r.Motivo, 0)
		}
		c.say(c.bad, "%s: not measured (%s%s), so that nothing is recorded", p.Name, r.Finding, why)
		return unmeasuredExit(r)
	case got.seen == nil:
		c.say(c.bad, "%s: the answer has nothing to record: %s", p.Name, unseen(r))
		return report.ExitUnmeasured
	}
	if r.Unstable {
		c.say(c.warn, "%s: ⚠ its trips disagree; this is the last one", p.Name)
	}
	code := report.ExitOK
	kind := t.recording.Kind()
	for _, m := range r.Mismatches {
		if m.Severity != expect.Fail || m.Code == kind || strings.HasPrefix(m.Code, kind+".") {
			continue
		}
		if code == report.ExitOK {
			c.say(c.bad, "%s: another expectation does not hold, so that nothing is recorded; correct it first", p.Name)
		}
		at := ""
		if m.Path != nil {
			at = " " + *m.Path
		}
		c.say(nil, "  %s: want %s, got %s", report.Inert(m.Code+at, 0), report.Inert(m.Want, 0), report.Inert(m.Got, 0))
		code = report.ExitContract
	}
	return code
}

// unmeasuredExit is the code of a run that fails on the finding.
func unmeasuredExit(r *checks.Result) int {
	if r.Detail != nil && *r.Detail == checks.DetailRunBudget {
		return report.ExitUnmeasured
	}
	switch r.Finding {
	case checks.Indisponivel:
		return report.ExitTemporary
	case checks.Ambiguo:
		return report.ExitAmbiguous
	case checks.Alheio:
		return report.ExitOwn
	}
	return report.ExitContract
}

// once shows what would change in a file, asks, and writes it. The error is
// errChanged, or nil where the outcome has been said.
func (c *acceptance) once(t *target, seen []*expect.Observation) (int, error) {
	r, err := openRecord(t.dir, t.file)
	if err != nil {
		return c.unwritten(t, err), nil
	}
	defer r.close()
	by := expect.Acceptance{Probe: t.probes[0].Name, At: time.Now()}
	next, changes, err := t.recording.Record(c.app.signals.ctx, r.current, seen, by)
	switch {
	case err != nil:
		c.say(c.bad, "%s: nothing is recorded: %s", t.name(), report.Inert(err.Error(), 0))
		return report.ExitContract, nil
	case next == nil:
		c.say(c.good, "%s: unchanged", t.name())
		return report.ExitOK, nil
	}
	if c.show(t, r.current == nil, changes); c.dry {
		if r.current != nil {
			return report.ExitContract, nil // a change that nobody has accepted
		}
		return report.ExitOK, nil
	}
	if r.current != nil && !c.yes {
		if !c.app.inTTY {
			c.say(nil, "  not accepted: there is no terminal to ask at; --yes accepts it")
			return report.ExitContract, nil
		}
		if !c.confirm(c.app.signals.ctx, t) {
			c.say(nil, "  not accepted")
			return report.ExitContract, nil
		}
	}
	if err := r.write(c.app.signals.ctx, next); errors.Is(err, errChanged) {
		return 0, err
	} else if err != nil {
		return c.unwritten(t, err), nil
	}
	c.say(c.good, "  recorded")
	return report.ExitOK, nil
}

func (c *acceptance) unwritten(t *target, err error) int {
	c.say(c.bad, "%s: cannot be written: %v", t.name(), cause(err))
	return report.ExitOutput
}

// show lists the changes, those that break in red.
func (c *acceptance) show(t *target, fresh bool, changes []expect.Change) {
	names := make([]string, len(t.probes))
	for i, p := range t.probes {
		names[i] = p.Name
	}
	what := "new"
	if !fresh {
		breaking := 0
		for _, ch := range changes {
			if ch.Breaking {
				breaking++
			}
		}
		what = howMany(len(changes), breaking)
	}
	c.say(nil, "%s: %s (of %s)", t.name(), what, strings.Join(names, ", "))
	for _, ch := range changes {
		style, mark := c.warn, "+"
		if ch.Breaking {
			style, mark = c.bad, "!"
		}
		c.say(style, "  %s %s at %s: %s → %s", mark, ch.Code, report.Inert(ch.Path, 200), report.Inert(ch.Was, 200), report.Inert(ch.Is, 200))
	}
}

// howMany counts changes.
func howMany(changes, breaking int) string {
	switch {
	case changes > 1:
		return fmt.Sprintf("%d changes, %d of them breaking", changes, breaking)
	case breaking > 0:
		return "1 change, which is breaking"
	}
	return "1 change, which breaks nothing"
}

// confirm asks a person; only a yes is one, and an interruption is none.
func (c *acceptance) confirm(ctx context.Context, t *target) bool {
	fmt.Fprintf(c.app.err, "  accept this as %s? [y/N] ", t.name())
	line := make(chan string, 1)
	go func() {
		text, _ := c.in.ReadString('\n') // what came before the end of the input counts
		line <- text
	}()
	select {
	case text := <-line:
		return slices.Contains([]string{"y", "yes", "s", "sim"}, strings.ToLower(strings.TrimSpace(text)))
	case <-ctx.Done():
		return false
	}
}

// cause drops the path that an error of the file system repeats.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
