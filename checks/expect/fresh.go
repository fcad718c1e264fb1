package expect

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, on machines that have none

	"github.com/fonteviva/fonteviva/checks/expect/dates"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// freshExpectation is the fresh: mapping: how old the newest date may be.
type freshExpectation struct {
	path       *jsonpath.Path
	layouts    []*dates.Layout
	zone       *time.Location
	warn, fail time.Duration // 0 where it is not declared
	calendar   dates.Calendar
}

// freshDraft is fresh: while it is read.
type freshDraft struct {
	freshExpectation
	holidays source.Node
	limited  bool // warn or fail stands there, whatever it says
}

var freshTable = source.NewObject("fresh",
	source.Field[freshDraft]{Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path to the dates; the newest counts", Required: true, Decode: func(d *freshDraft, n source.Node) {
		d.path = readPath(n)
	}},
	source.Field[freshDraft]{Name: "layout", Form: source.OneOrList(1, source.SomeText), Doc: "how they are written, such as DD/MM/YYYY, or a list of ways", Required: true, Decode: decodeLayouts},
	source.Field[freshDraft]{Name: "warn", Form: source.TimeFrom(time.Second), Doc: "the age above which it warns, such as 3d", Decode: func(d *freshDraft, n source.Node) {
		v, ok := n.Duration(time.Second)
		d.limited = true
		source.Optional(&d.warn, v, ok)
	}},
	source.Field[freshDraft]{Name: "fail", Form: source.TimeFrom(time.Second), Doc: "the age above which it fails", Decode: func(d *freshDraft, n source.Node) {
		v, ok := n.Duration(time.Second)
		d.limited = true
		source.Optional(&d.fail, v, ok)
	}},
	source.Field[freshDraft]{Name: "calendar", Form: source.OneOf("all", "business"), Doc: "all (default), or business: Saturdays, Sundays and holidays do not count", Decode: func(d *freshDraft, n source.Node) {
		word, ok := n.Enum("all", "business")
		source.Optional(&d.calendar.Business, word == "business", ok)
	}},
	source.Field[freshDraft]{Name: "holidays", Form: source.SomeText, Doc: "a file with a date in each line: YYYY-MM-DD, DD/MM/YYYY, or DD/MM for every year",
		Decode: func(d *freshDraft, n source.Node) { d.holidays = n }},
	source.Field[freshDraft]{Name: "zone", Form: source.SomeText, Doc: "where the days begin, such as America/Sao_Paulo; default UTC", Decode: decodeZone},
)

func decodeLayouts(d *freshDraft, n source.Node) {
	items := n.ItemsOrOne()
	if len(items) == 0 {
		n.Problem("such as DD/MM/YYYY", "the list of layouts is empty")
	}
	for _, item := range items {
		text, ok := item.NonEmpty()
		if !ok {
			continue
		}
		layout, err := dates.Parse(text)
		if bad, wrong := errors.AsType[*dates.LayoutError](err); wrong {
			item.Problem(bad.Hint, "%s is not a layout: %s", strconv.Quote(text), bad.Message)
			continue
		}
		d.layouts = append(d.layouts, layout)
	}
}

func decodeZone(d *freshDraft, n source.Node) {
	name, ok := n.NonEmpty()
	if !ok {
		return
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		n.Problem("such as UTC or America/Sao_Paulo", "%s is not a time zone", strconv.Quote(name))
		return
	}
	d.zone = zone
}

func decodeFresh(s *Spec, n source.Node) {
	s.json = true
	d := freshDraft{freshExpectation: freshExpectation{zone: time.UTC}}
	if !freshTable.Decode(n, &d) {
		return
	}
	switch {
	case !d.limited:
		n.Problem("such as warn: 3d, fail: 7d", "fresh has neither warn nor fail")
	case d.warn > 0 && d.fail > 0 && d.warn >= d.fail:
		n.Problem("", "warn: %s is not less than fail: %s", source.FormatDuration(d.warn), source.FormatDuration(d.fail))
	}
	if !d.holidays.IsZero() {
		d.calendar.Holidays = s.files.readHolidays(d.holidays)
		if !d.calendar.Business {
			d.holidays.Problem("add calendar: business", "holidays count nothing without calendar: business")
		}
	}
	s.add(&d.freshExpectation)
}

