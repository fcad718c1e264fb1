package dates

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Layout is a compiled layout. It never changes.
type Layout struct {
	text  string
	parts []part // none for a special form
	read  func(s string, zone *time.Location) (Date, bool)
	unit  unit
}

// Date is a date in data: a day, a longer period, or an instant.
type Date struct {
	// At is the instant, or the start of the day; of a month, a quarter or a
	// year it is the start of the last day: what it is about cannot be there
	// before.
	At time.Time
	// Day says that there is no time of day.
	Day bool
}

// unit is the finest part of a date.
type unit uint8

const (
	year unit = iota
	quarter
	month
	day
	instant
)

// part is a token of a layout, or text that stands as it is.
type part struct {
	token   *token
	literal string
}

// token reads the beginning of s into the fields, and says how many bytes it
// is; 0 where it is not there.
type token struct {
	field field
	read  func(s string, f *fields) int
}

type field uint8

const (
	fieldYear field = 1 << iota
	fieldQuarter
	fieldMonth
	fieldDay
	fieldHour
	fieldMinute
	fieldSecond
	fieldZone
)

// fields are what the tokens have read.
type fields struct {
	year, quarter, month, day, hour, minute, second, nano int
	zone                                                  *time.Location
}

// tokens are the letters that stand for a part of a date, by how they are
// written in English and Portuguese.
var tokens = map[string]*token{
	"YYYY": digits(fieldYear, 4, 4, func(f *fields) *int { return &f.year }),
	"YY":   {fieldYear, readShortYear},
	"Q":    digits(fieldQuarter, 1, 1, func(f *fields) *int { return &f.quarter }),
	"MMMM": {fieldMonth, func(s string, f *fields) int { return readMonth(s, f, fullMonths) }},
	"MMM":  {fieldMonth, func(s string, f *fields) int { return readMonth(s, f, shortMonths) }},
	"MM":   digits(fieldMonth, 2, 2, func(f *fields) *int { return &f.month }),
	"M":    digits(fieldMonth, 1, 2, func(f *fields) *int { return &f.month }),
	"DD":   digits(fieldDay, 2, 2, func(f *fields) *int { return &f.day }),
	"D":    digits(fieldDay, 1, 2, func(f *fields) *int { return &f.day }),
	"HH":   digits(fieldHour, 2, 2, func(f *fields) *int { return &f.hour }),
	"H":    digits(fieldHour, 1, 2, func(f *fields) *int { return &f.hour }),
	"mm":   digits(fieldMinute, 2, 2, func(f *fields) *int { return &f.minute }),
	"ss":   digits(fieldSecond, 2, 2, func(f *fields) *int { return &f.second }),
	"S":    {0, readFraction},
	"Z":    {fieldZone, readOffset},
}

// spellings are other ways to write a token.
var spellings = map[string]string{"AAAA": "YYYY", "aaaa": "YYYY", "yyyy": "YYYY", "yy": "YY", "dd": "DD", "d": "D", "ZZ": "Z", "XXX": "Z"}

// special are the layouts that have a name.
var special = map[string]func(s string, zone *time.Location) (Date, bool){
	"rfc3339":  readRFC3339,
	"epoch":    func(s string, _ *time.Location) (Date, bool) { return readEpoch(s, 1) },
	"epoch_s":  func(s string, _ *time.Location) (Date, bool) { return readEpoch(s, 1) },
	"epoch_ms": func(s string, _ *time.Location) (Date, bool) { return readEpoch(s, 1000) },
}

// LayoutError says what is wrong with a layout, and what to write.
type LayoutError struct{ Message, Hint string }

// Error gives the message.
func (e *LayoutError) Error() string { return e.Message }

const layoutHint = "such as DD/MM/YYYY, YYYY-MM-DD HH:mm:ss, YYYYMM, YYYYTQ, MMM/YYYY, rfc3339, epoch or epoch_ms; put other words in brackets: D [de] MMMM [de] YYYY"

// Parse compiles a layout. The error is a *LayoutError.
func Parse(text string) (*Layout, error) {
	name := strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(text))
	for known, read := range special {
		if strings.ReplaceAll(known, "_", "") == name {
			return &Layout{text: text, read: read, unit: instant}, nil
		}
	}
	l := &Layout{text: text}
	has := field(0)
	for i := 0; i < len(text); {
		n, err := l.part(text[i:], has)
		if err != nil {
			return nil, err
		}
		i += n
		if p := l.parts[len(l.parts)-1]; p.token != nil {
			if p.token.field&has != 0 {
				return nil, &LayoutError{"it names the same part of a date twice", layoutHint}
			}
			has |= p.token.field
		}
	}
	return l, l.complete(has)
}

