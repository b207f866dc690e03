package postgres

import (
	"encoding/binary"
	"slices"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

var stagedTable = tableOf("staged")

const selectRuns = `SELECT first, last, import, rows, seal FROM staged WHERE owner = $1 ORDER BY first`

// readRun adds a run from a row of selectRuns.
func (t *tx) readRun(raw [][]byte) error {
	r := stored.Run{Filed: true}
	if len(raw) != 5 {
		return errColumns
	}
	for i, into := range []*int64{&r.First, &r.Last, &r.Import, &r.Rows} {
		if len(raw[i]) != 8 {
			return errColumns
		}
		*into = int64(binary.BigEndian.Uint64(raw[i]))
	}
	r.Seal = slices.Clone(raw[4])
	t.runs = append(t.runs, r)
	return nil
}

// stage adds a document that has just been numbered to the runs of its import. The
// run is written only when the Update ends, since an import adds to it again and
// again.
func (w *writeTx) stage(document, imp int64) {
	n, before := w.runs.Place(document, imp)
	if before {
		w.runs[n-1].Change(&w.owner, w.seals, document, w.runs[n-1].Rows+1)
		return
	}
	w.runs = slices.Insert(w.runs, n, stored.NewRun(document, imp, w.seals))
}

// fileRuns queues the changed runs.
func (w *writeTx) fileRuns() {
	for _, document := range w.gone {
		w.unstage(document)
	}
	w.gone = nil
	for i := range w.runs {
		r := &w.runs[i]
		switch {
		case !r.Changed:
			continue
		case !r.Filed:
			_ = w.putOne(stagedTable, r.Values()...) // a failure shows when the Update ends
		default:
			r.Reseal(&w.owner)
			w.later(updateRun, r.First, r.Last, r.Rows, r.Seal)
		}
		r.Filed, r.Changed = true, false
	}
}

const updateRun = `UPDATE staged SET last = $3, rows = $4, seal = $5 WHERE owner = $1 AND first = $2`

// unstage takes a deleted document out of the count of its run. It removes an empty
// run.
func (w *writeTx) unstage(document int64) {
	r := w.runs.Staging(document)
	if r == nil {
		return
	}
	if r.Rows > 1 {
		r.Change(&w.owner, w.seals, r.Last, r.Rows-1)
		return
	}
	first := r.First
	w.dropRuns(func(r stored.Run) bool { return r.First == first })
}

// dropRuns removes runs and returns how many documents were in them.
func (w *writeTx) dropRuns(which func(stored.Run) bool) int {
	rows := 0
	w.runs = slices.DeleteFunc(w.runs, func(r stored.Run) bool {
		if !which(r) {
			return false
		}
		if r.First < stored.AttachmentBase {
			rows += int(r.Rows)
		}
		if r.Filed {
			w.owner.Lose(r.Seal)
			w.later(deleteRun, r.First)
		}
		return true
	})
	return rows
}

const deleteRun = `DELETE FROM staged WHERE owner = $1 AND first = $2`
