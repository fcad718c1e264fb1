package mcp

import (
	"bytes"
	"strings"
	"time"
)

// words is what a command that waits for a person wrote last.
func (p *pipe) words() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if waits(p.last) {
		last := bytes.Clone(p.last)
		if hide := p.proc.stderr.hide; hide != nil {
			last = hide(last)
		}
		return last
	}
	return p.proc.stderr.bytes()
}

// prompting reports a command that waits for a person: what it wrote last has
// no end of line, and it has been quiet since. One that goes on writing, or has
// written more than a person reads, waits for nobody.
func (p *pipe) prompting() bool {
	const readable = 1000 // lines
	p.mu.Lock()
	last, spoke, noise := p.last, p.spoke, p.noise
	p.mu.Unlock()
	if noise > readable {
		return false
	}
	if at := p.proc.stderr.wroteAt(); at.After(spoke) {
		spoke = at
	}
	return time.Since(spoke) > lastWords && (waits(last) || waits(p.proc.stderr.bytes()))
}

// waits reports a last line without an end: whoever writes that waits for a
// person's answer.
func waits(text []byte) bool {
	last := strings.TrimRight(string(text[bytes.LastIndexByte(text, '\n')+1:]), " \t")
	return last != "" && last[0] != '{' && last[0] != '['
}
