package cel

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func (t table) texts() {
	for _, member := range []bool{false, true} {
		for _, k := range []kind{stringKind, bytesKind, listKind, mapKind} {
			t.add("size", overload{params: []kind{k}, member: member, gives: intKind, apply: func(e *evaluation, args []value) (value, error) {
				n := length(args[0])
				return int64(n), e.spend(n / 32)
			}})
		}
		t.add("matches", overload{params: []kind{stringKind, stringKind}, member: member, gives: boolKind, apply: matches})
	}
	for name, holds := range map[string]func(s, part string) bool{"contains": strings.Contains, "startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix} {
		t.add(name, overload{params: []kind{stringKind, stringKind}, member: true, gives: boolKind, apply: func(e *evaluation, args []value) (value, error) {
			s := args[0].(string)
			return holds(s, args[1].(string)), e.spend(len(s) / 32)
		}})
	}
	for name, change := range map[string]func(string) string{"lowerAscii": lowerASCII, "upperAscii": upperASCII, "trim": strings.TrimSpace} {
		t.add(name, overload{params: []kind{stringKind}, member: true, gives: stringKind, apply: func(e *evaluation, args []value) (value, error) {
			s := args[0].(string)
			return change(s), e.spend(len(s) / 16)
		}})
	}
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// matches looks for a regular expression (RE2 syntax). One that is written
// down was compiled with the expression.
func matches(e *evaluation, args []value) (value, error) {
	s, pattern := args[0].(string), args[1].(string)
	re := e.program.patterns[pattern]
	if re == nil {
		if err := e.spend(len(pattern) * 16); err != nil {
			return nil, err
		}
		var err error
		if re, err = regexp.Compile(pattern); err != nil {
			return nil, &evalError{message: "not a regular expression: ", about: about(pattern)}
		}
	}
	return re.MatchString(s), e.spend(len(s) / 8)
}

func (t table) conversions() {
	one := func(name string, from, to kind, apply func(v value) (value, error)) {
		t.add(name, overload{params: []kind{from}, gives: to, apply: func(e *evaluation, args []value) (value, error) {
			if s, ok := args[0].(string); ok {
				if err := e.spend(len(s) / 16); err != nil {
					return nil, err
				}
			}
			return apply(args[0])
		}})
	}
	one("int", numberKind, intKind, toInt)
	one("int", stringKind, intKind, toInt)
	one("int", timestampKind, intKind, func(v value) (value, error) { return v.(time.Time).Unix(), nil })
	one("uint", numberKind, uintKind, toUint)
	one("uint", stringKind, uintKind, toUint)
	one("double", numberKind, doubleKind, func(v value) (value, error) { return toFloat(v), nil })
	one("double", stringKind, doubleKind, func(v value) (value, error) {
		f, err := strconv.ParseFloat(v.(string), 64)
		if err != nil {
			return nil, badValue(v, " is not a double")
		}
		return f, nil
	})
	for _, k := range []kind{numberKind, stringKind, boolKind, bytesKind, timestampKind, durationKind} {
		one("string", k, stringKind, toString)
	}
	one("bytes", stringKind, bytesKind, func(v value) (value, error) { return []byte(v.(string)), nil })
	one("bytes", bytesKind, bytesKind, func(v value) (value, error) { return v, nil })
	one("bool", boolKind, boolKind, func(v value) (value, error) { return v, nil })
	one("bool", stringKind, boolKind, func(v value) (value, error) {
		b, err := strconv.ParseBool(v.(string))
		if err != nil {
			return nil, badValue(v, " is not true or false")
		}
		return b, nil
	})
	one("dyn", dynKind, dynKind, func(v value) (value, error) { return v, nil })
	one("type", dynKind, typeKind, func(v value) (value, error) {
		if n, ok := v.(number); ok {
			return concrete(n), nil
		}
		return kindOf(v), nil
	})
}

func toInt(v value) (value, error) {
	switch v := v.(type) {
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n, nil
		}
		return nil, badValue(v, " is not an int")
	case int64:
		return v, nil
	case uint64:
		if v > math.MaxInt64 {
			return nil, errOverflow
		}
		return int64(v), nil
	case number:
		if n, ok := v.int(); ok {
			return n, nil
		}
	}
	// The fraction is cut off.
	if f := math.Trunc(toFloat(v)); f > -1<<63 && f < 1<<63 {
		return int64(f), nil
	}
	return nil, errOverflow
}

func toUint(v value) (value, error) {
	switch n := v.(type) {
	case uint64:
		return n, nil
	case string:
		if u, err := strconv.ParseUint(n, 10, 64); err == nil {
			return u, nil
		}
		return nil, badValue(v, " is not a uint")
	case number:
		if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
			return u, nil
		}
	case int64:
		if n >= 0 {
			return uint64(n), nil
		}
		return nil, errOverflow
	}
	if f := math.Trunc(toFloat(v)); f >= 0 && f < 1<<64 {
		return uint64(f), nil
	}
	return nil, errOverflow
}

func toString(v value) (value, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case []byte:
		if !utf8.Valid(v) {
			return nil, &evalError{message: "the bytes are not UTF-8"}
		}
		return string(v), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case time.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64) + "s", nil
	}
	s, _ := written(v)
	return s, nil
}
