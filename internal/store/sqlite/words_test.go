package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestEraseDamaged erases rows of which next to nothing can be read.
func TestEraseDamaged(t *testing.T) {
	for name, damage := range map[string]string{
		"content": "UPDATE records SET origin = x'00', current = x'ff' WHERE id = 'urn:ump:1'",
		"list":    "UPDATE records SET words = substr(words, 2) WHERE id = 'urn:ump:1'",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "satchel.db")
			s := open(t, path)
			update(t, s, func(w store.Writer) error {
				if err := insertSmall(w, "urn:ump:1"); err != nil {
					return err
				}
				return insertSmall(w, "urn:ump:2")
			})
			statement(t, path, damage)
			update(t, s, func(w store.Writer) error { return w.Delete("urn:ump:1") })
			must(t, s.View(t.Context(), ada, func(r store.Reader) error {
				got, err := r.Frequencies([]string{"word", "urn:ump:1", "urn:ump:2"})
				if !slices.Equal(got, []int{1, 0, 1}) {
					t.Errorf("frequencies: %v", got)
				}
				return err
			}))
			sound(t, s)
		})
	}
}

// TestTokeniser looks for what an older tokeniser has cut.
func TestTokeniser(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
	update(t, s, func(w store.Writer) error {
		for n, d := range []store.Document{{Length: 1, Version: 1}, {Length: 1, Version: 2}, {Length: 1, Version: 1}, {}} {
			row := small(memory.ID("urn:ump:" + string(rune('a'+n))))
			if _, err := w.Insert(row, d, store.Links{}); err != nil {
				return err
			}
		}
		return w.Reindex(3, store.Document{Length: 1, Version: 2})
	})
	var found, doc int64
	must(t, s.read(t.Context(), func(c *conn) error {
		return c.first("SELECT count(*), max(doc) FROM records WHERE length > 0 AND tokeniser < ?", []any{2}, &found, &doc)
	}))
	if found != 1 || number(doc) != 1 {
		t.Errorf("%d records, the last is %d", found, number(doc))
	}
}
