package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// MinLength is the least length of a secret, in bytes. Hiding a shorter one
// would tear up half of what is said about anything.
const MinLength = 4

// common are values that every report holds; as secrets they are mistakes.
var common = []string{"true", "false", "null", "none"}

// Unfit says why a value cannot be hidden, "" when it can. It never quotes it.
func Unfit(value string) string {
	switch {
	case value == "":
		return "is empty"
	case len(value) < MinLength:
		return fmt.Sprintf("is shorter than %d characters: hiding it would hide half of every report", MinLength)
	case slices.Contains(common, strings.ToLower(value)):
		return "is a word that every report holds, not a secret"
	}
	return ""
}

// Redactor hides secrets. A nil Redactor hides nothing and costs nothing; any
// number of goroutines may use one while others teach it.
type Redactor struct {
	table   atomic.Pointer[table] // never changed once it is here
	mu      sync.Mutex            // of those who teach
	skipped []string
}

// table is the forms of all secrets.
type table struct {
	byFirst [256][]*pattern // by the first byte of the form, the longest first
	starts  [256]*[256]bool // by a byte that a form, encoded or not, can start with: what can follow it
}

// pattern is one form of one secret.
type pattern struct {
	form string
	mark string
	kind kind
	// Of inside: bits of the secret start in the character before the form, and
	// end in the one behind it.
	skewed, open bool
}

// kind is what a form consists of.
type kind uint8

const (
	plain  kind = iota // the value
	digits             // hexadecimal digits, in lower case
	inside             // the characters of a base64 text that a secret alone decides
)

// New makes a Redactor of values by name; a value is replaced by
// [redacted:NAME]. Values that are Unfit are not hidden: Skipped names them.
func New(values map[string]string) *Redactor {
	r, t := &Redactor{}, &table{}
	for name, value := range values {
		if Unfit(value) != "" {
			r.skipped = append(r.skipped, name)
			continue
		}
		t.learn(name, value)
	}
	slices.Sort(r.skipped)
	t.sort()
	r.table.Store(t)
	return r
}

// Learn hides a further secret from now on; one that is Unfit is not hidden.
// Texts that were redacted before stay as they are.
func (r *Redactor) Learn(name, value string) {
	if Unfit(value) != "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.table.Load()
	if now.knows(name, value) {
		return
	}
	t := now.clone()
	t.learn(name, value)
	t.sort()
	r.table.Store(t)
}

func (t *table) clone() *table {
	c := &table{}
	for i, list := range t.byFirst {
		c.byFirst[i] = slices.Clone(list)
	}
	for i, set := range t.starts {
		if set != nil {
			copied := *set
			c.starts[i] = &copied
		}
	}
	return c
}

func (t *table) sort() {
	for _, list := range t.byFirst {
		slices.SortFunc(list, func(a, b *pattern) int {
			return cmp.Or(cmp.Compare(len(b.form), len(a.form)), cmp.Compare(a.mark, b.mark), strings.Compare(a.form, b.form))
		})
	}
}

func (t *table) knows(name, value string) bool {
	return slices.ContainsFunc(t.byFirst[value[0]], func(p *pattern) bool { return p.form == value && p.mark == markOf(name) })
}

func markOf(name string) string { return "[redacted:" + name + "]" }

// Skipped names the secrets that are not hidden, sorted.
func (r *Redactor) Skipped() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.skipped)
}

func (t *table) learn(name, value string) {
	mark := markOf(name)
	t.add(&pattern{form: value, mark: mark})
	t.add(&pattern{form: hex.EncodeToString([]byte(value)), mark: mark, kind: digits})
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			open := (offset+len(value))%3 != 0
			t.add(&pattern{form: core(enc, value, offset), mark: mark, kind: inside, skewed: offset > 0, open: open})
		}
	}
}

// core is the part of the base64 text of "…value…" (RFC 4648 §4) that value
// alone decides, when value starts offset bytes after a group of three.
func core(enc *base64.Encoding, value string, offset int) string {
	all := enc.EncodeToString([]byte("\x00\x00"[:offset] + value))
	from := (offset*8 + 5) / 6
	to := (offset + len(value)) * 8 / 6
	return all[from:to]
}

