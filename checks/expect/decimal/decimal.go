package decimal

import (
	"cmp"
	"strconv"
	"strings"
)

// Compare compares two JSON numbers (RFC 8259 §6) by value: -1, 0 or +1. Texts
// that are no JSON numbers give an unspecified result.
func Compare(a, b string) int {
	if a == b {
		return 0
	}
	if x, ok := small(a); ok {
		if y, ok := small(b); ok {
			return cmp.Compare(x, y)
		}
	}
	x, y := parse(a), parse(b)
	if x.sign != y.sign || x.sign == 0 {
		return cmp.Compare(x.sign, y.sign)
	}
	return x.sign * compareMagnitude(x, y)
}

// IsInteger reports whether a JSON number has no fraction; 1.0 and 1e2 have
// none, as JSON Schema has it.
func IsInteger(s string) bool {
	if _, ok := small(s); ok {
		return true
	}
	n := parse(s)
	return n.sign == 0 || n.point.compare(newExponent(int64(len(n.digits)))) >= 0
}

// Canonical is the same text for every spelling of one value, and differs
// between values.
func Canonical(s string) string {
	if v, ok := small(s); ok && v == 0 {
		return "0"
	}
	n := parse(s)
	switch n.sign {
	case 0:
		return "0"
	case -1:
		return "-." + n.digits + "e" + n.point.String()
	}
	return "." + n.digits + "e" + n.point.String()
}

// small reads an integer of at most 18 digits.
func small(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 18 {
		return 0, false
	}
	var v int64
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if len(digits) < len(s) {
		v = -v
	}
	return v, true
}

// number is sign × 0.digits × 10^point; digits neither begin nor end with 0.
type number struct {
	sign   int
	digits string
	point  exponent
}

func parse(s string) number {
	n := number{sign: 1}
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		n.sign, s = -1, rest
	}
	exp := ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s, exp = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	leading := len(whole) + len(fraction) - len(digits)
	n.digits = strings.TrimRight(digits, "0")
	if n.digits == "" {
		return number{}
	}
	n.point = parseExponent(exp).add(int64(len(whole) - leading))
	return n
}

// compareMagnitude compares two numbers of the same sign without it.
func compareMagnitude(x, y number) int {
	return cmp.Or(x.point.compare(y.point), strings.Compare(x.digits, y.digits))
}

// exponent is an integer of unbounded size: an int64 where it fits 18 digits,
// else its digits.
type exponent struct {
	value    int64
	negative bool   // of digits
	digits   string // "" when value holds the exponent
}

func newExponent(v int64) exponent { return exponent{value: v} }

func parseExponent(s string) exponent {
	negative := strings.HasPrefix(s, "-")
	return makeExponent(negative, strings.TrimLeft(s, "+-0"))
}

func makeExponent(negative bool, digits string) exponent {
	if len(digits) > 18 {
		return exponent{negative: negative, digits: digits}
	}
	v, _ := small(digits)
	if negative {
		v = -v
	}
	return exponent{value: v}
}

// add adds a number whose magnitude is that of a text's length.
func (e exponent) add(v int64) exponent {
	if e.digits == "" {
		return exponent{value: e.value + v}
	}
	if e.negative {
		v = -v
	}
	out := []byte(e.digits)
	for i := len(out) - 1; i >= 0 && v != 0; i-- {
		sum := int64(out[i]-'0') + v
		d := (sum%10 + 10) % 10
		out[i], v = byte('0'+d), (sum-d)/10
	}
	digits := string(out)
	if v > 0 {
		digits = strconv.FormatInt(v, 10) + digits
	}
	return makeExponent(e.negative, strings.TrimLeft(digits, "0"))
}

func (e exponent) compare(f exponent) int {
	if e.digits == "" && f.digits == "" {
		return cmp.Compare(e.value, f.value)
	}
	if e.sign() != f.sign() {
		return cmp.Compare(e.sign(), f.sign())
	}
	x, y := e.magnitude(), f.magnitude()
	return e.sign() * cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
}

func (e exponent) sign() int {
	switch {
	case e.digits == "":
		return cmp.Compare(e.value, 0)
	case e.negative:
		return -1
	}
	return 1
}

func (e exponent) magnitude() string {
	if e.digits != "" {
		return e.digits
	}
	return strings.TrimPrefix(strconv.FormatInt(e.value, 10), "-")
}

// String writes the exponent as an integer.
func (e exponent) String() string {
	if e.sign() < 0 {
		return "-" + e.magnitude()
	}
	return e.magnitude()
}
