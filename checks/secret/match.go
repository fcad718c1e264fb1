package secret

import "strings"

// maxGap is how many characters may stand where a form was broken up: a line
// end and the indentation of the next line.
const maxGap = 48

// special are the bytes that an encoded character can begin with.
const special = `%\&+`

// match tells where p ends in s when it starts at i, whichever of its
// characters are encoded and wherever it was broken up; -1 when it does not
// stand there. Of several ends it is the last.
//
// A secret can hold by chance what looks like an encoding (%25), so that every
// character is read in each way in which it can be meant, and all of these
// readings are followed at once.
func match(s string, i int, p *pattern) int {
	end := i
	for j := 0; j < len(p.form) && end < len(s) && p.same(s[end], p.form[j]); j++ {
		end++
	}
	asItIs := end-i == len(p.form)
	if odd := strings.ContainsAny(s[i:min(end+1, len(s))], special); !odd {
		if asItIs {
			return end
		}
		if end == len(s) || !p.broken(s[end], true, end-i) {
			return -1
		}
	}
	var w walk
	w.add(0, 0)
	for j := range len(p.form) {
		if !w.step(s[i:], j, p) {
			return -1
		}
	}
	end = -1
	for _, at := range w.row(len(p.form)) {
		end = max(end, i+int(at))
	}
	return end
}

// walk is where the readings of a text have come to. A row holds the places
// that are reached with so many bytes of the form; a character has at most four.
type walk struct {
	rows [5]row
	live int // places in all rows
}

// row is small, as one is cleared for every form that may begin somewhere.
type row struct {
	n  int32
	at [64]int32 // from where the form starts
}

func (w *walk) row(j int) []int32 {
	r := &w.rows[j%len(w.rows)]
	return r.at[:r.n]
}

// add notes a place once; what a row has no room for is not followed.
func (w *walk) add(j, at int) {
	r := &w.rows[j%len(w.rows)]
	for _, known := range r.at[:r.n] {
		if known == int32(at) {
			return
		}
	}
	if int(r.n) < len(r.at) {
		r.at[r.n] = int32(at)
		r.n++
		w.live++
	}
}

// step follows the form's byte j from every place of its row, and tells whether
// anything is left to follow.
func (w *walk) step(s string, j int, p *pattern) bool {
	r := &w.rows[j%len(w.rows)]
	if j > 0 {
		for _, at := range r.at[:r.n] {
			w.overGap(s, j, int(at), p)
		}
	}
	for _, at := range r.at[:r.n] {
		var all choices
		for _, c := range all.read(s, int(at)) {
			if j+c.size <= len(p.form) && p.means(&c, j) {
				w.add(j+c.size, int(at)+c.width)
			}
		}
	}
	w.live -= int(r.n)
	r.n = 0
	return w.live > 0
}

// overGap adds the places that lie behind what breaks a form up at one place.
func (w *walk) overGap(s string, j, at int, p *pattern) {
	for k := range maxGap {
		width := p.gapAt(s, at, k == 0, j)
		if width == 0 {
			return
		}
		at += width
		w.add(j, at)
	}
}

// gapAt is the width of one character, encoded or not, that breaks p up before
// its byte j; 0 when there is none.
func (p *pattern) gapAt(s string, at int, first bool, j int) int {
	var all choices
	for _, c := range all.read(s, at) {
		if c.size == 1 && p.broken(c.text[0], first, j) {
			return c.width
		}
	}
	if p.kind == digits && j%2 == 0 && (strings.HasPrefix(s[at:], "0x") || strings.HasPrefix(s[at:], "0X")) {
		return 2
	}
	return 0
}

// maxEncoded is the length of the longest encoded line end that is looked for
// backwards: &#x0000000a;.
const maxEncoded = 13

// beforeGap tells where what breaks p up before at begins; at when there is
// nothing.
func (p *pattern) beforeGap(s string, at int) int {
	for least := max(0, at-maxGap); ; {
		width := min(maxEncoded, at-least)
		for width > 0 && p.gapAt(s, at-width, false, 0) != width {
			width--
		}
		if width == 0 {
			return at
		}
		at -= width
	}
}

// broken tells whether c can break p up before its byte j: the line ends of
// text and the indentation behind them, any white space of base64 (RFC 2045
// §6.8), and what is put between the bytes of digits.
func (p *pattern) broken(c byte, first bool, j int) bool {
	switch {
	case c == '\n' || c == '\r':
	case c == ' ' || c == '\t':
		if p.kind == plain && first {
			return false
		}
	case c == ':' || c == '-' || c == ',':
		if p.kind != digits {
			return false
		}
	default:
		return false
	}
	return p.kind != digits || j%2 == 0
}

// means tells whether a character is what the form has at its byte j.
func (p *pattern) means(c *decoded, j int) bool {
	if c.size == 1 {
		return p.same(c.text[0], p.form[j])
	}
	return p.form[j:j+c.size] == string(c.text[:c.size])
}

// same compares a byte of a text with one of the form; digits have no case.
func (p *pattern) same(c, want byte) bool {
	return c == want || p.kind == digits && c >= 'A' && c <= 'F' && c+'a'-'A' == want
}
