package history

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Each run takes away a little of what is too old or too much, so that none
// pays for all of it: at most so many rows of each table, and so many pages, for
// each run that is taken over.
const (
	pruneRuns   = 16
	pruneBlocks = 512
	pruneStrips = 512
	pruneProbes = 256
	prunePages  = 1024
)

// keepState is how long the state of a probe that does not run is kept at least
// where something of it has begun (see lasts), however short runs are: an age
// limit may be longer than that, and a probe may run more seldom.
const keepState = 2 * 365 * 24 * time.Hour

// recentRows is how many of the newest runs tell what time it is.
const recentRows = 5

// present is the time by which runs are too old, in milliseconds since 1970: that
// of a usual one of the newest runs, or now where that is earlier. One run, or
// two, whose clock was far ahead take nothing away.
func (w *writer) present() (int64, error) {
	rows, err := w.tx.Query("SELECT at FROM runs ORDER BY id DESC LIMIT ?", recentRows)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var times []int64
	for rows.Next() {
		var at int64
		if err := rows.Scan(&at); err != nil {
			return 0, err
		}
		times = append(times, at)
	}
	now := w.now.UnixMilli()
	if len(times) == 0 {
		return now, rows.Err()
	}
	slices.Sort(times)
	return min(now, times[(len(times)-1)/2]), rows.Err()
}

// prune takes away what is older than keep and, where the file holds more than
// maxSize bytes, the oldest runs whatever their age; the newest run stays. Rows
// are numbered as they come, so that only the first ones are looked at.
func (w *writer) prune(keep time.Duration, maxSize int64) error {
	present, err := w.present()
	if err != nil {
		return err
	}
	cutoff := present - keep.Milliseconds()
	for range w.runs {
		used, err := w.used()
		if err != nil {
			return err
		}
		crowded := used > maxSize
		runs, err := w.pruneRuns(cutoff, crowded)
		if err != nil {
			return err
		}
		// Strips are small beside results: they go for their age, and for their
		// size once no run is left to go.
		strips, err := w.pruneStrips(cutoff, crowded && runs == 0)
		if err != nil {
			return err
		}
		if runs+strips == 0 {
			break
		}
	}
	if err := w.pruneProbes(cutoff, min(cutoff, present-keepState.Milliseconds())); err != nil {
		return err
	}
	return w.release()
}

// pruneProbes takes away the probes that have not run since the cutoff; those of
// which something lasts lose their cells, and go when they have not run since
// another.
func (w *writer) pruneProbes(cutoff, last int64) error {
	rows, err := w.tx.Query("SELECT id, at < ?, state FROM probes WHERE at < ? AND (at < ? OR length(cells) > 0) LIMIT ?", last, cutoff, last, pruneProbes*max(1, w.runs))
	if err != nil {
		return err
	}
	defer rows.Close()
	var cells, whole []int64
	for rows.Next() {
		var id int64
		var gone bool
		var packed []byte
		if err := rows.Scan(&id, &gone, &packed); err != nil {
			return err
		}
		if state, err := readState(packed); gone || err != nil || !state.lasts() {
			whole = append(whole, id)
		} else {
			cells = append(cells, id)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := w.each("DELETE FROM probes WHERE id = ?", whole); err != nil {
		return err
	}
	return w.each("UPDATE probes SET cells = x'' WHERE id = ?", cells)
}

// each runs a statement for each of some rows.
func (w *writer) each(statement string, ids []int64) error {
	for _, id := range ids {
		if _, err := w.tx.Exec(statement, id); err != nil {
			return err
		}
	}
	return nil
}

// used is how many bytes of the file hold something.
func (w *writer) used() (int64, error) {
	var pages, free, size int64
	err := w.tx.QueryRow("SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &free, &size)
	return (pages - free) * size, err
}

// pruneRuns takes away the oldest runs with their results.
func (w *writer) pruneRuns(cutoff int64, crowded bool) (found int, err error) {
	old, err := w.first("SELECT id, at FROM runs WHERE id < ? ORDER BY id", w.run, pruneRuns, cutoff, crowded)
	if err != nil {
		return 0, err
	}
	left := int64(pruneBlocks)
	for _, id := range old {
		res, err := w.tx.Exec("DELETE FROM blocks WHERE id IN (SELECT id FROM blocks WHERE run = ? LIMIT ?)", id, left)
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		if left -= n; err != nil || left <= 0 {
			return len(old), err // the rest of this run goes next time
		}
		if _, err := w.tx.Exec("DELETE FROM runs WHERE id = ?", id); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// pruneStrips takes away the oldest strips.
func (w *writer) pruneStrips(cutoff int64, crowded bool) (found int, err error) {
	old, err := w.first("SELECT id, last FROM strips WHERE id < ? ORDER BY id", math.MaxInt64, pruneStrips, cutoff, crowded)
	if err != nil {
		return 0, err
	}
	return len(old), w.each("DELETE FROM strips WHERE id = ?", old)
}

// first lists the first rows of a table up to one that is not older than the
// cutoff; all of them where that does not matter. A row of a time to come is as
// old as the row behind it, so that nothing has to wait for that time.
func (w *writer) first(query string, below int64, limit int, cutoff int64, whatever bool) ([]int64, error) {
	rows, err := w.tx.Query(query, below)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	old, now := 0, w.now.UnixMilli() // old is how many of ids are known to be
	for old < limit && rows.Next() {
		var id, at int64
		if err := rows.Scan(&id, &at); err != nil {
			return nil, err
		}
		if at >= cutoff && at <= now && !whatever {
			break
		}
		ids = append(ids, id)
		if at < cutoff || whatever {
			old = len(ids)
		}
	}
	return ids[:min(old, limit)], rows.Err()
}

// release gives free pages back to the file system, some at a time.
func (w *writer) release() error {
	rows, err := w.tx.Query(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", prunePages*max(1, w.runs)))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
