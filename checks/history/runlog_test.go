package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// threeRuns is a log of three runs of two probes, and where each ends.
func threeRuns(t testing.TB) (whole []byte, runs []*Run, ends []int) {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir, Options{Now: func() time.Time { return start.AddDate(0, 1, 0) }, ReadTimeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 3 {
		run := runOf(start.Add(time.Duration(n)*time.Hour), 2, func(i int) checks.Finding { return checks.Findings()[(i+n)%6] })
		if err := s.Save(t.Context(), NamedProject("p"), run); err != nil {
			t.Fatal(err)
		}
		if whole, err = os.ReadFile(filepath.Join(dir, LogName)); err != nil {
			t.Fatal(err)
		}
		runs, ends = append(runs, run), append(ends, len(whole))
	}
	return whole, runs, ends
}

// keptOf is how many of the runs a store has; each that it has is right.
func keptOf(t *testing.T, s *Store, runs []*Run) (kept int) {
	t.Helper()
	for _, run := range runs {
		got, err := s.FindTrace(t.Context(), run.Trace)
		if errors.Is(err, ErrNoTrace) {
			continue
		}
		if err != nil || len(got.Results) != len(run.Results) || got.Results[1].Trace != run.Results[1].Trace {
			t.Fatalf("run %s: %v", run.Trace, err)
		}
		kept++
	}
	return kept
}

// TestTornLog cuts a log off at every byte: what is whole is there, and the next
// run goes where the torn one began.
func TestTornLog(t *testing.T) {
	whole, runs, ends := threeRuns(t)
	dir := t.TempDir()
	path := filepath.Join(dir, LogName)
	next := runOf(start.Add(5*time.Hour), 2, allOK)
	every := 1
	if raceEnabled {
		every = 7 // nothing here is raced for
	}
	for cut := 0; cut < len(whole); cut += every {
		complete := 0
		for _, end := range ends {
			if end <= cut {
				complete++
			}
		}
		write(t, path, string(whole[:cut]))
		look := opened(t, dir, Options{ReadOnly: true})
		if n := keptOf(t, look, runs); n != complete {
			t.Fatalf("cut at %d: %d runs, want %d", cut, n, complete)
		}
		look.Close()
		if cut%3 != 0 && cut > logHead {
			continue
		}
		s := opened(t, dir, Options{})
		states, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00001"}})
		if err != nil || states[0].At.IsZero() != (complete == 0) {
			t.Fatalf("cut at %d: %v, %v", cut, states, err)
		}
		saved(t, s, NamedProject("p"), next)
		if n := keptOf(t, s, append(runs[:complete:complete], next)); n != complete+1 {
			t.Fatalf("cut at %d: %d runs afterwards, want %d", cut, n, complete+1)
		}
		strips, err := s.History(t.Context(), Query{})
		if err != nil || len(strips) != 2 || strips[1].Windows[len(spans)].Runs != complete+1 {
			t.Fatalf("cut at %d: %d strips, %v", cut, len(strips), err)
		}
		s.Close()
		if after, err := os.ReadFile(path); complete > 0 && (err != nil || !bytes.HasPrefix(after, whole[:ends[complete-1]])) {
			t.Fatalf("cut at %d: what was whole has changed, %v", cut, err)
		}
	}
}

// TestLogAfterAPowerLoss has zeros where a record never reached the disk.
func TestLogAfterAPowerLoss(t *testing.T) {
	whole, runs, ends := threeRuns(t)
	dir := t.TempDir()
	path := filepath.Join(dir, LogName)
	for from := 0; from < ends[2]-recordTail; from += 7 {
		if from > 0 && from < logHead {
			continue // the head of a log is in one block of any disk
		}
		complete := 0
		for _, end := range ends {
			if end <= from {
				complete++
			}
		}
		lost := bytes.Clone(whole)
		clear(lost[from:])
		write(t, path, string(lost))
		s := opened(t, dir, Options{})
		if n := keptOf(t, s, runs); n != complete {
			t.Fatalf("zeros from %d: %d runs, want %d", from, n, complete)
		}
		saved(t, s, NamedProject("p"), runs[2])
		if n := keptOf(t, s, runs[2:]); n != 1 {
			t.Fatalf("zeros from %d: the next run was not kept", from)
		}
		s.Close()
	}
}

// TestDamagedLog changes every byte of a log, one at a time: each call then
// gives a right answer or names the damage, and what was there stays.
func TestDamagedLog(t *testing.T) {
	whole, runs, _ := threeRuns(t)
	dir := t.TempDir()
	path := filepath.Join(dir, LogName)
	said := 0
	every := 1
	if raceEnabled {
		every = 7 // nothing here is raced for
	}
	for at := 0; at < len(whole); at += every {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x5a
		write(t, path, string(damaged))
		s, err := Open(dir, Options{Now: func() time.Time { return start.AddDate(0, 1, 0) }, ReadTimeout: 10 * time.Second})
		if err != nil {
			if at >= logHead || !strings.HasPrefix(err.Error(), LogName+" is ") {
				t.Fatalf("byte %d: %v", at, err)
			}
			said++
			continue
		}
		named := func(err error) bool { return err != nil && err.Error() == errLogDamaged.Reason }
		strips, err := s.History(t.Context(), Query{})
		if !named(err) && (err != nil || len(strips) != 2 || strips[0].Windows[len(spans)].Runs != 3) {
			t.Fatalf("byte %d: %d strips, %v", at, len(strips), err)
		}
		for _, run := range runs {
			if got, err := s.FindTrace(t.Context(), run.Trace); !named(err) && (err != nil || len(got.Results) != 2) {
				t.Fatalf("byte %d: %v", at, err)
			} else if named(err) {
				said++
			}
		}
		states, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00001"}})
		if !named(err) && (err != nil || !states[0].At.Equal(runs[2].StartedAt)) {
			t.Fatalf("byte %d: %v, %v", at, states, err)
		}
		if at%5 == 0 {
			if err := s.Save(t.Context(), NamedProject("p"), runs[0]); err != nil && !named(err) {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
		s.Close()
		if after, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(after, damaged) {
			t.Fatalf("byte %d: what was there has changed, %v", at, err)
		}
	}
	if said < (len(whole)-logHead)/every {
		t.Errorf("damage was named %d times for %d bytes", said, len(whole))
	}
}

// TestUnusableLogsSayWhy holds that nothing is written over what is no log, and
// no log of a version that is not known.
func TestUnusableLogsSayWhy(t *testing.T) {
	whole, _, _ := threeRuns(t)
	newer := bytes.Clone(whole)
	newer[11] = logVersion + 1
	headless := bytes.Clone(whole)
	clear(headless[:logHead])
	for _, c := range []struct{ text, want string }{
		{"hello", errLogForeign.Reason},
		{strings.Repeat("hello, I am no log\n", 100), errLogForeign.Reason},
		{string(newer), errLogNewer.Reason},
		{string(headless), errLogDamaged.Reason},
		{strings.Repeat("\x00", 3*windowSize) + string(whole), errLogDamaged.Reason},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, LogName)
		write(t, path, c.text)
		for _, o := range []Options{{}, {ReadOnly: true}} {
			if s, err := Open(dir, o); err == nil || err.Error() != c.want {
				t.Errorf("%.10q: %v, %v, want %s", c.text, s, err, c.want)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.text {
			t.Errorf("%.10q has changed: %v", c.text, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, LogName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("a folder in its place was opened")
	}
}

// FuzzReadLog reads whatever bytes as a log, and as the parts of a record, which
// no checksum then stands before.
func FuzzReadLog(f *testing.F) {
	whole, _, ends := threeRuns(f)
	f.Add(whole)
	f.Add(whole[:ends[1]+40])
	f.Add(whole[:logHead])
	l, err := readLog(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		f.Fatal(err)
	}
	runs, err := l.runs(0)
	if err != nil || len(runs) != 3 {
		f.Fatal(len(runs), err)
	}
	for _, p := range []part{runs[1].states, runs[1].body} {
		f.Add(whole[p.at : p.at+int64(p.n)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		readParts(b, b, kindRun)
		readParts(b, b, kindKnown)
		l, err := readLog(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		runs, err := l.runs(0)
		for _, r := range runs {
			if r.end > l.size {
				t.Errorf("a record ends at %d of %d", r.end, l.size)
			}
			states, _ := l.part(r.states)
			body, _ := l.part(r.body)
			readParts(states, body, r.kind)
		}
		k := newLookup([]Probe{{Name: "probe-00000"}, {Name: "nobody"}})
		if walked := k.walk(l, "name:p", 0); walked == nil && err == nil && l.end > l.size {
			t.Errorf("the end %d lies behind the file's, %d", l.end, l.size)
		}
	})
}

func readParts(states, body []byte, kind uint32) {
	if k, err := readKnown(states, kind); err == nil {
		_ = k.each(func(i int, _, _, state []byte) error {
			if kind == kindRun {
				readCell(k.cell(i))
			}
			_, err := readState(state)
			return err
		})
	}
	if d, err := readBody(body); err == nil {
		_, _ = d.run()
		_, _ = d.result([traceSize]byte{})
	}
}
