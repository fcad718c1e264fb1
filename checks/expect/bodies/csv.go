package bodies

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// CSVOptions say how a CSV is written. The zero value is RFC 4180 with a
// header: commas, and every value a string.
type CSVOptions struct {
	Delimiter rune     // 0 for a comma
	NoHeader  bool     // the first row is data; the columns are called 1, 2, 3, …
	Names     []string // what the columns are called, where the body does not say; it has no header then
	// Decimal is the decimal separator, '.' or ','. Values that are numbers
	// with it, grouped in threes by the other one or not, become JSON numbers;
	// 0 leaves all of them strings.
	Decimal byte
	// Encoding is what the bytes are written in, as the declaration names it.
	// The fetcher decodes by it; FromCSV wants UTF-8.
	Encoding string
}

// maxColumns bounds a row.
const maxColumns = 10_000

// FromCSV makes the text of a JSON array of objects. The error is an *Error,
// or one of the limits.
func FromCSV(body []byte, opt CSVOptions) ([]byte, error) { return fromCSV(body, opt, MaxSize) }

func fromCSV(body []byte, opt CSVOptions, most int) ([]byte, error) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	fail := func(line int, reason string) error { return &Error{As: "csv", Line: line, Reason: reason} }
	if !utf8.Valid(body) {
		return nil, fail(0, "it is not UTF-8; csv: {encoding: …} says what it is")
	}
	switch start := bytes.TrimLeft(body, " \t\r\n"); {
	case len(start) == 0:
		return nil, fail(0, "it is empty")
	case start[0] == '<':
		return nil, fail(1, "it begins like HTML or XML")
	case start[0] == '{' || start[0] == '[':
		return nil, fail(1, "it begins like JSON")
	}
	w := csvWriter{opt: opt, out: make([]byte, 0, 2*len(body))}
	r := csv.NewReader(bytes.NewReader(body))
	r.ReuseRecord = true
	if opt.Delimiter != 0 {
		r.Comma = opt.Delimiter
	}
	w.out = append(w.out, '[')
	if len(opt.Names) > 0 {
		w.names(opt.Names)
		r.FieldsPerRecord = len(opt.Names)
	}
	for {
		record, err := r.Read()
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return append(w.out, ']'), nil
		case errors.As(err, &wrong):
			return nil, fail(wrong.Line, csvReason(wrong.Err, len(record), r.FieldsPerRecord))
		case err != nil:
			return nil, fail(0, "it cannot be read")
		case len(record) > maxColumns:
			return nil, limit(ErrParts, strconv.Itoa(maxColumns)+" columns")
		}
		if w.keys == nil && w.header(record) {
			continue
		}
		w.row(record)
		if len(w.out) > most {
			return nil, errTooLarge
		}
	}
}

func csvReason(err error, has, want int) string {
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		columns := " columns"
		if has == 1 {
			columns = " column"
		}
		return "it has " + strconv.Itoa(has) + columns + ", the first row has " + strconv.Itoa(want)
	case errors.Is(err, csv.ErrQuote):
		return "a quoted value does not end where its column ends"
	case errors.Is(err, csv.ErrBareQuote):
		return "a quote stands inside a value that is not quoted"
	}
	return "it cannot be read"
}

// csvWriter writes rows as objects.
type csvWriter struct {
	opt  CSVOptions
	keys [][]byte // quoted, with the colon
	out  []byte
	rows int
}

// header takes the names of the columns from the first row, and reports
// whether that row is a header.
func (w *csvWriter) header(record []string) bool {
	if !w.opt.NoHeader {
		w.names(record)
		return true
	}
	w.names(make([]string, len(record)))
	return false
}

// names keeps the names; a column without one is called by its number. A name
// that comes twice stays twice: that is a mismatch of its own.
func (w *csvWriter) names(list []string) {
	for i, name := range list {
		if name = strings.TrimSpace(name); name == "" {
			name = strconv.Itoa(i + 1)
		}
		key, _ := jsontext.AppendQuote(nil, name) // it is UTF-8
		w.keys = append(w.keys, append(key, ':'))
	}
}

func (w *csvWriter) row(record []string) {
	if w.rows++; w.rows > 1 {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, '{')
	for i, value := range record {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, w.keys[i]...)
		if n, ok := w.number(value); ok {
			w.out = append(w.out, n...)
			continue
		}
		w.out, _ = jsontext.AppendQuote(w.out, value) // it is UTF-8
	}
	w.out = append(w.out, '}')
}

// number gives a value as a JSON number with all its digits: 1.234,50 is
// 1234.50. A value with a leading zero, such as 007, is a code.
func (w *csvWriter) number(value string) (string, bool) {
	if w.opt.Decimal == 0 {
		return "", false
	}
	digits := strings.TrimPrefix(strings.TrimSpace(value), "-")
	sign := ""
	if strings.HasPrefix(strings.TrimSpace(value), "-") {
		sign = "-"
	}
	group := ","
	if w.opt.Decimal == ',' {
		group = "."
	}
	whole, fraction, hasFraction := strings.Cut(digits, string(w.opt.Decimal))
	if hasFraction && !allDigits(fraction) {
		return "", false
	}
	parts := strings.Split(whole, group)
	for i, part := range parts {
		grouped := len(parts) > 1
		if !allDigits(part) || (grouped && i > 0 && len(part) != 3) || (grouped && i == 0 && len(part) > 3) {
			return "", false
		}
	}
	whole = strings.Join(parts, "")
	if len(whole) > 1 && whole[0] == '0' {
		return "", false
	}
	if hasFraction {
		fraction = "." + fraction
	}
	return sign + whole + fraction, true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
