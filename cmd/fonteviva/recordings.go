package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/recording"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/report"
)

// defaultRecordings is the folder of recordings where none is named.
const defaultRecordings = "recordings"

func (a *app) recordCmd() *cobra.Command {
	var f runFlags
	var dir string
	cmd := &cobra.Command{
		Use:   "record [NAME|GLOB…]",
		Short: "Run live, and keep what the sources answer for run --replay",
		Long: `record runs as run does, and writes what each probe asked and got into one file
that a person can read: headers, body, timing. Secrets, credentials and the values of
cookies are masked in it. A request that nothing answered has no recording, and files
of probes that no longer exist stay; both are said. The exit code is the run's.`,
		Example: `  fonteviva record
  fonteviva record 'ibge-*' --dir fixtures/ibge
  fonteviva run --replay recordings`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.doRecord(cmd, f, dir, args) },
	}
	a.addRunFlags(cmd, &f)
	cmd.Flags().StringVar(&dir, "dir", defaultRecordings, "`folder` of the recordings")
	return cmd
}

func (a *app) doRecord(cmd *cobra.Command, f runFlags, dir string, names []string) error {
	var l *loaded
	var rep *checks.Report
	f.tape, f.recordings = new(fetch.Tape), dir
	f.ran = func(of *loaded, r *checks.Report) { l, rep = of, r }
	var folder *recording.Folder
	f.ready = func(probes []*checks.Probe) (err error) {
		if folder, err = recording.Open(dir); err != nil {
			return fmt.Errorf("--dir: %w", err)
		}
		if err := spared(folder, dir, probes); err != nil {
			folder.Close()
			return err
		}
		return nil
	}
	if err := a.doRun(cmd, f, names); err != nil {
		return err
	}
	defer folder.Close()
	defer a.signals.hold()() // a recording is written whole
	if rep.Interrupted {
		fmt.Fprintln(a.err, "interrupted: nothing was recorded")
		return nil
	}
	for i := range rep.Results {
		if err := a.keepRecording(folder, dir, f.tape, &rep.Results[i]); err != nil {
			a.degraded(l.config, checks.Degradation{Feature: "recording", Reason: rep.Results[i].Name + ": " + err.Error(), Count: 1})
			a.exit = report.Worst(a.exit, report.ExitOutput)
		}
	}
	return a.nameStrays(folder, dir, l.decl)
}

// spared refuses a folder where a recording would replace what is none.
func spared(folder *recording.Folder, dir string, probes []*checks.Probe) error {
	names := make([]string, len(probes))
	for i, p := range probes {
		names[i] = p.Name
	}
	foreign, err := folder.Foreign(names)
	if err != nil {
		return fmt.Errorf("--dir %s: %w", dir, err)
	}
	if len(foreign) > 0 {
		return fmt.Errorf("--dir %s: %s is no recording, and one would replace it; name another folder, or move it away",
			report.Inert(dir, 0), report.Inert(filepath.Join(dir, foreign[0]), 0))
	}
	return nil
}

// keepRecording writes one probe's recording, and says what is in it.
func (a *app) keepRecording(folder *recording.Folder, dir string, tape *fetch.Tape, r *checks.Result) error {
	list := tape.Take(r.Name)
	answers, gaps := 0, []string{}
	for i := range list {
		if why := string(list[i].Unanswered); why == "" {
			answers++
		} else if !slices.Contains(gaps, why) {
			gaps = append(gaps, why)
		}
	}
	said := fmt.Sprintf("%s recorded", plural(answers, "answer", "answers"))
	switch {
	case answers > 0:
		if err := folder.Write(r.Name, list); err != nil {
			return err
		}
		if n := len(list) - answers; n > 0 {
			said += fmt.Sprintf("; %s got none (%s)", plural(n, "request", "requests"), strings.Join(gaps, ", "))
		}
		fmt.Fprintf(a.err, "%s: %s\n", report.Inert(filepath.Join(dir, recording.FileName(r.Name)), 0), said)
		return nil
	case r.SharedWith != nil:
		said = "shares the recording of " + *r.SharedWith
	case len(list) > 0:
		said = fmt.Sprintf("nothing recorded: no answer (%s)", strings.Join(gaps, ", "))
	default:
		said = "nothing recorded: not asked over HTTP"
	}
	if r.SharedWith == nil && folder.Has(r.Name) {
		said += "; the recording of before stays"
	}
	fmt.Fprintf(a.err, "%s: %s\n", r.Name, said)
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// nameStrays lists recordings of probes that are not declared.
func (a *app) nameStrays(folder *recording.Folder, dir string, d *checks.Declaration) error {
	names := make([]string, len(d.Probes))
	for i, p := range d.Probes {
		names[i] = p.Name
	}
	strays, err := folder.Others(names)
	for _, s := range strays {
		fmt.Fprintf(a.err, "%s: no probe of that name is declared; remove it if it is of no use\n", report.Inert(filepath.Join(dir, s), 0))
	}
	return err
}

// openReplay reads the recordings that a run is to be answered from.
func openReplay(dir string) (*fetch.Replay, error) {
	recordings, err := recording.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("--replay %s: %w\n  recordings are made with: fonteviva record --dir DIR", report.Inert(dir, 0), err)
	}
	return fetch.NewReplay(recordings), nil
}

// sayReplay tells a person that nothing was asked now.
func (a *app) sayReplay(l *loaded, dir string) {
	if l.policy.Profile.Quiet {
		return
	}
	text := report.Text{
		EN: "\nAnswered from the recordings in %s: no source was asked.\n",
		PT: "\nRespondido pelas gravações em %s: nenhuma fonte foi perguntada.\n",
	}
	fmt.Fprintf(a.err, text.In(l.config.language()), report.Inert(filepath.Clean(dir)+string(os.PathSeparator), 0))
}
