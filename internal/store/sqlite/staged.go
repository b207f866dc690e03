package sqlite

import (
	"database/sql"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

var stagedTable = tableOf("staged")

// loadRuns reads the runs of the owner, once per session.
func (x *ownerTx) loadRuns() error {
	if x.knows {
		return x.Ready()
	}
	x.runs = nil
	err := x.each(selectRuns, []any{x.owner.number}, func(rows *sql.Rows) error {
		var r stored.Run
		err := rows.Scan(&r.First, &r.Last, &r.Import, &r.Rows, &r.Seal)
		x.runs = append(x.runs, r)
		return err
	})
	x.knows = err == nil
	return err
}

const selectRuns = `SELECT first, last, import, rows, seal FROM staged WHERE owner = ? ORDER BY first`

// stage adds a document that has just been numbered to the runs of its import.
func (w *writeTx) stage(document, imp int64) error {
	n, before := w.runs.Place(document, imp)
	if before {
		r := &w.runs[n-1]
		return w.saveRun(r, document, r.Rows+1)
	}
	r := stored.NewRun(document, imp, w.seals)
	r.Seal = w.seals.Seal(stagedTable.Name, r.Values())
	w.runs = slices.Insert(w.runs, n, r)
	return w.putOne(stagedTable, r.Values()...)
}

// saveRun changes a run. An import adds to one again and again, so saveRun remembers
// its seal, and whether the seal matches.
func (w *writeTx) saveRun(r *stored.Run, last, rows int64) error {
	r.Change(&w.owner.Owner, w.seals, last, rows)
	r.Reseal(&w.owner.Owner)
	_, err := w.exec(`UPDATE staged SET last = ?, rows = ?, seal = ? WHERE owner = ? AND first = ?`,
		r.Last, r.Rows, r.Seal, w.owner.number, r.First)
	return err
}

// unstage takes deleted documents out of the counts of their runs. It removes an
// empty run.
func (w *writeTx) unstage(documents ...int64) error {
	gone := make(map[int64]int64)
	for _, document := range documents {
		if r := w.runs.Staging(document); r != nil {
			gone[r.First]++
		}
	}
	for _, first := range slices.Sorted(maps.Keys(gone)) {
		if err := w.lessen(first, gone[first]); err != nil {
			return err
		}
	}
	return nil
}

// lessen takes a number of documents out of the count of a run.
func (w *writeTx) lessen(first, gone int64) error {
	if r := w.runs.Staging(first); r.Rows > gone {
		return w.saveRun(r, r.Last, r.Rows-gone)
	}
	w.runs = slices.DeleteFunc(w.runs, func(r stored.Run) bool { return r.First == first })
	return w.Drop(deleteRun, first)
}

const (
	deleteRun    = `DELETE FROM staged WHERE owner = ? AND first = ? RETURNING seal`
	deleteImport = `DELETE FROM staged WHERE owner = ? AND import = ? RETURNING seal`
)
