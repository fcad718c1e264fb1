package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// runeWidth is how many columns of a terminal a character takes.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// columns is how many columns a text takes; the text is inert.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// pad fills a text with spaces up to a width.
func pad(s string, to int) string {
	if n := to - columns(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// wrap breaks a text into lines of at most the given columns, at spaces where
// there are any; a number keeps its unit.
func wrap(s string, limit int) []string { return wrapWords(s, limit, true) }

// wrapWords is wrap that cuts words longer than a line only where it is told
// to.
func wrapWords(s string, limit int, cut bool) []string {
	limit = max(limit, 20)
	if columns(s) <= limit {
		return []string{s}
	}
	var lines []string
	line, used := "", 0
	for _, word := range unbroken(s) {
		w := columns(word)
		switch {
		case used > 0 && used+1+w <= limit:
			line, used = line+" "+word, used+1+w
			continue
		case used > 0:
			lines = append(lines, line)
		}
		for cut && w > limit {
			head := head(word, limit)
			lines = append(lines, head)
			word = word[len(head):]
			w = columns(word)
		}
		line, used = word, w
	}
	return append(lines, line)
}

// units are what millis and the sizes put after a number.
var units = map[string]bool{"ms": true, "s": true, "min": true, "h": true, "d": true, "B": true}

// unbroken gives the words of a text; a number and its unit are one.
func unbroken(s string) []string {
	var words []string
	for _, word := range strings.Split(s, " ") {
		if n := len(words); n > 0 && units[strings.TrimRight(word, ",;.)")] && endsInDigit(words[n-1]) {
			words[n-1] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// head is the longest beginning of a text that fits the columns.
func head(s string, limit int) string {
	used := 0
	for i, r := range s {
		if used += runeWidth(r); used > limit {
			return s[:i]
		}
	}
	return s
}

// shorten cuts a text to at most n bytes, at a character, and shows that it
// did.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return shortenTo(s, n) + "…"
}

// shortenTo is the longest beginning of whole characters in n bytes; s is
// longer than that.
func shortenTo(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// millis writes a duration of so many milliseconds for a person.
func millis(ms int64) string {
	switch {
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 60_000:
		return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
	}
	return twoUnits(ms/60_000, "min", ms%60_000/1000, "s")
}

// twoUnits writes a span in two units, the smaller only where there is
// something of it.
func twoUnits(large int64, unit string, small int64, smaller string) string {
	s := strconv.FormatInt(large, 10) + " " + unit
	if small != 0 {
		s += " " + strconv.FormatInt(small, 10) + " " + smaller
	}
	return s
}

// grouped writes a number with a thin gap between the thousands, which reads
// the same in both languages.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// plural picks a word's form.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// opt is the value of an optional word, "" for none.
func opt[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}
