package dates

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func saoPaulo(t testing.TB) *time.Location {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestRead(t *testing.T) {
	for _, tc := range []struct{ layout, text, want string }{ // "" for no date
		{"DD/MM/YYYY", "31/08/2026", "2026-08-31"},
		{"dd/MM/yyyy", "31/08/2026", "2026-08-31"},
		{"DD/MM/AAAA", "29/02/2024", "2024-02-29"},
		{"DD/MM/YYYY", "29/02/2026", ""},
		{"DD/MM/YYYY", "31/04/2026", ""},
		{"DD/MM/YYYY", "00/04/2026", ""},
		{"DD/MM/YYYY", "1/4/2026", ""},
		{"DD/MM/YYYY", "31/08/2026 ", ""},
		{"DD/MM/YYYY", "2026-08-31", ""},
		{"D/M/YYYY", "1/4/2026", "2026-04-01"},
		{"D/M/YYYY", "31/12/2026", "2026-12-31"},
		{"DD/MM/YY", "31/12/68", "2068-12-31"},
		{"DD/MM/YY", "31/12/69", "1969-12-31"},
		{"YYYY-MM-DD", "2026-02-28", "2026-02-28"},
		{"YYYY-MM-DD", "2026-13-01", ""},
		{"YYYY-MM-DD", "0000-01-01", ""},
		{"MM-DD-YYYY", "08-31-2026", "2026-08-31"},
		{"YYYYMMDD", "20260831", "2026-08-31"},
		{"YYYYMM", "202602", "2026-02-28"},
		{"YYYYMM", "202613", ""},
		{"YYYY", "2026", "2026-12-31"},
		{"YYYYTQ", "2026T3", "2026-09-30"},
		{"YYYY[T]Q", "2026T1", "2026-03-31"},
		{"YYYYTQ", "2026T5", ""},
		{"Q[º trimestre ]YYYY", "4º trimestre 2026", "2026-12-31"},
		{"MMM/YYYY", "fev/2024", "2024-02-29"},
		{"MMM/YYYY", "DEZ/2026", "2026-12-31"},
		{"MMM/YYYY", "set./2026", "2026-09-30"},
		{"MMM/YYYY", "Sep/2026", "2026-09-30"},
		{"MMM/YYYY", "xyz/2026", ""},
		{"MMM YY", "mai 26", "2026-05-31"},
		{"D [de] MMMM [de] YYYY", "1 de março de 2026", "2026-03-01"},
		{"MMMM/YYYY", "Janeiro/2026", "2026-01-31"},
		{"MMMM YYYY", "October 2026", "2026-10-31"},
		{"DD/MM/YYYY HH:mm:ss", "31/08/2026 23:59:59", "2026-09-01T02:59:59Z"},
		{"DD/MM/YYYY HH[h]mm", "31/08/2026 10h30", "2026-08-31T13:30:00Z"},
		{"DD/MM/YYYY HH:mm", "31/08/2026 24:00", "2026-09-01T03:00:00Z"},
		{"DD/MM/YYYY HH:mm", "31/08/2026 24:01", ""},
		{"DD/MM/YYYY HH:mm", "31/08/2026 10:60", ""},
		{"YYYY-MM-DDTHH:mm:ss.SSS", "2026-08-31T10:00:00.123", "2026-08-31T13:00:00Z"},
		{"YYYY-MM-DDTHH:mm:ssZ", "2026-08-31T10:00:00+0200", "2026-08-31T08:00:00Z"},
		{"YYYY-MM-DDTHH:mm:ssZ", "2026-08-31T10:00:00-03", "2026-08-31T13:00:00Z"},
		{"YYYY-MM-DDTHH:mm:ssXXX", "2026-08-31T10:00:00Z", "2026-08-31T10:00:00Z"},
		{"YYYY-MM-DDTHH:mm:ssZ", "2026-08-31T10:00:00+2560", ""},
		{"RFC 3339", "2026-08-31T10:00:00.5-03:00", "2026-08-31T13:00:00Z"},
		{"rfc3339", "2026-08-31", ""},
		{"rfc3339", "2026-08-31t10:00:00z", "2026-08-31T10:00:00Z"},
		{"rfc3339", "2026-08-31T10:00:00,5Z", ""},
		{"rfc3339", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
		{"rfc3339", "2016-12-31T20:59:60.5-03:00", "2017-01-01T00:00:00Z"},
		{"rfc3339", "2016-12-31T22:59:60Z", ""},
		{"rfc3339", "2016-12-31T23:59:61Z", ""},
		{"epoch", "1788134400", "2026-08-31T00:00:00Z"},
		{"epoch", "1.7881344e9", "2026-08-31T00:00:00Z"},
		{"epoch", "-1", "1969-12-31T23:59:59Z"},
		{"epoch_ms", "1788134400999", "2026-08-31T00:00:00Z"},
		{"epoch ms", "1788134400000.5", "2026-08-31T00:00:00Z"},
		{"epoch", "1788134400000", ""},
		{"epoch", "NaN", ""}, {"epoch", "Inf", ""}, {"epoch", "0x10", ""}, {"epoch", "", ""},
	} {
		l, err := Parse(tc.layout)
		if err != nil {
			t.Errorf("%s: %v", tc.layout, err)
			continue
		}
		got := ""
		if d, ok := l.Read(tc.text, saoPaulo(t)); ok {
			got = d.String()
		}
		if got != tc.want {
			t.Errorf("%q as %s: got %q, want %q", tc.text, tc.layout, got, tc.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tc := range []struct{ layout, message string }{
		{"dd/mm/yyyy", "mm is minutes, and there is no hour before it"},
		{"%d/%m/%Y", `"m" is no part of a date`},
		{"02/01/2006", "it has no year"},
		{"DD/MM", "it has no year"},
		{"DD/YYYY", "a part between others is missing"},
		{"YYYY HH", "a part between others is missing"},
		{"MM/MM/YYYY", "it names the same part of a date twice"},
		{"YYYYTQ MM", "a quarter stands beside a month, a day or an hour"},
		{"D of MMMM", `"o" is no part of a date`},
		{"[YYYY", "a bracket is not closed"},
		{"YYYYY", `"YYYYY" is no part of a date`},
	} {
		_, err := Parse(tc.layout)
		var bad *LayoutError
		if !errors.As(err, &bad) || bad.Message != tc.message || bad.Hint == "" {
			t.Errorf("%s: %v", tc.layout, err)
		}
	}
}

func TestAge(t *testing.T) {
	holidays, err := ParseHolidays([]byte("# nacionais\n25/12 Natal\n2026-09-07, Independência\n\n02/11/2026\n"))
	if err != nil {
		t.Fatal(err)
	}
	business, national := Calendar{Business: true}, Calendar{Business: true, Holidays: holidays}
	zone := saoPaulo(t)
	for _, tc := range []struct {
		name         string
		c            Calendar
		layout, date string
		now          string // in the zone
		want         time.Duration
	}{
		{"today", Calendar{}, "DD/MM/YYYY", "31/08/2026", "2026-08-31 23:59", 0},
		{"yesterday, whatever the hour", Calendar{}, "DD/MM/YYYY", "31/08/2026", "2026-09-01 00:01", 24 * time.Hour},
		{"a week", Calendar{}, "DD/MM/YYYY", "24/08/2026", "2026-08-31 10:00", 168 * time.Hour},
		{"a future date is fresh", Calendar{}, "DD/MM/YYYY", "16/09/2026", "2026-08-31 10:00", 0},
		{"an instant", Calendar{}, "YYYY-MM-DD HH:mm", "2026-08-31 09:30", "2026-08-31 10:00", 30 * time.Minute},
		{"a month counts from its end", Calendar{}, "YYYYMM", "202608", "2026-09-10 10:00", 240 * time.Hour},
		{"the month that is on is in the future", Calendar{}, "YYYYMM", "202609", "2026-09-10 10:00", 0},
		{"a quarter counts from its end", Calendar{}, "YYYYTQ", "2026T2", "2026-07-03 10:00", 72 * time.Hour},
		{"a year counts from its end", Calendar{}, "YYYY", "2025", "2026-01-02 10:00", 48 * time.Hour},
		{"friday on monday", business, "DD/MM/YYYY", "28/08/2026", "2026-08-31 10:00", 24 * time.Hour},
		{"friday on sunday", business, "DD/MM/YYYY", "28/08/2026", "2026-08-30 10:00", 0},
		{"saturday on monday", business, "DD/MM/YYYY", "29/08/2026", "2026-08-31 10:00", 24 * time.Hour},
		{"over a holiday", national, "DD/MM/YYYY", "04/09/2026", "2026-09-08 10:00", 24 * time.Hour},
		{"over the same without holidays", business, "DD/MM/YYYY", "04/09/2026", "2026-09-08 10:00", 48 * time.Hour},
		{"over a holiday of every year", national, "DD/MM/YYYY", "24/12/2025", "2025-12-26 10:00", 24 * time.Hour},
		{"an instant over a weekend", business, "YYYY-MM-DD HH:mm", "2026-08-28 22:00", "2026-08-31 01:00", 3 * time.Hour},
		{"over a day without midnight", business, "DD/MM/YYYY", "01/11/2018", "2018-11-06 00:30", 72 * time.Hour},
		{"very old", Calendar{}, "YYYY", "0001", "2026-01-02 10:00", maxDays * 24 * time.Hour},
		{"very old, in business days", business, "YYYY", "0001", "2026-01-02 10:00", 88_573 * 24 * time.Hour},
	} {
		l, err := Parse(tc.layout)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := l.Read(tc.date, zone)
		now, err := time.ParseInLocation("2006-01-02 15:04", tc.now, zone)
		if !ok || err != nil {
			t.Fatal(tc.name, err)
		}
		if got := tc.c.Age(d, now.UTC()); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestParseHolidaysNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"25/12\n\n31/13 x":  `line 3: "31/13" is no date: write YYYY-MM-DD, DD/MM/YYYY, or DD/MM for every year`,
		"Natal":             `line 1: "Natal" is no date: write YYYY-MM-DD, DD/MM/YYYY, or DD/MM for every year`,
		"29/02\n2026-02-29": `line 2: "2026-02-29" is no date: write YYYY-MM-DD, DD/MM/YYYY, or DD/MM for every year`,
	} {
		if _, err := ParseHolidays([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ParseHolidays([]byte(strings.Repeat("x", 1<<20))); err == nil {
		t.Error("an endless line is accepted")
	}
}

// FuzzRead holds that no layout and no text breaks the reader, that what it
// reads is a year of four digits, and that no age is below 0.
func FuzzRead(f *testing.F) {
	f.Add("DD/MM/YYYY", "31/08/2026")
	f.Add("YYYY-MM-DDTHH:mm:ss.SSSZ", "2026-08-31T10:00:00.1+03:00")
	f.Add("D [de] MMMM [de] YYYY", "1 de março de 2026")
	f.Add("epoch_ms", "1788134400000")
	f.Add("YYYYTQ", "2026T3")
	now := time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, layout, text string) {
		l, err := Parse(layout)
		if err != nil {
			return
		}
		d, ok := l.Read(text, time.UTC)
		if !ok {
			return
		}
		if y := d.At.Year(); y < -10_000 || y > 10_000 {
			t.Errorf("%q as %q is of the year %d", text, layout, y)
		}
		for _, c := range []Calendar{{}, {Business: true}} {
			if age := c.Age(d, now); age < 0 {
				t.Errorf("%q as %q is %v old", text, layout, age)
			}
		}
	})
}
