package shape

import (
	"strconv"
	"strings"
)

// Formats is the set of formats that every string of a place follows: a place
// of 01/02/2020 alone may be written day first or month first, one of 17 alone
// is a row of digits and a number as well. Free text follows none.
type Formats uint32

// The formats.
const (
	FormatDigits Formats = 1 << iota
	FormatNumber
	FormatCommaNumber
	FormatPercent
	FormatDate
	FormatDayFirst
	FormatMonthFirst
	FormatDayFirstTime
	FormatMonthFirstTime
	FormatDayFirstHyphen
	FormatMonthFirstHyphen
	FormatMonth
	FormatSlashMonth
	FormatDateTime
	FormatLocalTime
	FormatUUID
	FormatURL
	FormatEmail
)

// anyFormat is what is known of strings that were all empty: nothing.
const anyFormat = FormatEmail<<1 - 1

// noText is the word for anyFormat.
const noText = "empty"

// implied are the formats that a narrower one is part of: they need no word.
const implied = FormatNumber | FormatCommaNumber

// formatNames are the words of the file.
var formatNames = []word[Formats]{
	{FormatDigits, "digits"}, {FormatNumber, "number"}, {FormatCommaNumber, "number with a decimal comma"}, {FormatPercent, "percent"},
	{FormatDate, "YYYY-MM-DD"}, {FormatDayFirst, "DD/MM/YYYY"}, {FormatMonthFirst, "MM/DD/YYYY"},
	{FormatDayFirstTime, "DD/MM/YYYY hh:mm"}, {FormatMonthFirstTime, "MM/DD/YYYY hh:mm"},
	{FormatDayFirstHyphen, "DD-MM-YYYY"}, {FormatMonthFirstHyphen, "MM-DD-YYYY"},
	{FormatMonth, "YYYY-MM"}, {FormatSlashMonth, "MM/YYYY"}, {FormatDateTime, "RFC 3339"}, {FormatLocalTime, "YYYY-MM-DDThh:mm"},
	{FormatUUID, "UUID"}, {FormatURL, "URL"}, {FormatEmail, "email"},
}

func (f Formats) words() []string {
	switch {
	case f == anyFormat:
		return []string{noText}
	case f&FormatDigits != 0:
		f &^= implied
	}
	return wordsOf(formatNames, f)
}

// String lists the formats: "DD/MM/YYYY or MM/DD/YYYY"; "text" for none.
func (f Formats) String() string {
	if f == 0 {
		return "text"
	}
	return either(f.words())
}

// MarshalText writes what String gives.
func (f Formats) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Formats) UnmarshalText(b []byte) error {
	*f = 0
	for w := range strings.SplitSeq(string(b), or) {
		bit, known := bitOf(formatNames, w)
		switch {
		case string(b) == noText:
			bit = anyFormat
		case !known:
			return problem("format %s is not known", strconv.Quote(w))
		case bit == FormatDigits:
			bit |= implied
		}
		*f |= bit
	}
	return nil
}
