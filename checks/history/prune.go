package history

import (
	"fmt"
	"math"
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

// prune takes away what is older than the cutoff (milliseconds since 1970) and,
// where the file holds more than maxSize bytes, the oldest runs whatever their
// age; the newest run stays. Rows are numbered as they come, so that only the
// first ones are looked at.
func (w *writer) prune(cutoff, maxSize int64) error {
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
	if _, err := w.tx.Exec("DELETE FROM probes WHERE id IN (SELECT id FROM probes WHERE at < ? LIMIT ?)", cutoff, pruneProbes*max(1, w.runs)); err != nil {
		return err
	}
	return w.release()
}

// used is how many bytes of the file hold something.
func (w *writer) used() (int64, error) {
	var pages, free, size int64
	err := w.tx.QueryRow("SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &free, &size)
	return (pages - free) * size, err
}

// pruneRuns takes away the oldest runs with their results.
func (w *writer) pruneRuns(cutoff int64, crowded bool) (found int, err error) {
	old, err := w.first("SELECT id, at FROM runs WHERE id < ? ORDER BY id LIMIT ?", w.run, pruneRuns, cutoff, crowded)
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
	old, err := w.first("SELECT id, last FROM strips WHERE id < ? ORDER BY id LIMIT ?", math.MaxInt64, pruneStrips, cutoff, crowded)
	if err != nil {
		return 0, err
	}
	for _, id := range old {
		if _, err := w.tx.Exec("DELETE FROM strips WHERE id = ?", id); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// first lists the first rows of a table up to one that is not older than the
// cutoff; all of them where that does not matter.
func (w *writer) first(query string, below int64, limit int, cutoff int64, whatever bool) ([]int64, error) {
	rows, err := w.tx.Query(query, below, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id, at int64
		if err := rows.Scan(&id, &at); err != nil {
			return nil, err
		}
		if at >= cutoff && !whatever {
			break
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
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
