package dates

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Calendar says which days count. The zero Calendar counts every day.
type Calendar struct {
	Business bool // Saturdays, Sundays and holidays do not count
	Holidays *Holidays
}

// Holidays are days that do not count.
type Holidays struct {
	days   map[civil]bool
	yearly map[civil]bool // with year 0
}

type civil struct {
	year  int
	month time.Month
	day   int
}

func civilOf(t time.Time) civil { y, m, d := t.Date(); return civil{y, m, d} }

// maxHolidays bounds a file.
const maxHolidays = 100_000

// ParseHolidays reads one holiday a line: YYYY-MM-DD or DD/MM/YYYY, or DD/MM
// for one that is every year. What stands after the date, and lines that begin
// with #, is for people.
func ParseHolidays(data []byte) (*Holidays, error) {
	h := &Holidays{days: map[civil]bool{}, yearly: map[civil]bool{}}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		word := line
		if end := strings.IndexAny(line, " \t,;"); end >= 0 {
			word = line[:end]
		}
		if !h.add(word) {
			return nil, fmt.Errorf("line %d: %.40q is no date: write YYYY-MM-DD, DD/MM/YYYY, or DD/MM for every year", n, word)
		}
		if len(h.days)+len(h.yearly) > maxHolidays {
			return nil, fmt.Errorf("it has more than %d holidays", maxHolidays)
		}
	}
	return h, lines.Err()
}

func (h *Holidays) add(word string) bool {
	for _, layout := range []string{time.DateOnly, "02/01/2006"} {
		if t, err := time.Parse(layout, word); err == nil {
			h.days[civilOf(t)] = true
			return true
		}
	}
	// A leap year, so that 29/02 is a day.
	t, err := time.Parse("02/01/2006", word+"/2000")
	if err == nil {
		h.yearly[civil{0, t.Month(), t.Day()}] = true
	}
	return err == nil
}

// counts reports whether a day counts.
func (c Calendar) counts(t time.Time) bool {
	if !c.Business {
		return true
	}
	if w := t.Weekday(); w == time.Saturday || w == time.Sunday {
		return false
	}
	d := civilOf(t)
	return c.Holidays == nil || !c.Holidays.days[d] && !c.Holidays.yearly[civil{0, d.month, d.day}]
}

// maxWalk is how many days back days are looked at one by one; before that all
// count. maxDays is the oldest age in days, which a time.Duration holds.
const (
	maxWalk = 40_000
	maxDays = 100_000
)

// Age is how old a date is: the time that has passed on days that count, in
// whole days (of 24 hours) for a date without a time of day. It is 0 for a date
// in the future.
func (c Calendar) Age(d Date, now time.Time) time.Duration {
	now = now.In(d.At.Location())
	if !now.After(d.At) {
		return 0
	}
	days := min(daysBetween(d.At, now), maxDays)
	if !c.Business {
		if d.Day {
			return time.Duration(days) * 24 * time.Hour
		}
		return now.Sub(d.At)
	}
	total := time.Duration(max(days-maxWalk, 0)) * 24 * time.Hour
	for back := min(days, maxWalk); back >= 0; back-- {
		switch start := dayBefore(now, back); {
		case !c.counts(start):
		case !d.Day:
			total += overlap(start, dayBefore(now, back-1), d.At, now)
		case back < days:
			total += 24 * time.Hour
		}
	}
	return total
}

// dayBefore is when the day that is some days back begins.
func dayBefore(t time.Time, back int) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d-back, 0, 0, 0, 0, t.Location())
}

// daysBetween counts days by the calendar: a day is one, whatever its hours.
func daysBetween(a, b time.Time) int {
	day := func(t time.Time) int64 {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400
	}
	return int(day(b) - day(a))
}

// overlap is how much of from–to lies in start–end.
func overlap(start, end, from, to time.Time) time.Duration {
	if from.After(start) {
		start = from
	}
	if to.Before(end) {
		end = to
	}
	return max(end.Sub(start), 0)
}
