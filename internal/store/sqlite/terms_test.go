package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestTermsFrequent lists rare terms before, between and behind terms that have more blocks
// than Terms reads before it seeks.
func TestTermsFrequent(t *testing.T) {
	const blocks = rowsBeforeSeek + 3
	s := openSealed(t, filepath.Join(t.TempDir(), "satchel.db"), secretOf)
	all := []string{"a", "a\x00", "abc", "b"}
	update(t, s, func(w store.Writer) error {
		for n := range blocks * 256 {
			d := store.Document{Terms: map[string]int{"a": 1, "abc": 1, "b": 1}, Length: 3}
			if n == 7 {
				d.Terms["a\x00"] = 1 // nothing sorts between "a" and this term
			}
			if n%300 == 0 {
				for _, rare := range []string{fmt.Sprint("ab", n), fmt.Sprint("abc", n), fmt.Sprint("b", n)} {
					all = append(all, rare)
					d.Terms[rare] = 1
				}
			}
			if _, err := w.Insert(small(memory.ID(fmt.Sprint("urn:ump:", n))), d, store.Links{}); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(all)
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		for _, prefix := range []string{"", "a", "ab", "abc", "abc5", "b", "c"} {
			with := slices.DeleteFunc(slices.Clone(all), func(term string) bool { return !strings.HasPrefix(term, prefix) })
			for max := range len(with) + 2 {
				want := with[:min(max, len(with))]
				if got, err := r.Terms(prefix, max); err != nil || !slices.Equal(got, want) {
					t.Errorf("at most %d terms with %q: %q, %v, want %q", max, prefix, got, err, want)
				}
			}
		}
		return nil
	}))
}
