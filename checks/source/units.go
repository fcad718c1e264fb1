package source

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var durationPart = Pattern(`^(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w)`)

var durationUnits = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// ParseDuration reads Go's duration grammar plus d (24 h) and w (7 d), such as
// 1d12h. Negative durations are refused; a bare 0 is allowed.
func ParseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	rest, total := s, 0.0
	for rest != "" {
		m := durationPart().FindStringSubmatch(rest)
		if m == nil {
			return 0, fmt.Errorf("%q is not a duration: a number and a unit of ns, us, ms, s, m, h, d, w, such as 1.5s or 1d12h", s)
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: %s is no number", s, m[1])
		}
		total += n * float64(durationUnits[m[2]])
		rest = rest[len(m[0]):]
	}
	if s == "" || total >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a duration between 0 and 292 years", s)
	}
	return time.Duration(math.Round(total)), nil
}

// FormatDuration writes a duration as people write it in a declaration: the
// fewest units, no zero parts.
func FormatDuration(d time.Duration) string {
	if d >= 24*time.Hour && d%(24*time.Hour) == 0 {
		return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

var sizePattern = Pattern(`^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$`)

var sizeUnits = map[string]float64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// ParseSize reads a number of bytes: 512, 10kB, 32MiB, 1GiB.
func ParseSize(s string) (int64, error) {
	m := sizePattern().FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is not a size: a number of bytes, or a number with kB, MB, GB, KiB, MiB or GiB", s)
	}
	unit, ok := sizeUnits[strings.ToLower(m[2])]
	if !ok {
		return 0, fmt.Errorf("%q is not a size: unit %s is not one of B, kB, MB, GB, KiB, MiB, GiB", s, m[2])
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n*unit >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size that fits", s)
	}
	return int64(n * unit), nil
}
