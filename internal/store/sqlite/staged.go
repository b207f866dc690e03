package sqlite

import (
	"database/sql"
	"maps"
	"slices"
	"sort"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table staged: which documents are not published yet, as runs of numbers. An
// import numbers its documents one after the other, so that there are few runs,
// none at all most of the time, and publishing an import removes its runs and
// touches nothing else.
//
//	owner, first, last  numbers of the first and the last document
//	import              the import that will publish them
//	rows                how many of them have not been deleted; never 0
//
// Attachments have runs as well, apart from these, see [stored.Attached].
var stagedTable = newTable("staged")

type run struct {
	first, last int64
	imp         int64
	rows        int
	seal        []byte
	judged      bool           // heir is known
	heir        *stored.Sealer // whose seal it gets next; nil: it keeps that one
}

func (r run) values() []any { return []any{r.first, r.last, r.imp, r.rows} }

// loadRuns reads the runs of the owner, once per session.
func (s *session) loadRuns() error {
	if s.knows {
		return s.ready()
	}
	err := s.each(selectRuns, []any{s.owner.number}, func(rows *sql.Rows) error {
		var r run
		err := rows.Scan(&r.first, &r.last, &r.imp, &r.rows, &r.seal)
		s.runs = append(s.runs, r)
		return err
	})
	s.knows = err == nil
	return err
}

const selectRuns = `SELECT first, last, import, rows, seal FROM staged WHERE owner = ? ORDER BY first`

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
func (w *writer) stage(document, imp int64) error {
	n := sort.Search(len(w.runs), func(i int) bool { return w.runs[i].first > document })
	if n > 0 && w.runs[n-1].last == document-1 && w.runs[n-1].imp == imp {
		r := &w.runs[n-1]
		return w.saveRun(r, document, r.rows+1)
	}
	r := run{first: document, last: document, imp: imp, rows: 1, judged: true, heir: w.seals}
	r.seal = w.seals.Seal(stagedTable.Name, r.values())
	w.runs = slices.Insert(w.runs, n, r)
	return w.putOne(stagedTable, r.values()...)
}

// saveRun changes a run. An import adds to one again and again, so that it is
// remembered what its seal is, and whether that fits.
func (w *writer) saveRun(r *run, last int64, rows int) error {
	if !r.judged {
		r.heir, r.judged = w.seals.Heir(w.owner.secret, stagedTable.Name, r.values(), r.seal), true
	}
	r.last, r.rows = last, rows
	if r.heir != nil {
		old := r.seal
		r.seal = r.heir.Seal(stagedTable.Name, r.values())
		w.owner.total, w.dirty = w.owner.total.Minus(old).Plus(r.seal), true
	}
	_, err := w.exec(`UPDATE staged SET last = ?, rows = ?, seal = ? WHERE owner = ? AND first = ?`,
		r.last, r.rows, r.seal, w.owner.number, r.first)
	return err
}

// unstage takes deleted documents out of the counts of their runs. A run of which
// nothing is left goes.
func (w *writer) unstage(documents ...int64) error {
	gone := make(map[int64]int)
	for _, document := range documents {
		if r := w.staging(document); r != nil {
			gone[r.first]++
		}
	}
	for _, first := range slices.Sorted(maps.Keys(gone)) {
		if err := w.lessen(first, gone[first]); err != nil {
			return err
		}
	}
	return nil
}

// lessen takes so many documents out of the count of a run.
func (w *writer) lessen(first int64, gone int) error {
	if r := w.staging(first); r.rows > gone {
		return w.saveRun(r, r.last, r.rows-gone)
	}
	w.runs = slices.DeleteFunc(w.runs, func(r run) bool { return r.first == first })
	return w.drop(`DELETE FROM staged WHERE owner = ? AND first = ? RETURNING seal`, w.owner.number, first)
}

// Publish removes the runs of an import.
func (w *writer) Publish(imp int64) (int, error) {
	if err := w.loadRuns(); err != nil {
		return 0, err
	}
	rows := 0
	w.runs = slices.DeleteFunc(w.runs, func(r run) bool {
		if r.imp == imp && r.first < stored.Attached {
			rows += r.rows
		}
		return r.imp == imp
	})
	return rows, w.drop(`DELETE FROM staged WHERE owner = ? AND import = ? RETURNING seal`, w.owner.number, imp)
}
