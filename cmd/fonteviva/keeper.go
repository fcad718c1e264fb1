package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

// featureHistory names the degradation of a history that cannot be used.
const featureHistory = "history"

// How long the history may take to open while the run goes on, and how long the
// policy waits for it once the run is over; its reading has a bound of its own.
const (
	openBound = 5 * time.Second
	waitBound = 200 * time.Millisecond
)

// keeper keeps a run in the history: it reads before the policy decides and
// writes after the reports are out. A nil keeper keeps nothing.
type keeper struct {
	project history.Project
	opened  chan struct{} // closed when store and err are there
	store   *history.Store
	err     error  // why it is not open
	said    string // the reason that a degradation of the run tells
	packed  *history.Packed
}

// newKeeper begins to open the history while the run goes on; nil where it is
// turned off.
func newKeeper(l *loaded, probes []*checks.Probe) *keeper {
	if l.config.str("history") == "off" {
		return nil
	}
	k := &keeper{project: projectOf(l), opened: make(chan struct{})}
	go func() {
		k.store, k.err = openHistory(l, history.Options{OpenTimeout: openBound})
		close(k.opened)
		if k.err == nil {
			k.readAhead(probes)
		}
	}()
	return k
}

// readAhead lets the store read what the policy will ask for: then only what
// other runs have added meanwhile is left. An error comes again when it matters.
func (k *keeper) readAhead(probes []*checks.Probe) {
	keys := make([]history.Probe, len(probes))
	for i, p := range probes {
		keys[i].Name = p.Name
	}
	_, _ = k.store.Before(context.Background(), k.project, keys)
}

// wait waits until the history is open, for so long at most.
func (k *keeper) wait(limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-k.opened:
		return k.err
	case <-timer.C:
		return fmt.Errorf("could not open within %s", limit)
	}
}

// openHistory opens the history that the settings name.
func openHistory(l *loaded, o history.Options) (*history.Store, error) {
	dir, err := stateDir(l)
	if err != nil {
		return nil, err
	}
	// What nobody says is not parsed: that alone would cost as much as the opening.
	if l.config.str("history_keep") != "" {
		o.Keep = l.config.duration("history_keep", history.DefaultKeep)
	}
	if text := l.config.str("history_max_size"); text != "" {
		if size, err := source.ParseSize(text); err == nil {
			o.MaxSize = size
		}
	}
	return history.Open(dir, o)
}

// historyFiles are the files of the history, whether this run keeps one or not.
func historyFiles(l *loaded) []string {
	dir, err := stateDir(l)
	if err != nil {
		return nil
	}
	files := history.Files()
	for i, name := range files {
		files[i] = filepath.Join(dir, name)
	}
	return files
}

// projectOf is the project that the declaration names, else the one that the
// files and folders stand for which it was read from: a folder may get another
// file, and its probes are the same as before.
func projectOf(l *loaded) history.Project {
	if name := l.config.str("project"); name != "" {
		return history.NamedProject(name)
	}
	return history.ProjectOf(l.decl.Named)
}

// stateDir is the folder of the history: the setting's, else that of the XDG
// base directory specification. A relative one of a declaration begins at the
// declaration, one of a flag or of the environment at the current folder.
func stateDir(l *loaded) (string, error) {
	if dir := l.config.str("state_dir"); dir != "" {
		if !filepath.IsAbs(dir) && !l.config.given("state_dir") && len(l.decl.Files) > 0 {
			dir = filepath.Join(filepath.Dir(l.decl.Files[0]), dir)
		}
		return filepath.Abs(dir)
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "fonteviva"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for it: %w; name one with --state-dir", err)
	}
	return filepath.Join(home, ".local", "state", "fonteviva"), nil
}

// remember fills in what earlier runs make of the results. What cannot be read
// is a degradation of the run.
func (k *keeper) remember(rep *checks.Report, probes []*checks.Probe, overdue time.Duration) {
	if k == nil {
		return
	}
	err := k.wait(waitBound)
	if err == nil {
		err = k.read(rep, probes, overdue)
	}
	if err != nil {
		k.said = err.Error()
		rep.Degraded = append(rep.Degraded, checks.Degradation{Feature: featureHistory, Reason: k.said, Count: 1})
	}
}

func (k *keeper) read(rep *checks.Report, probes []*checks.Probe, overdue time.Duration) error {
	keys := make([]history.Probe, len(rep.Results))
	for i := range rep.Results {
		keys[i] = history.ProbeOf(&rep.Results[i])
	}
	// Even an interrupted run is read and kept: its context has ended.
	before, err := k.store.Before(context.Background(), k.project, keys)
	if err != nil {
		return err
	}
	byName := make(map[string]*checks.Probe, len(probes))
	for _, p := range probes {
		byName[p.Name] = p
	}
	limits := history.Limits{Overdue: overdue, Now: time.Now()}
	for i := range rep.Results {
		r := &rep.Results[i]
		limits.MaxUnmeasured, limits.MaxEmpty = 0, 0
		if p := byName[r.Name]; p != nil {
			limits.MaxUnmeasured, limits.MaxEmpty = p.MaxUnmeasured, p.MaxEmpty
		}
		history.Remember(r, rep.StartedAt, before[i], limits)
	}
	return nil
}

// pack begins to make a run ready for save, while its reports are written.
func (k *keeper) pack(doc *report.Document) {
	if k != nil {
		k.packed = history.Pack(doc.Results)
	}
}

// errGivenUp is a history that others kept busy when a signal came.
var errGivenUp = errors.New("a signal came before the run was stored")

// save keeps the run that a document tells of, whether or not earlier ones could
// be read in time. It gives up on other runs when ctx ends.
func (k *keeper) save(ctx context.Context, doc *report.Document) error {
	if k == nil {
		return nil
	}
	err := k.wait(openBound)
	if err == nil {
		run := &doc.Run
		err = k.store.Save(ctx, k.project, &history.Run{
			Trace: run.Trace, StartedAt: run.StartedAt, DurationMS: run.DurationMS, Profile: run.Profile, PolicyFormat: run.PolicyFormat,
			ExitCode: run.ExitCode, Degraded: run.Degraded, Origins: run.Origins, Results: doc.Results, Packed: k.packed,
		})
		_ = k.store.Leave() // what Save has reported as kept stays
	}
	switch {
	case err != nil && err.Error() == k.said:
		return nil
	case err != nil && ctx.Err() != nil && !errors.Is(err, history.ErrNotTakenOver):
		return errGivenUp
	}
	return err
}

// keptDocument makes the document of a kept run.
func keptDocument(run *history.Run) *report.Document {
	return &report.Document{
		Version: report.Version, Summary: report.Summarize(run.Results), Results: run.Results,
		Run: report.Run{
			Trace: run.Trace, StartedAt: run.StartedAt, DurationMS: run.DurationMS, Profile: run.Profile, PolicyFormat: run.PolicyFormat,
			ExitCode: run.ExitCode, Degraded: run.Degraded, Origins: run.Origins,
		},
	}
}

func checkSwitch(s string) error {
	if s != "on" && s != "off" {
		return fmt.Errorf("expected on or off, got %q", s)
	}
	return nil
}

func checkProject(s string) error {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("expected one line of at most 200 bytes")
	}
	return nil
}

func checkSize(s string) error {
	size, err := source.ParseSize(s)
	if err == nil && size < 1<<20 {
		err = fmt.Errorf("expected at least 1MiB, got %q", s)
	}
	return err
}
