package jsonschema

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// space is what \s is in ECMA-262 §22.2.2.9: white space and line ends.
const space = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// foreignGroup finds what Go knows and ECMA-262 does not: flags for what
// follows, and names with a P.
var foreignGroup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\?(?:P<|[a-zA-Z-]*\))`) })

// compilePattern compiles a regular expression as JSON Schema writes it
// (ECMA-262 with the u flag) with Go's engine, whose time is linear.
func compilePattern(source string) (*regexp.Regexp, error) {
	if m := foreignGroup().FindString(source); m != "" {
		return nil, fmt.Errorf("there is no group %s", m)
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\' && i+1 < len(source):
			n, err := writeEscape(&b, source[i+1:], class)
			if err != nil {
				return nil, err
			}
			i += n
			continue
		case c == '[' && class:
			b.WriteByte('\\')
		case c == '[' && strings.HasPrefix(source[i:], "[^]"): // anything
			b.WriteString(`[\x{0}-\x{10FFFF}]`)
			i += 2
			continue
		case c == '[' && strings.HasPrefix(source[i:], "[]"): // nothing
			b.WriteString(`[^\x{0}-\x{10FFFF}]`)
			i++
			continue
		case c == '[' || c == ']':
			class = c == '['
		case c == '.' && !class:
			b.WriteString(`[^\n\r\x{2028}\x{2029}]`)
			continue
		}
		b.WriteByte(c)
	}
	return regexp.Compile(b.String())
}

// writeEscape writes the escape that rest, after its backslash, begins with,
// and says how many bytes of rest it is.
func writeEscape(b *strings.Builder, rest string, class bool) (int, error) {
	switch c := rest[0]; {
	case c == 's' && class:
		b.WriteString(space)
	case c == 's':
		b.WriteString("[" + space + "]")
	case c == 'S' && !class:
		b.WriteString("[^" + space + "]")
	case c == '0':
		b.WriteString(`\x00`)
	case strings.HasPrefix(rest, "u{") && strings.IndexByte(rest, '}') > 2:
		end := strings.IndexByte(rest, '}')
		b.WriteString(`\x{` + rest[2:end] + `}`)
		return end + 1, nil
	case c == 'u' && len(rest) >= 5:
		b.WriteString(`\x{` + rest[1:5] + `}`)
		return 5, nil
	case c == 'c' && len(rest) >= 2 && rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z':
		fmt.Fprintf(b, `\x%02x`, rest[1]&0x1f)
		return 2, nil
	case strings.IndexByte("aAzZQECuc", c) >= 0: // Go knows most of these, ECMA-262 none of them
		return 0, fmt.Errorf(`there is no escape \%c`, c)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return 1, nil
}
