package history

import (
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// TestAnOldRunIsNotTheNewest holds that a run of a time to come is shown where
// it was kept: at the end of a strip it would stand for how the source is now.
func TestAnOldRunIsNotTheNewest(t *testing.T) {
	for name, o := range map[string]Options{"log": {}, "fold": folding(2), "database": {unlocked: true}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept(t, dir, o, "p", start.AddDate(10, 0, 0), allOK)
			for hour := range 100 {
				if hour == 50 {
					kept(t, dir, o, "p", start.AddDate(10, 0, 0), allOK)
				}
				kept(t, dir, o, "p", start.Add(time.Duration(hour)*time.Hour), unavailable)
			}
			now := start.Add(100 * time.Hour)
			o.Now = func() time.Time { return now }
			strips, err := opened(t, dir, o).History(t.Context(), Query{Cells: 1000})
			if err != nil || len(strips) != 2 || len(strips[0].Cells) != 102 {
				t.Fatalf("%d strips, %v", len(strips), err)
			}
			s := strips[0]
			if want := (Streak{Finding: checks.Indisponivel, Kind: "http_5xx", Status: 504, Runs: 50, Since: start.Add(50 * time.Hour), Until: start.Add(99 * time.Hour)}); s.Streak != want {
				t.Errorf("streak %+v, want %+v", s.Streak, want)
			}
			for i, at := range map[int]time.Time{0: start, 51: start.Add(49 * time.Hour)} {
				if s.Cells[i].Finding != checks.OK || !s.Cells[i].At.Equal(at) {
					t.Errorf("cell %d: %+v", i, s.Cells[i])
				}
			}
		})
	}
}

// TestALookAtAClockThatRanAhead holds that nothing is shown of a time to come.
func TestALookAtAClockThatRanAhead(t *testing.T) {
	dir := t.TempDir()
	kept(t, dir, Options{}, "p", start.AddDate(10, 0, 0), allOK)
	strips, err := opened(t, dir, Options{Now: func() time.Time { return start }}).History(t.Context(), Query{})
	if err != nil || len(strips) != 2 || !strips[0].State.LastMeasuredAt.Equal(start) || !strips[0].Streak.Since.Equal(start) {
		t.Errorf("%+v, %v", strips, err)
	}
}