func (f *Files) readHolidays(n source.Node) *dates.Holidays {
	name, ok := f.name(n)
	if !ok {
		return nil
	}
	made, err := f.once("holidays "+name, func() (any, error) {
		data, err := f.read(name)
		if err != nil {
			return nil, err
		}
		return dates.ParseHolidays(data)
	})
	if err != nil {
		unreadable(n, name, err)
		return nil
	}
	return made.(*dates.Holidays)
}

// newest is what a walk over the dates has found.
type newest struct {
	date    dates.Date
	shown   string
	at      string
	nodes   int
	read    int
	foreign string // the first value that is no date of the layouts
	odd     int
}

func (e *freshExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	severity := Fail
	if e.fail == 0 {
		severity = Warn
	}
	doc, ok := o.json(severity, f)
	if !ok {
		return
	}
	var best newest
	err := doc.Select(ctx, e.path, func(v jsonpath.Value, at *jsonpath.Location) bool {
		best.look(e, v, at)
		return true
	})
	if err != nil {
		return
	}
	path := e.path.String()
	if best.read == 0 {
		f.add(Mismatch{Code: "fresh", Path: &path, Severity: severity, Want: "a date as " + e.written(), Got: best.nothing()})
		return
	}
	age := e.calendar.Age(best.date, o.Now)
	for _, limit := range []struct {
		most     time.Duration
		severity Severity
	}{{e.fail, Fail}, {e.warn, Warn}} {
		if limit.most > 0 && age > limit.most {
			f.add(Mismatch{Code: "fresh", Path: &best.at, Severity: limit.severity, Want: "at most " + e.aged(limit.most) + " old",
				Got: best.shown + ", " + e.aged(age) + " old" + best.others()})
			return
		}
	}
}

// look takes a node into account.
func (b *newest) look(e *freshExpectation, v jsonpath.Value, at *jsonpath.Location) {
	b.nodes++
	var text string
	switch v.Kind() {
	case jsonpath.String:
		text = v.Peek()
	case jsonpath.Number:
		text = v.PeekRaw()
	}
	for _, layout := range e.layouts {
		date, ok := layout.Read(text, e.zone)
		if !ok {
			continue
		}
		if b.read++; b.read == 1 || date.At.After(b.date.At) {
			b.date, b.shown, b.at = date, show(v), at.String()
		}
		return
	}
	// An empty value is a date that is not there yet.
	if v.Kind() != jsonpath.Null && text != "" || v.Kind() > jsonpath.String {
		if b.odd++; b.odd == 1 {
			b.foreign = typed(v)
		}
	}
}

// nothing says what was there in place of dates.
func (b *newest) nothing() string {
	switch {
	case b.nodes == 0:
		return "nothing: the path selects no node"
	case b.odd == 0:
		return plural(b.nodes, "empty value", "empty values")
	case b.odd == 1:
		return b.foreign
	}
	return b.foreign + ", and " + plural(b.odd-1, "other that is no such date", "others that are no such dates")
}

func (b *newest) others() string {
	if b.odd == 0 {
		return ""
	}
	return "; " + plural(b.odd, "value is", "values are") + " not of the layout, such as " + b.foreign
}

// written names the layouts.
func (e *freshExpectation) written() string {
	var names []string
	for _, l := range e.layouts {
		names = append(names, l.String())
	}
	return strings.Join(names, " or ")
}

// aged writes an age; days of a business calendar are named as such.
func (e *freshExpectation) aged(d time.Duration) string {
	if e.calendar.Business {
		return ageText(d) + " (business days)"
	}
	return ageText(d)
}

// ageText writes a time that has passed, or is left, without parts that do not
// matter.
func ageText(d time.Duration) string {
	const day = 24 * time.Hour
	unit := time.Second
	if d >= 2*day {
		unit = time.Hour
	}
	d = d.Truncate(unit)
	if days := d / day; days > 0 && d%day > 0 {
		return source.FormatDuration(days*day) + source.FormatDuration(d%day)
	}
	return source.FormatDuration(d)
}
