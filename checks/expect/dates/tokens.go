package dates

import (
	"strings"
	"time"
)

func digits(f field, low, high int, into func(*fields) *int) *token {
	return &token{f, func(s string, f *fields) int {
		n, v := 0, 0
		for n < high && n < len(s) && s[n] >= '0' && s[n] <= '9' {
			v = v*10 + int(s[n]-'0')
			n++
		}
		if n < low {
			return 0
		}
		*into(f) = v
		return n
	}}
}

// readShortYear reads two digits as POSIX has them: 69 to 99 are of the last
// century.
func readShortYear(s string, f *fields) int {
	if len(s) < 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
		return 0
	}
	f.year = 2000 + int(s[0]-'0')*10 + int(s[1]-'0')
	if f.year >= 2069 {
		f.year -= 100
	}
	return 2
}

// The names of months, in Portuguese and English; some are the same.
var (
	fullMonths = [12][]string{{"janeiro", "january"}, {"fevereiro", "february"}, {"março", "marco", "march"}, {"abril", "april"}, {"maio", "may"},
		{"junho", "june"}, {"julho", "july"}, {"agosto", "august"}, {"setembro", "september"}, {"outubro", "october"}, {"novembro", "november"}, {"dezembro", "december"}}
	shortMonths = [12][]string{{"jan"}, {"fev", "feb"}, {"mar"}, {"abr", "apr"}, {"mai", "may"},
		{"jun"}, {"jul"}, {"ago", "aug"}, {"set", "sep"}, {"out", "oct"}, {"nov"}, {"dez", "dec"}}
)

// readMonth reads a name, whatever its case, and the dot of an abbreviation.
func readMonth(s string, f *fields, months [12][]string) int {
	for i, names := range months {
		for _, name := range names {
			n := len(name)
			if len(s) < n || !strings.EqualFold(s[:n], name) {
				continue
			}
			f.month = i + 1
			if n == 3 && strings.HasPrefix(s[n:], ".") {
				n++
			}
			return n
		}
	}
	return 0
}

func readFraction(s string, f *fields) int {
	n, unit := 0, 100_000_000
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		f.nano += int(s[n]-'0') * unit
		unit /= 10
		n++
	}
	return n
}

// readOffset reads Z, +03:00, +0300 or +03.
func readOffset(s string, f *fields) int {
	if s != "" && s[0]|0x20 == 'z' {
		f.zone = time.UTC
		return 1
	}
	if len(s) < 3 || (s[0] != '+' && s[0] != '-') {
		return 0
	}
	two := func(at int) int {
		if len(s) < at+2 || s[at] < '0' || s[at] > '9' || s[at+1] < '0' || s[at+1] > '9' {
			return -1
		}
		return int(s[at]-'0')*10 + int(s[at+1]-'0')
	}
	n, hours, minutes := 3, two(1), 0
	at := 3
	if len(s) > 3 && s[3] == ':' {
		at = 4
	}
	if m := two(at); m >= 0 {
		n, minutes = at+2, m
	}
	if hours < 0 || hours > 23 || minutes > 59 {
		return 0
	}
	seconds := (hours*60 + minutes) * 60
	if s[0] == '-' {
		seconds = -seconds
	}
	f.zone = time.FixedZone("", seconds)
	return n
}
