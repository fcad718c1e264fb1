package report

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
)

func okReport() *checks.Report {
	return &checks.Report{Trace: "T", StartedAt: startedAt, Results: []checks.Result{okResult("a", "sgs")}}
}

func outputsOf(t *testing.T, specs ...string) []Output {
	t.Helper()
	var list []Output
	for _, s := range specs {
		o, err := ParseOutput(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

func TestParseOutput(t *testing.T) {
	if o, err := ParseOutput("junit=a=b.xml"); err != nil || o.Format.Name != "junit" || o.Path != "a=b.xml" {
		t.Errorf("%+v, %v", o, err)
	}
	for s, want := range map[string]string{"junit": "FORMAT=PATH", "junit=": "FORMAT=PATH", "junti=x": `did you mean "junit"?`} {
		if _, err := ParseOutput(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestWriteAll(t *testing.T) {
	dir := t.TempDir()
	junit, doc := filepath.Join(dir, "j.xml"), NewDocument(okReport(), policyOf(""), DecideOptions{Format: "pretty"})
	if err := os.WriteFile(junit, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	pretty, _ := FormatNamed("pretty")
	var stdout bytes.Buffer
	degraded := WriteAll(doc, pretty, &stdout, outputsOf(t, "junit="+junit, "json="+filepath.Join(dir, "r.json")), Options{Color: true})
	if len(degraded) != 0 || doc.Run.ExitCode != 0 {
		t.Fatalf("%v, exit %d", degraded, doc.Run.ExitCode)
	}
	data, err := os.ReadFile(junit)
	if err != nil {
		t.Fatal(err)
	}
	if suites, _ := parseJUnit(t, data); suites.Tests != 1 {
		t.Error("the old file was not replaced")
	}
	if info, _ := os.Stat(junit); runtime.GOOS != "windows" && info.Mode().Perm()&0o600 != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if !strings.Contains(stdout.String(), "measured 1 of 1") {
		t.Errorf("%s", stdout.String())
	}
	leftovers(t, dir, 2)
}

// leftovers fails where a temporary file stayed.
func leftovers(t *testing.T, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("%d files in the folder, want %d: %v", len(entries), want, entries)
	}
}

func TestWriteAllOneCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	cases := []struct{ name, path, reason string }{
		{"no folder", filepath.Join(dir, "none", "x.xml"), "does not exist"},
		{"a folder", dir, "it is a folder"},
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		cases = append(cases, struct{ name, path, reason string }{"full", "/dev/full", "no space left"})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			good := filepath.Join(t.TempDir(), "good.json")
			doc := NewDocument(okReport(), policyOf(""), DecideOptions{Format: "pretty"})
			pretty, _ := FormatNamed("pretty")
			var stdout bytes.Buffer
			degraded := WriteAll(doc, pretty, &stdout, outputsOf(t, "junit="+c.path, "json="+good), Options{Width: 1000})
			if len(degraded) != 1 || !strings.Contains(degraded[0].Reason, c.reason) || doc.Run.ExitCode != ExitOutput {
				t.Errorf("%v, exit %d", degraded, doc.Run.ExitCode)
			}
			data, err := os.ReadFile(good)
			if err != nil {
				t.Fatal(err)
			}
			back, err := Read(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if len(back.Run.Degraded) != 1 || back.Run.ExitCode != ExitOutput {
				t.Errorf("the report that was written says %+v", back.Run)
			}
			for _, want := range []string{"⚠ output unavailable (junit to ", "exit 74: a report could not be written"} {
				if !strings.Contains(stdout.String(), want) {
					t.Errorf("%q is not said in %s", want, stdout.String())
				}
			}
		})
	}
}

func TestWriteAllKeepsTheWorseCode(t *testing.T) {
	doc := NewDocument(results(checks.Drift), policyOf(""), DecideOptions{Format: "json"})
	f, _ := FormatNamed("json")
	WriteAll(doc, f, io.Discard, outputsOf(t, "junit="+t.TempDir()), Options{})
	if doc.Run.ExitCode != ExitContract || doc.Decision.ExitCode != ExitContract {
		t.Errorf("exit %d", doc.Run.ExitCode)
	}
}

// failingWriter fails after some bytes.
type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, w.err
	}
	return len(p), nil
}

func TestWriteAllStdout(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want int
	}{"closed by its reader": {syscall.EPIPE, 0}, "full": {syscall.ENOSPC, ExitOutput}, "over quota": {syscall.EDQUOT, ExitOutput}} {
		for _, f := range Formats() {
			doc := NewDocument(okReport(), policyOf(""), DecideOptions{Format: f.Name})
			degraded := WriteAll(doc, f, &failingWriter{10, c.err}, nil, Options{})
			want := c.want
			if f.Exit != nil {
				want = min(want, nagiosUnknown)
			}
			if doc.Run.ExitCode != want || len(degraded) != min(c.want, 1) {
				t.Errorf("%s, %s: exit %d, %v", f.Name, name, doc.Run.ExitCode, degraded)
			}
		}
	}
}

// TestWriteAllOverQuota has every format meet the end of a disk quota under its
// file: at the first bytes, in between, and with the last ones, which leave
// only when the report is closed.
func TestWriteAllOverQuota(t *testing.T) {
	for _, f := range Formats() {
		var whole bytes.Buffer
		if err := f.Write(&whole, NewDocument(okReport(), policyOf(""), DecideOptions{Format: "pretty"}), Options{}); err != nil {
			t.Fatal(err)
		}
		for _, room := range []int{0, whole.Len() / 2, whole.Len() - 1} {
			dir := t.TempDir()
			path := filepath.Join(dir, "report")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			full := f
			full.Write = func(w io.Writer, doc *Document, o Options) error {
				w.(*bufio.Writer).Reset(&failingWriter{room, syscall.EDQUOT})
				return f.Write(w, doc, o)
			}
			doc := NewDocument(okReport(), policyOf(""), DecideOptions{Format: "pretty"})
			pretty, _ := FormatNamed("pretty")
			var stdout bytes.Buffer
			beside := Output{Path: filepath.Join(dir, "beside.json")}
			beside.Format, _ = FormatNamed("json")
			lost := WriteAll(doc, pretty, &stdout, []Output{{Path: path, Format: full}, beside}, Options{Width: 1000})
			if len(lost) != 1 || !strings.Contains(lost[0].Reason, syscall.EDQUOT.Error()) || doc.Run.ExitCode != ExitOutput {
				t.Errorf("%s with room for %d: %v, exit %d", f.Name, room, lost, doc.Run.ExitCode)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
				t.Errorf("%s with room for %d: the old report is %q, %v", f.Name, room, got, err)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
				t.Errorf("%s with room for %d: %v, %v", f.Name, room, files, err)
			}
			if !strings.Contains(stdout.String(), "⚠ output unavailable ("+f.Name+" to ") {
				t.Errorf("%s with room for %d: nothing is said in %s", f.Name, room, stdout.String())
			}
		}
	}
}

func TestWriteAllKeepsTheOldFileWhenWritingFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j.xml")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := Output{Path: path, Format: Format{Name: "broken", Write: func(w io.Writer, _ *Document, _ Options) error {
		_, _ = io.WriteString(w, "half")
		return syscall.EIO
	}}}
	f, _ := FormatNamed("json")
	doc := NewDocument(okReport(), policyOf(""), DecideOptions{Format: "json"})
	if degraded := WriteAll(doc, f, io.Discard, []Output{broken}, Options{}); len(degraded) != 1 {
		t.Error(degraded)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("the old file is now %q", data)
	}
	leftovers(t, dir, 1)
}

func TestWriteAllFollowsALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	f, _ := FormatNamed("json")
	WriteAll(NewDocument(okReport(), policyOf(""), DecideOptions{Format: "json"}), f, io.Discard, outputsOf(t, "json="+link), Options{})
	if data, _ := os.ReadFile(real); !bytes.HasPrefix(data, []byte(`{"version":1`)) {
		t.Errorf("behind the link: %q", data)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

// TestWriteAllMakesTheFileBehindALink: what a link leads to may not be there yet.
func TestWriteAllMakesTheFileBehindALink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	link, next := filepath.Join(dir, "report.json"), filepath.Join(dir, "sub", "next")
	for at, to := range map[string]string{link: "sub/next", next: "../real.json"} {
		if err := os.Symlink(to, at); err != nil {
			t.Skip(err)
		}
	}
	f, _ := FormatNamed("json")
	doc := NewDocument(okReport(), policyOf(""), DecideOptions{Format: "json"})
	if lost := WriteAll(doc, f, io.Discard, outputsOf(t, "json="+link), Options{}); lost != nil {
		t.Fatal(lost)
	}
	for _, at := range []string{link, next} {
		if info, err := os.Lstat(at); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", at, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "real.json")); err != nil {
		t.Error(err)
	}
}

func TestWriteAllOutputToStdout(t *testing.T) {
	for _, path := range []string{"-", "/dev/stdout"} {
		var stdout bytes.Buffer
		f, _ := FormatNamed("pretty")
		WriteAll(NewDocument(okReport(), policyOf(""), DecideOptions{Format: "pretty"}), f, &stdout, outputsOf(t, "json="+path), Options{})
		if s := stdout.String(); !strings.HasPrefix(s, `{"version":1`) || !strings.Contains(s, "measured 1 of 1") {
			t.Errorf("%s: %s", path, s)
		}
	}
}