func (t *table) add(p *pattern) {
	first := p.form[0]
	if slices.ContainsFunc(t.byFirst[first], func(q *pattern) bool { return q.form == p.form && q.mark == p.mark }) {
		return
	}
	t.addUnder(first, p)
	if p.kind == digits && first >= 'a' {
		t.addUnder(first-'a'+'A', p)
	}
	for _, c := range encodedBy(first) {
		anything(t.follow(c))
	}
}

// addUnder notes a form that a text can start with the byte first.
func (t *table) addUnder(first byte, p *pattern) {
	t.byFirst[first] = append(t.byFirst[first], p)
	next := t.follow(first)
	for c := range next {
		next[c] = next[c] || p.same(byte(c), p.form[1]) || p.broken(byte(c), true, 1)
	}
	for _, c := range encodedBy(p.form[1]) {
		next[c] = true
	}
}

// encodedBy are the bytes that an encoding of c can start with.
func encodedBy(c byte) []byte {
	if c == ' ' {
		return []byte(`%\&+`)
	}
	return []byte(`%\&`)
}

// follow is the set of what can follow a form's first byte in a text.
func (t *table) follow(first byte) *[256]bool {
	if t.starts[first] == nil {
		t.starts[first] = new([256]bool)
	}
	return t.starts[first]
}

func anything(set *[256]bool) {
	for i := range set {
		set[i] = true
	}
}

// forms is what there is to hide; nil when that is nothing.
func (r *Redactor) forms() *table {
	if r == nil {
		return nil
	}
	if t := r.table.Load(); t != nil && t.starts['%'] != nil {
		return t
	}
	return nil
}

// String hides every secret in s. Secrets that overlap are hidden together,
// under the name of the one that starts first, of the longest where several
// start there.
func (r *Redactor) String(s string) string {
	t := r.forms()
	if t == nil {
		return s
	}
	found := t.find(s)
	if found == nil {
		return s
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.from])
		b.WriteString(f.mark)
		at = f.to
	}
	b.WriteString(s[at:])
	return b.String()
}

// Bytes is String for bytes; where nothing is hidden it gives b itself.
func (r *Redactor) Bytes(b []byte) []byte {
	if r.forms() == nil {
		return b
	}
	s := string(b)
	if out := r.String(s); len(out) != len(s) || out != s {
		return []byte(out)
	}
	return b
}

// span is a piece of text to hide.
type span struct {
	from, to int
	mark     string
}

// find gives the spans to hide, in order and apart from each other.
func (t *table) find(s string) []span {
	var found []span
	for i := 0; i+1 < len(s); i++ {
		if next := t.starts[s[i]]; next == nil || !next[s[i+1]] {
			continue
		}
		f, ok := t.at(s, i)
		if !ok {
			continue
		}
		// A form inside base64 text reaches back by one character.
		for len(found) > 0 && f.from < found[len(found)-1].to {
			last := found[len(found)-1]
			found = found[:len(found)-1]
			f = span{from: min(f.from, last.from), to: max(f.to, last.to), mark: last.mark}
		}
		found = append(found, f)
	}
	return found
}

// at finds the longest form that starts at i.
func (t *table) at(s string, i int) (span, bool) {
	best := span{from: i}
	var all choices
	var tried byte
	for n, c := range all.read(s, i) {
		if n > 0 && c.text[0] == tried {
			continue
		}
		tried = c.text[0]
		for _, p := range t.byFirst[tried] {
			end := match(s, i, p)
			if end < 0 {
				continue
			}
			f := span{from: i, to: end, mark: p.mark}
			if p.kind == inside {
				f = p.widen(s, f)
			}
			if f.to-f.from > best.to-best.from {
				best = f
			}
		}
	}
	return best, best.to > i
}

// widen takes in the neighbours of a form inside base64 text that hold bits of
// the secret, over the end of a line where they stand there, and the padding.
func (p *pattern) widen(s string, f span) span {
	if p.skewed {
		if at := p.beforeGap(s, f.from); at > 0 && isBase64(s[at-1]) {
			f.from = at - 1
		}
	}
	if p.open && (f.to == len(s) || !isBase64(s[f.to])) {
		at := f.to
		for width := 1; width > 0 && at-f.to < maxGap; at += width {
			width = p.gapAt(s, at, at == f.to, 0)
		}
		if at < len(s) && isBase64(s[at]) {
			f.to = at
		}
	}
	if f.to < len(s) && isBase64(s[f.to]) {
		f.to++
	}
	for f.to < len(s) && s[f.to] == '=' {
		f.to++
	}
	return f
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}
