package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// politeWait is how long a command may take to end by itself once its stdin
	// is closed, termWait once it was told to, and killWait until the system has
	// made an end of it.
	politeWait = 300 * time.Millisecond
	hastyWait  = 20 * time.Millisecond
	termWait   = 150 * time.Millisecond
	killWait   = time.Second
	// lastWords is how long the pipes of a command that has ended are still
	// read: a child of it may hold them open for ever.
	lastWords = 100 * time.Millisecond
	maxStderr = 8 << 10
)

// ExitError is a command that ended.
type ExitError struct {
	Code   int // -1 for a signal
	Signal string
}

// Error says how.
func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "the command was ended by a signal: " + e.Signal
	}
	return fmt.Sprintf("the command ended with status %d", e.Code)
}

// process is a running command, alone in its process group.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	gone   chan struct{} // closed when the command itself has ended
	read   chan struct{} // closed when its stderr has been read
	stderr tail
	once   sync.Once
}

// start runs a command without a shell.
func start(cfg *Config) (*process, error) {
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)
	cmd.Env, cmd.Dir = cfg.Env, cfg.Dir
	setGroup(cmd)
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	p := &process{cmd: cmd, gone: make(chan struct{}), read: make(chan struct{}), stderr: tail{hide: cfg.Hide}}
	var files []*os.File
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	inR, inW, err1 := pipe()
	outR, outW, err2 := pipe()
	errR, errW, err3 := pipe()
	err := errors.Join(err1, err2, err3)
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
		err = cmd.Start()
	}
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return nil, err
	}
	inR.Close()
	outW.Close()
	errW.Close()
	p.stdin, p.stdout = inW, outR
	go p.listen(errR)
	go p.wait(errR)
	return p, nil
}

func (p *process) listen(stderr *os.File) {
	defer close(p.read)
	defer stderr.Close()
	io.Copy(&p.stderr, stderr)
}

func (p *process) wait(stderr *os.File) {
	_ = p.cmd.Wait() // how it ended is in ProcessState
	killGroup(p.cmd.Process)
	late := time.Now().Add(lastWords)
	_ = stderr.SetReadDeadline(late)
	_ = p.stdout.SetReadDeadline(late)
	<-p.read
	close(p.gone)
}

// exited says how the command ended; nil while it runs.
func (p *process) exited() *ExitError {
	select {
	case <-p.gone:
	default:
		return nil
	}
	e := &ExitError{Code: p.cmd.ProcessState.ExitCode()}
	if e.Code < 0 {
		e.Signal = p.cmd.ProcessState.String()
	}
	return e
}

// close ends the command and everything in its process group: its stdin is
// closed, then it is told to end, then it is made to.
func (p *process) close(polite bool) {
	p.once.Do(func() {
		p.stdin.Close()
		wait := hastyWait
		if polite {
			wait = politeWait
		}
		if !p.goneWithin(wait) {
			endGroup(p.cmd.Process)
			if !p.goneWithin(termWait) {
				killGroup(p.cmd.Process)
				p.goneWithin(killWait)
			}
		}
		killGroup(p.cmd.Process)
		p.stdout.Close()
	})
}

func (p *process) goneWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		return false
	}
}

// tail keeps the end of what was written to it.
type tail struct {
	hide func([]byte) []byte

	mu   sync.Mutex
	text []byte
	cut  bool      // the text began earlier
	at   time.Time // of the last write
}

// Write appends, and forgets the beginning.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = time.Now()
	t.text = append(t.text, p[max(0, len(p)-maxStderr):]...)
	if over := len(t.text) - maxStderr; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	t.cut = t.cut || len(t.text) == maxStderr
	return len(p), nil
}

// wroteAt is when something was written last.
func (t *tail) wroteAt() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// bytes is what was kept, from the beginning of a line on, with secrets hidden.
func (t *tail) bytes() []byte {
	t.mu.Lock()
	text := bytes.Clone(t.text)
	if _, whole, ok := bytes.Cut(text, []byte("\n")); ok && t.cut {
		text = whole
	}
	t.mu.Unlock()
	if t.hide != nil {
		text = t.hide(text)
	}
	return text
}

// last is the end of it, from the beginning of a line on: what a program says
// right before it ends tells why.
func (t *tail) last() []byte {
	const most = 700
	text := bytes.TrimSpace(t.bytes())
	if over := len(text) - most; over > 0 {
		text = text[over:]
		if _, whole, ok := bytes.Cut(text, []byte("\n")); ok {
			text = whole
		}
	}
	return text
}

// inherited are the variables that a command gets of our own environment: what
// finds programs and folders, and no secret.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
	"SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PROGRAMFILES", "COMSPEC",
}

// BaseEnv is the environment that every command gets, before what is declared
// for it: a short list of names, and their values as lookup says.
func BaseEnv(lookup func(string) (string, bool)) []string {
	env := []string{}
	for _, name := range inherited {
		if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
