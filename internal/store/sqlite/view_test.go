package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestViewAfterOthers: what a connection knows of an owner from its last view holds only until
// anybody writes, and for that owner alone.
func TestViewAfterOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, other := open(t, path), open(t, path)
	const bob = memory.DID("did:key:bob")
	say := func(of memory.DID) (said string) {
		t.Helper()
		must(t, s.View(t.Context(), of, func(r store.Reader) error {
			size, _, err := r.Size()
			sum, err2 := r.Sum()
			rows, err3 := r.Numbered([]int64{1, 2, 3})
			lessons, err4 := r.Lessons([]int64{1})
			said = fmt.Sprintln(r.Owner(), size, sum, len(rows), lessons[0].Followed)
			return firstOf(err, err2, err3, err4)
		}))
		return said
	}
	last := say(ada)
	for _, act := range []struct {
		what string
		by   *Store
		do   func(store.Writer) error
	}{
		{"another process adds the owner", other, func(w store.Writer) error { return insertWorded(w, 1) }},
		{"this process adds a record", s, func(w store.Writer) error { return insertWorded(w, 2) }},
		{"another process stages a record", other, func(w store.Writer) error { return insertStaged(w, 3) }},
		{"another process publishes it", other, func(w store.Writer) error { _, err := w.Publish(1); return err }},
		{"another process files a lesson", other, func(w store.Writer) error { return w.SetLesson(1, store.Lesson{Followed: 2, At: birth}) }},
		{"this process deletes a record", s, func(w store.Writer) error { return w.Delete("urn:ump:2") }},
	} {
		must(t, act.by.Update(t.Context(), ada, act.do))
		now := say(ada)
		if now == last || now != say(ada) {
			t.Errorf("after %s the view says %s, before %s", act.what, now, last)
		}
		if nobody := say(bob); nobody != fmt.Sprintln(bob, 0, store.Sum{}, 0, 0) {
			t.Errorf("another owner has %s", nobody)
		}
		if say(ada) != now {
			t.Error("after a view of another owner it says something else")
		}
		last = now
	}
	if s.idle.size() != 1 {
		t.Errorf("%d connections read", s.idle.size())
	}
}
