package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// TestCopyAlone: nothing is written of a store with another owner, or one who comes meanwhile.
func TestCopyAlone(t *testing.T) {
	t.Parallel()
	h := Home{Dir: t.TempDir()}
	s, err := sqlite.Open(t.Context(), filepath.Join(h.Dir, DatabaseName), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	write := func(owner memory.DID) {
		t.Helper()
		if err := s.Update(t.Context(), owner, func(w store.Writer) error { return w.SetProjectAlias("a", "b") }); err != nil {
			t.Fatal(err)
		}
	}
	write("did:key:a")
	o := &Session{Home: h, Store: s, Config: Config{Owner: "did:key:a"}}
	var sent bytes.Buffer
	if err := errors.Join(o.RequireAlone(t.Context()), o.CopyAlone(t.Context(), &sent)); err != nil || !bytes.HasPrefix(sent.Bytes(), []byte("SQLite format 3")) {
		t.Errorf("of one owner: %v, %d bytes", err, sent.Len())
	}
	sent.Reset()
	o.Config.Owner = "did:key:b"
	if err := o.RequireAlone(t.Context()); !errors.Is(err, errNotAlone) {
		t.Errorf("of another owner: %v", err)
	}
	write("did:key:b")
	if err := o.CopyAlone(t.Context(), &sent); !errors.Is(err, errNotAlone) || sent.Len() > 0 {
		t.Errorf("of two owners: %v, and %d bytes are sent", err, sent.Len())
	}
}
