package sqlite

import (
	"database/sql"
	"slices"
	"sort"
)

// Table staged: which documents are not published yet, as runs of numbers. An
// import numbers its documents one after the other, so that there are few runs,
// none at all most of the time, and publishing an import removes its runs and
// touches nothing else.
//
//	owner, first, last  numbers of the first and the last document
//	import              the import that will publish them
//	rows                how many of them have not been deleted; never 0
var stagedTable = newTable("staged", 2, "owner", "first", "last", "import", "rows")

type run struct {
	first, last int64
	imp         int64
	rows        int
}

func (r run) values(owner int64) []any { return []any{owner, r.first, r.last, r.imp, r.rows} }

// loadRuns reads the runs of the owner, once per session.
func (s *session) loadRuns() error {
	if s.knows {
		return s.ready()
	}
	err := s.each(selectRuns, []any{s.owner.number}, func(rows *sql.Rows) error {
		var r run
		err := rows.Scan(&r.first, &r.last, &r.imp, &r.rows)
		s.runs = append(s.runs, r)
		return err
	})
	s.knows = err == nil
	return err
}

const selectRuns = `SELECT first, last, import, rows FROM staged WHERE owner = ? ORDER BY first`

// staging returns the run that holds a document, or nil if it is published.
func (s *session) staging(document int64) *run {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].last >= document })
	if i < len(s.runs) && s.runs[i].first <= document {
		return &s.runs[i]
	}
	return nil
}

// stage adds a document that has just been numbered to the runs of its import.
func (w *writer) stage(document, imp int64) error {
	if n := len(w.runs); n > 0 && w.runs[n-1].last == document-1 && w.runs[n-1].imp == imp {
		r := &w.runs[n-1]
		r.last, r.rows = document, r.rows+1
		return w.set(stagedTable, r.values(w.owner.number)...)
	}
	r := run{first: document, last: document, imp: imp, rows: 1}
	w.runs = append(w.runs, r)
	return w.putOne(stagedTable, r.values(w.owner.number)...)
}

// unstage takes a deleted document out of the count of its run. A run of which
// nothing is left goes.
func (w *writer) unstage(document int64) error {
	r := w.staging(document)
	if r == nil {
		return nil
	}
	r.rows--
	if r.rows > 0 {
		return w.set(stagedTable, r.values(w.owner.number)...)
	}
	first := r.first
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
		if r.imp == imp {
			rows += r.rows
		}
		return r.imp == imp
	})
	return rows, w.drop(`DELETE FROM staged WHERE owner = ? AND import = ? RETURNING seal`, w.owner.number, imp)
}
