package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// later is the migrations of a release that does not exist: ours and one more.
func later(t testing.TB, more string) fs.FS {
	t.Helper()
	last, err := latest(embedded())
	if err != nil {
		t.Fatal(err)
	}
	all := until(t, last)
	all[fmt.Sprintf("%05d_more.sql", last+1)] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- +goose Up\n%s\nPRAGMA user_version = %d;\n", more, last+1)}
	return all
}

// until is the migrations of the release whose last one was that.
func until(t testing.TB, last int) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	names, err := fs.Glob(embedded(), "*.sql")
	if err != nil || len(names) < last-firstSchema+1 {
		t.Fatal(names, err)
	}
	for _, name := range names[:last-firstSchema+1] {
		data, err := fs.ReadFile(embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: data}
	}
	return all
}

func TestMigration(t *testing.T) {
	path := made(t, 5)
	opt := Options{migrations: later(t, "ALTER TABLE records ADD COLUMN more TEXT;")}
	refused(t, path, Options{ReadOnly: true, migrations: opt.migrations}, store.ErrReadOnly)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := Open(t.Context(), path, opt)
			if err != nil {
				t.Error(err)
				return
			}
			present(t, s, []memory.ID{"urn:ump:0", "urn:ump:4"})
			sound(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	statement(t, path, "SELECT more FROM records")
	refused(t, path, Options{}, store.ErrNewer)

	backup := path + ".v13.bak"
	info, err := os.Stat(backup)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the copy has mode %v", info.Mode())
	}
	present(t, open(t, backup), []memory.ID{"urn:ump:0", "urn:ump:4"})
}

func TestMigrationFails(t *testing.T) {
	path := made(t, 5)
	for range 2 {
		_, err := Open(t.Context(), path, Options{migrations: later(t, "CREATE TABLE more (a); CREATE TABLE more (a);")})
		if err == nil {
			t.Fatal("it opened")
		}
	}
	s := open(t, path)
	present(t, s, []memory.ID{"urn:ump:0", "urn:ump:4"})
	sound(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	present(t, open(t, path+".v13.bak"), []memory.ID{"urn:ump:0", "urn:ump:4"})
	if left, _ := filepath.Glob(path + ".copy-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestOutrun has a later release migrate the store while this one has it open.
func TestOutrun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	newer, err := Open(t.Context(), path, Options{migrations: later(t, "CREATE TABLE more (a);")})
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	insert := func(w store.Writer) error { return insertSmall(w, "urn:ump:2") }
	if err := s.Update(t.Context(), ada, insert); !errors.Is(err, store.ErrNewer) {
		t.Errorf("Update: %v", err)
	}
	if err := s.View(t.Context(), ada, func(store.Reader) error { return nil }); !errors.Is(err, store.ErrNewer) {
		t.Errorf("View: %v", err)
	}
}

// TestOpenIsCheap expects that opening a store that is up to date looks at its
// header and no more: migrations that could not run are not even read.
func TestOpenIsCheap(t *testing.T) {
	path := made(t, 1)
	last, err := latest(embedded())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{migrations: fstest.MapFS{fmt.Sprintf("%05d_unreadable.sql", last): {Data: []byte("no SQL")}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkOpen(b *testing.B) {
	s, path := stock(b, stocked)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := Open(b.Context(), path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		err = s.View(b.Context(), ada, func(r store.Reader) error {
			_, err := r.Postings("term1", 100)
			return err
		})
		if err := errors.Join(err, s.Close()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNoMigrations(t *testing.T) {
	_, err := latest(fstest.MapFS{})
	if err == nil || strings.Contains(err.Error(), "%!") || errors.Unwrap(err) != nil {
		t.Errorf("got %v", err)
	}
}
