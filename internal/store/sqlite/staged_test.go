package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestRunsEnd takes back what imports staged, and expects that nothing reminds of
// them; the runs of others stay.
func TestRunsEnd(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
	stage := func(imp int64, from, to int) {
		update(t, s, func(w store.Writer) error {
			for n := from; n < to; n++ {
				row := small(memory.ID(fmt.Sprint("urn:ump:", n)))
				row.Columns.Import, row.Columns.Staged = imp, true
				if _, err := w.Insert(row, store.Document{}, store.Links{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	remove := func(from, to int) {
		for n := from; n < to; n++ {
			update(t, s, func(w store.Writer) error { return w.Delete(memory.ID(fmt.Sprint("urn:ump:", n))) })
		}
	}
	runs := func(want string) {
		t.Helper()
		got := ""
		must(t, s.read(t.Context(), func(c *conn) error {
			return c.first("SELECT coalesce(group_concat(import || ' ' || first || '-' || last || ' ' || rows, ', '), '') FROM staged",
				nil, &got)
		}))
		if got != want {
			t.Errorf("runs: %s, want %s", got, want)
		}
	}
	stage(1, 1, 4)
	stage(2, 4, 6)
	stage(1, 6, 7)
	runs("1 1-3 3, 2 4-5 2, 1 6-6 1")
	remove(1, 4)
	runs("2 4-5 2, 1 6-6 1")
	remove(4, 5)
	runs("2 4-5 1, 1 6-6 1")
	update(t, s, func(w store.Writer) error {
		if err := w.Delete("urn:ump:6"); err != nil {
			return err
		}
		row := small("urn:ump:7")
		row.Columns.Import, row.Columns.Staged = 1, true
		_, err := w.Insert(row, store.Document{}, store.Links{})
		return err
	})
	runs("2 4-5 1, 1 7-7 1")
	remove(5, 6)
	remove(7, 8)
	runs("")
	sound(t, s)
}
