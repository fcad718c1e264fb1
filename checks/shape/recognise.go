package shape

// maxFormatted bounds the strings that are looked at; longer ones are text.
const maxFormatted = 2048

// formatsOf gives the formats that a string, which is not empty, follows.
func formatsOf(s []byte) Formats {
	if len(s) > maxFormatted {
		return 0
	}
	switch c := s[0]; {
	case isDigit(c):
		return numeric(s) | dated(s) | uuid(s) | email(s)
	case c == '-' || c == '+':
		return numeric(s)
	case c|0x20 == 'h':
		return url(s) | email(s)
	}
	return uuid(s) | email(s)
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// numeric reads numbers as people and programs write them.
func numeric(s []byte) Formats {
	if n := len(s) - 1; n > 0 && s[n] == '%' {
		if s = s[:n]; s[n-1] == ' ' {
			s = s[:n-1]
		}
		if pointed(s) || commaed(s) {
			return FormatPercent
		}
		return 0
	}
	var f Formats
	if pointed(s) {
		f |= FormatNumber
	}
	if commaed(s) {
		f |= FormatCommaNumber
	}
	if f == implied && digits(s) == len(s) {
		f |= FormatDigits
	}
	return f
}

// digits counts the digits at the start.
func digits(s []byte) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func unsigned(s []byte) []byte {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

// pointed is 17, -0.043739 and 1.5E-3.
func pointed(s []byte) bool {
	s = unsigned(s)
	n := digits(s)
	if n == 0 {
		return false
	}
	if s = s[n:]; len(s) > 0 && s[0] == '.' {
		if n = digits(s[1:]); n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if len(s) > 0 && s[0]|0x20 == 'e' {
		exp := unsigned(s[1:])
		return len(exp) > 0 && digits(exp) == len(exp)
	}
	return len(s) == 0
}

// commaed is 17, 0,043739 and 1.542,07: points between thousands, and a comma
// before decimals.
func commaed(s []byte) bool {
	s = unsigned(s)
	n := digits(s)
	if n == 0 {
		return false
	}
	s = s[n:]
	for first := n <= 3; first && len(s) > 0 && s[0] == '.'; s = s[4:] {
		if digits(s[1:min(len(s), 5)]) != 3 {
			return false
		}
	}
	if len(s) > 0 && s[0] == ',' {
		return len(s) > 1 && digits(s[1:]) == len(s)-1
	}
	return len(s) == 0
}

// layout tells a text by its digits (0) and its other characters.
func layout(s []byte, pattern string) bool {
	if len(s) != len(pattern) {
		return false
	}
	for i, c := range s {
		if pattern[i] == '0' && !isDigit(c) || pattern[i] != '0' && pattern[i] != c {
			return false
		}
	}
	return true
}

func two(s []byte, i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }

func isMonth(n int) bool { return n >= 1 && n <= 12 }
func isDay(n int) bool   { return n >= 1 && n <= 31 }

// dated reads dates, and dates with a time.
func dated(s []byte) Formats {
	switch {
	case len(s) < 7:
		return 0
	case len(s) == 7:
		return monthly(s)
	case layout(s[:min(len(s), 10)], "0000-00-00"):
		if !isMonth(two(s, 5)) || !isDay(two(s, 8)) {
			return 0
		}
		if len(s) == 10 {
			return FormatDate
		}
		return timed(s[10:])
	case layout(s[:min(len(s), 10)], "00/00/0000"):
		day, month := FormatDayFirst, FormatMonthFirst
		if len(s) > 10 {
			if s[10] != ' ' || timed(s[10:]) != FormatLocalTime {
				return 0
			}
			day, month = FormatDayFirstTime, FormatMonthFirstTime
		}
		return ordered(s, day, month)
	case layout(s, "00-00-0000"):
		return ordered(s, FormatDayFirstHyphen, FormatMonthFirstHyphen)
	}
	return 0
}

func monthly(s []byte) Formats {
	switch {
	case layout(s, "0000-00") && isMonth(two(s, 5)):
		return FormatMonth
	case layout(s, "00/0000") && isMonth(two(s, 0)):
		return FormatSlashMonth
	}
	return 0
}

// ordered tells day first from month first, where the numbers tell.
func ordered(s []byte, day, month Formats) Formats {
	a, b := two(s, 0), two(s, 3)
	var f Formats
	if isDay(a) && isMonth(b) {
		f |= day
	}
	if isMonth(a) && isDay(b) {
		f |= month
	}
	return f
}

// timed reads what follows a date: a T or a space, a time, and where it has
// one its zone (RFC 3339 §5.6).
func timed(s []byte) Formats {
	if len(s) < 6 || (s[0]|0x20 != 't' && s[0] != ' ') || !layout(s[1:6], "00:00") || two(s, 1) > 24 || two(s, 4) > 59 {
		return 0
	}
	seconds := false
	if s = s[6:]; len(s) >= 3 && layout(s[:3], ":00") && two(s, 1) <= 60 {
		seconds = true
		if s = s[3:]; len(s) > 1 && s[0] == '.' {
			s = s[1+max(1, digits(s[1:])):]
		}
	}
	switch {
	case len(s) == 0:
		return FormatLocalTime
	case seconds && (len(s) == 1 && s[0]|0x20 == 'z' || layout(s, "+00:00") || layout(s, "-00:00")):
		return FormatDateTime
	}
	return 0
}

func uuid(s []byte) Formats {
	if len(s) != 36 {
		return 0
	}
	for i, c := range s {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := isDigit(c) || (c|0x20)-'a' <= 5
		if dash && c != '-' || !dash && !hex {
			return 0
		}
	}
	return FormatUUID
}

func url(s []byte) Formats {
	for _, scheme := range []string{"https://", "http://"} {
		if n := len(scheme); len(s) > n && string(s[:n]) == scheme && plain(s, 0) {
			return FormatURL
		}
	}
	return 0
}

// email is one @ between a name and a domain with a dot.
func email(s []byte) Formats {
	at, dot := 0, 0
	for i, c := range s {
		switch {
		case c == '@' && at == 0 && i > 0:
			at = i
		case c == '.':
			dot = i
		case !plain(s[i:i+1], '@'):
			return 0
		}
	}
	if at > 0 && dot > at+1 && dot < len(s)-1 {
		return FormatEmail
	}
	return 0
}

// plain reports whether a text is without spaces, controls, quotes and not.
func plain(s []byte, not byte) bool {
	for _, c := range s {
		if c <= ' ' || c == 0x7f || c == '"' || c == '<' || c == '>' || c == not {
			return false
		}
	}
	return true
}

// structured reports whether a key is one of many of its kind rather than a
// word: a number, a date, an identifier.
func structured(name []byte) bool {
	return len(name) > 0 && formatsOf(name)&^(FormatURL|FormatEmail|FormatPercent) != 0
}