// part reads one token or literal at the start of rest.
func (l *Layout) part(rest string, has field) (int, error) {
	c := rest[0]
	if c == '[' {
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return 0, &LayoutError{"a bracket is not closed", layoutHint}
		}
		l.parts = append(l.parts, part{literal: rest[1:end]})
		return end + 1, nil
	}
	n := 1
	if !isLetter(c) {
		for n < len(rest) && !isLetter(rest[n]) && rest[n] != '[' {
			n++
		}
		l.parts = append(l.parts, part{literal: rest[:n]})
		return n, nil
	}
	for n < len(rest) && rest[n] == c {
		n++
	}
	word := rest[:n]
	if other, ok := spellings[word]; ok {
		word = other
	}
	if c == 'S' {
		word = "S"
	}
	t := tokens[word]
	switch {
	case word == "mm" && has&fieldHour == 0:
		return 0, &LayoutError{"mm is minutes, and there is no hour before it", "months are MM: DD/MM/YYYY"}
	case t != nil:
		l.parts = append(l.parts, part{token: t})
	case word == "T":
		l.parts = append(l.parts, part{literal: word})
	default:
		return 0, &LayoutError{strconv.Quote(word) + " is no part of a date", layoutHint}
	}
	return n, nil
}

// complete looks for gaps: an hour without a day, a day without a month.
func (l *Layout) complete(has field) error {
	fail := func(message string) error { return &LayoutError{message, layoutHint} }
	switch {
	case has&fieldYear == 0:
		return fail("it has no year")
	case has&fieldQuarter != 0 && has&(fieldMonth|fieldDay|fieldHour) != 0:
		return fail("a quarter stands beside a month, a day or an hour")
	case has&fieldDay != 0 && has&fieldMonth == 0, has&fieldHour != 0 && has&fieldDay == 0,
		has&fieldMinute == 0 && has&fieldSecond != 0, has&fieldZone != 0 && has&fieldHour == 0:
		return fail("a part between others is missing")
	case has&fieldHour != 0:
		l.unit = instant
	case has&fieldDay != 0:
		l.unit = day
	case has&fieldMonth != 0:
		l.unit = month
	case has&fieldQuarter != 0:
		l.unit = quarter
	}
	return nil
}

// String is the layout as it was written.
func (l *Layout) String() string { return l.text }

// Read reads a date. Where the layout has no offset the date is one of the
// zone. It is false for what is not of the layout, or no date: 30/02/2026.
func (l *Layout) Read(s string, zone *time.Location) (Date, bool) {
	if l.read != nil {
		return l.read(s, zone)
	}
	f := fields{month: 1, day: 1, quarter: 1, zone: zone}
	for _, p := range l.parts {
		if p.token == nil {
			rest, ok := strings.CutPrefix(s, p.literal)
			if !ok {
				return Date{}, false
			}
			s = rest
			continue
		}
		n := p.token.read(s, &f)
		if n == 0 {
			return Date{}, false
		}
		s = s[n:]
	}
	if s != "" || f.year == 0 || f.month < 1 || f.month > 12 || f.quarter < 1 || f.quarter > 4 || f.hour > 24 || f.minute > 59 || f.second > 60 {
		return Date{}, false
	}
	if f.hour == 24 && f.minute+f.second+f.nano > 0 {
		return Date{}, false
	}
	return l.date(&f)
}

func (l *Layout) date(f *fields) (Date, bool) {
	switch l.unit {
	case year:
		f.month, f.day = 12, 31
	case quarter:
		f.month, f.day = 3*f.quarter, 0
	case month:
		f.day = 0
	}
	if f.day == 0 && l.unit < day {
		// Day 0 of the next month is the last of this one.
		return Date{time.Date(f.year, time.Month(f.month+1), 0, 0, 0, 0, 0, f.zone), true}, true
	}
	at := time.Date(f.year, time.Month(f.month), f.day, f.hour, f.minute, f.second, f.nano, f.zone)
	// What time.Date had to carry into the next month is no date.
	first := time.Date(f.year, time.Month(f.month)+1, 0, 0, 0, 0, 0, time.UTC)
	if f.day < 1 || f.day > first.Day() {
		return Date{}, false
	}
	return Date{at, l.unit < instant}, true
}

// readRFC3339 reads a date-time of RFC 3339 §5.6: T and Z may be small letters,
// and a minute that ends a day in UTC may have a second 60 (§5.7). The comma that
// the time package takes for the point is ISO 8601's alone.
func readRFC3339(s string, _ *time.Location) (Date, bool) {
	if strings.Contains(s, ",") {
		return Date{}, false
	}
	s = strings.ToUpper(s) // nothing but T and Z has two cases
	leap := len(s) > len("2006-01-02T15:04:60") && s[17:19] == "60"
	if leap {
		s = s[:17] + "59" + s[19:]
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || !leap {
		return Date{At: at}, err == nil
	}
	next := at.Add(time.Second)
	return Date{At: next}, next.UTC().Truncate(24 * time.Hour).Equal(next.UTC().Truncate(time.Second))
}

// readEpoch reads seconds since 1970, or parts of them; perSecond is how many.
func readEpoch(s string, perSecond int64) (Date, bool) {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return Date{}, false
	}
	v, err := strconv.ParseFloat(s, 64)
	// Beyond this there is no year of four digits.
	if err != nil || math.Abs(v) > 253402300800*float64(perSecond) {
		return Date{}, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Date{At: time.Unix(n/perSecond, n%perSecond*(1e9/perSecond))}, true
	}
	seconds, fraction := math.Modf(v / float64(perSecond))
	return Date{At: time.Unix(int64(seconds), int64(fraction*1e9))}, true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// String is the date for a person: 2026-09-30, or an instant in UTC.
func (d Date) String() string {
	if d.Day {
		return d.At.Format(time.DateOnly)
	}
	return d.At.UTC().Format(time.RFC3339)
}
