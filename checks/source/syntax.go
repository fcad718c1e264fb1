package source

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// syntax places an error of the YAML parser, which knows the line at most. The
// wording only helps to show the place; nothing is decided by it.
func (f *File) syntax(err error) {
	yamlLine := regexp.MustCompile(`^yaml: (?:unmarshal errors:\s*)?(?:line (\d+): )?(.*)$`)
	// These the library counts from zero, and places where the surrounding list
	// or mapping begins.
	afterLine := regexp.MustCompile(`^did not find expected (<|key$|node content|'-' indicator|',' or )`)
	pos, msg, hint := Position{File: f.Name}, err.Error(), ""
	if m := yamlLine.FindStringSubmatch(strings.SplitN(msg, "\n", 2)[0]); m != nil {
		msg = m[2]
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			if afterLine.MatchString(msg) {
				n++
				hint = "the mistake is on this line or after it: look at quotes, brackets and indentation"
			}
			pos.Line = max(min(n, f.lineCount()), 1)
			text := f.line(pos.Line)
			pos.Col = len(text) - len(strings.TrimLeft(text, " ")) + 1
		}
	}
	hint = cmp.Or(f.unquoted(pos.Line, msg), hint)
	if line := f.tabFrom(pos.Line, msg); line > 0 {
		pos.Line, pos.Col = line, strings.IndexByte(f.line(line), '\t')+1
		hint = "YAML is indented with spaces, never with tabs"
	}
	f.problem(pos, hint, "not valid YAML: %s", msg)
}

// tabFrom finds the line that is indented with a tab, where that is the
// mistake: the line of the error, or, as the library names the mapping that the
// tab breaks, the next one that has it; 0 for none.
func (f *File) tabFrom(line int, msg string) int {
	last := line
	if strings.Contains(msg, "tab character") {
		last = min(line+5, f.lineCount())
	}
	for n := max(line, 1); n <= last; n++ {
		if strings.HasPrefix(strings.TrimLeft(f.line(n), " "), "\t") {
			return n
		}
	}
	return 0
}

// unquoted is the hint for a text that YAML takes for something else where it
// stands without quotes; "" where none is to be seen. A list or mapping in
// brackets that breaks may go on for some lines.
func (f *File) unquoted(line int, msg string) string {
	switch {
	case strings.HasPrefix(msg, "mapping values are not allowed"):
		return "a text that holds a colon and a space stands in quotes"
	case strings.HasPrefix(msg, "did not find expected alphabetic"):
		return `a text that holds * or & stands in quotes, such as "$[*].a"`
	case !strings.HasPrefix(msg, "did not find expected ',' or"):
		return ""
	}
	query := regexp.MustCompile(`[{,]\s*\w+:\s+[^\s"'{}\[\],]*\?`)
	for n := line; n <= min(line+5, f.lineCount()); n++ {
		if query.MatchString(f.line(n)) {
			return `between brackets, a text that holds ? stands in quotes, such as "/path?a=1"`
		}
	}
	return ""
}
