package postgres

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table staged: which documents are not published yet, as runs of numbers. An
// import numbers its documents one after the other, so that there are few runs,
// none at all most of the time, and publishing an import removes its runs and
// touches nothing else.
//
//	owner, first  key; number of the first document
//	last          number of the last
//	import        the import that will publish them
//	rows          how many of them have not been deleted; never 0
//
// Attachments have runs as well, apart from these, see [stored.Attached].
var stagedTable = newTable("staged")

// run is a row of the table.
type run struct {
	first, last int64
	imp         int64
	rows        int64
	seal        []byte
	judged      bool           // heir is known
	heir        *stored.Sealer // whose seal it gets next; nil: it keeps that one
	filed       bool           // the table holds the run
	changed     bool           // and something else than this
}

func (r *run) values() []any { return []any{r.first, r.last, r.imp, r.rows} }

const selectRuns = `SELECT first, last, import, rows, seal FROM staged WHERE owner = $1 ORDER BY first`

// readRun takes a run up from a row of selectRuns.
func (t *tx) readRun(raw [][]byte) error {
	r := run{filed: true}
	if len(raw) != 5 {
		return errColumns
	}
	for i, into := range []*int64{&r.first, &r.last, &r.imp, &r.rows} {
		if len(raw[i]) != 8 {
			return errColumns
		}
		*into = int64(binary.BigEndian.Uint64(raw[i]))
	}
	r.seal = slices.Clone(raw[4])
	t.runs = append(t.runs, r)
	return nil
}

// staging returns the run that holds a document, or nil if it is published.
func (s *session) staging(document int64) *run {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].last >= document })
	if i < len(s.runs) && s.runs[i].first <= document {
		return &s.runs[i]
	}
	return nil
}

// hidden are the runs that an import does not see: all of them, or none where it has
// a number.
func (s *session) hidden(imp int64) []stored.Stretch {
	if imp != 0 {
		return nil
	}
	var hidden []stored.Stretch
	for _, r := range s.runs {
		hidden = append(hidden, stored.Stretch{First: r.first, Last: r.last})
	}
	return hidden
}

// stage adds a document that has just been numbered to the runs of its import.
func (w *writer) stage(document, imp int64) {
	n := sort.Search(len(w.runs), func(i int) bool { return w.runs[i].first > document })
	if n > 0 && w.runs[n-1].last == document-1 && w.runs[n-1].imp == imp {
		w.change(&w.runs[n-1], document, w.runs[n-1].rows+1)
		return
	}
	w.runs = slices.Insert(w.runs, n, run{first: document, last: document, imp: imp, rows: 1, changed: true})
}

// change changes a run. An import adds to one again and again, so that the table
// learns of it only when the Update ends.
func (w *writer) change(r *run, last, rows int64) {
	if r.filed && !r.judged {
		r.heir, r.judged = w.seals.Heir(w.owner.secret, stagedTable.Name, r.values(), r.seal), true
	}
	r.last, r.rows, r.changed = last, rows, true
}

// fileRuns queues the runs that have changed.
func (w *writer) fileRuns() {
	for _, document := range w.gone {
		w.unstage(document)
	}
	w.gone = nil
	for i := range w.runs {
		r := &w.runs[i]
		switch {
		case !r.changed:
			continue
		case !r.filed:
			_ = w.putOne(stagedTable, r.values()...) // a failure shows when the Update ends
		default:
			if r.heir != nil {
				old := r.seal
				r.seal = r.heir.Seal(stagedTable.Name, r.values())
				w.owner.total, w.dirty = w.owner.total.Minus(old).Plus(r.seal), true
			}
			w.later(updateRun, r.first, r.last, r.rows, r.seal)
		}
		r.filed, r.changed = true, false
	}
}

const updateRun = `UPDATE staged SET last = $3, rows = $4, seal = $5 WHERE owner = $1 AND first = $2`

// unstage takes a deleted document out of the count of its run. A run of which
// nothing is left goes.
func (w *writer) unstage(document int64) {
	r := w.staging(document)
	if r == nil {
		return
	}
	if r.rows > 1 {
		w.change(r, r.last, r.rows-1)
		return
	}
	first := r.first
	w.dropRuns(func(r run) bool { return r.first == first })
}

// dropRuns removes runs and returns how many documents were in them.
func (w *writer) dropRuns(which func(run) bool) int {
	rows := 0
	w.runs = slices.DeleteFunc(w.runs, func(r run) bool {
		if !which(r) {
			return false
		}
		if r.first < stored.Attached {
			rows += int(r.rows)
		}
		if r.filed {
			w.owner.total, w.dirty = w.owner.total.Minus(r.seal), true
			w.later(deleteRun, r.first)
		}
		return true
	})
	return rows
}

const deleteRun = `DELETE FROM staged WHERE owner = $1 AND first = $2`

// Publish removes the runs of an import.
func (w *writer) Publish(imp int64) (int, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	w.ahead = ahead{}
	return w.dropRuns(func(r run) bool { return r.imp == imp }), w.failed()
}
