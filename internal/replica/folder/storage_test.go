package folder_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/place"
	"github.com/satchel-memory/satchel/internal/replica/place/placetest"
)

func openLocal(t testing.TB, dir string) *place.Local {
	t.Helper()
	s, err := place.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// onEachStorage runs a test over each kind of storage.
func onEachStorage(t *testing.T, test func(*testing.T, folder.Storage)) {
	t.Run("local", func(t *testing.T) { test(t, openLocal(t, t.TempDir())) })
	t.Run("webdav", func(t *testing.T) { s, _ := serveWebDAV(t); test(t, s) })
	t.Run("webdav in memory", func(t *testing.T) { s, _ := onWebDAV(t, placetest.ServeWebDAVInMemory(t)); test(t, s) })
	t.Run("s3", func(t *testing.T) { s, _ := serveS3(t); test(t, s) })
	t.Run("fake", func(t *testing.T) { test(t, newShelf()) })
}

func TestStorage(t *testing.T) {
	ctx := context.Background()
	onEachStorage(t, func(t *testing.T, s folder.Storage) {
		if found, err := s.List(ctx, "a"); err != nil || len(found) > 0 {
			t.Errorf("an empty storage lists %v, %v", found, err)
		}
		if _, err := s.Get(ctx, "a/b/c", 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that is not there: %v", err)
		}
		if err := s.Delete(ctx, "a/b/c"); err != nil {
			t.Errorf("a file that is not there is deleted: %v", err)
		}
		put := func(name, text string) {
			t.Helper()
			if err := s.Put(ctx, name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"a/b/1", "a/b/2", "a/c/3", "a/c/4", "z/b/5"} {
			put(name, "text of "+name)
		}
		put("a/b/1", "another text")
		put("a/b/1", "a third text")
		put("a/b/empty", "")
		names := func() (names []string) {
			found, err := s.List(ctx, "a")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				data, err := s.Get(ctx, f.Name, f.Size)
				if err != nil || int64(len(data)) != f.Size {
					t.Errorf("%s: %d bytes, %v, want %d", f.Name, len(data), err, f.Size)
				}
				names = append(names, f.Name)
			}
			slices.Sort(names)
			return names
		}
		if got := names(); !slices.Equal(got, []string{"a/b/1", "a/b/2", "a/b/empty", "a/c/3", "a/c/4"}) {
			t.Errorf("it lists %v", got)
		}
		if data, err := s.Get(ctx, "a/b/1", 100); err != nil || string(data) != "a third text" {
			t.Errorf("%q, %v", data, err)
		}
		if _, err := s.Get(ctx, "a/b/1", 11); !errors.Is(err, replica.ErrTooLarge) {
			t.Errorf("a file past the limit: %v", err)
		}
		for _, name := range []string{"a/b/1", "a/b/2", "a/c/3", "a/b/2"} {
			if err := s.Delete(ctx, name); err != nil {
				t.Error(err)
			}
		}
		if got := names(); !slices.Equal(got, []string{"a/b/empty", "a/c/4"}) {
			t.Errorf("it lists %v", got)
		}
		big := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
		if err := s.Put(ctx, "a/d/big", big); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, "a/d/big", int64(len(big))); err != nil || !bytes.Equal(got, big) {
			t.Errorf("a MiB comes back with %d bytes, %v", len(got), err)
		}
	})
}

// Machines meet over each kind of storage, and what is erased is gone from it.
func TestMachinesMeetOverEachStorage(t *testing.T) {
	onEachStorage(t, func(t *testing.T, s folder.Storage) {
		all := family(t, "desk", "laptop")
		all[0].note("a", "of the desk")
		all[1].note("b", "of the laptop")
		for range 2 {
			all[0].quiet(t, s)
			all[1].quiet(t, s)
		}
		alike(t, all...)
		all[1].erase("a")
		for range 2 {
			all[1].quiet(t, s)
			all[0].quiet(t, s)
		}
		alike(t, all...)
		copied := newShelf()
		files, err := s.List(context.Background(), ownerTag(t, all[0]))
		if err != nil || len(files) < 3 {
			t.Fatalf("%v, %v", files, err)
		}
		for _, f := range files {
			if copied.files[f.Name], err = s.Get(context.Background(), f.Name, 1<<20); err != nil {
				t.Error(err)
			}
		}
		if text := copied.opened(t, all...); strings.Contains(text, "of the desk") || !strings.Contains(text, "of the laptop") {
			t.Errorf("the storage holds %s", text)
		}
		if r := all[0].quiet(t, s); r.BytesWritten > 0 || r.PacksRead > 0 {
			t.Errorf("nothing is new, and a meeting does %+v", r)
		}
	})
}

// ownerTag is the name of the folder in which machines of an owner meet.
func ownerTag(t testing.TB, m *machine) string {
	t.Helper()
	s := newShelf()
	newMachine(t, m.owner, "any").sync(t, s)
	for name := range s.files {
		tag, _, _ := strings.Cut(name, "/")
		return tag
	}
	return ""
}

// A meeting with nothing new asks little.
func TestFewRequests(t *testing.T) {
	for name, serve := range map[string]func(testing.TB) (folder.Storage, *placetest.Server){"webdav": serveWebDAV, "s3": serveS3} {
		t.Run(name, func(t *testing.T) {
			s, asked := serve(t)
			all := family(t, "desk", "laptop")
			all[0].note("a", "of the desk")
			settle(t, s, all...)
			before := asked.Asked()
			all[0].quiet(t, s)
			if n, want := asked.Asked()-before, map[string]int{"webdav": 5, "s3": 4}[name]; n > want {
				t.Errorf("it asks %d times", n)
			}
		})
	}
}

// What a machine had half written when the connection ended holds nothing for long: the next
// meeting deletes it, and who erases something looks into it.
func TestHalfWrittenFilesGo(t *testing.T) {
	s, server := serveWebDAV(t)
	all := family(t, "desk", "laptop")
	all[0].note("a", "SECRETTEXT")
	settle(t, s, all...)
	for _, fault := range []placetest.Fault{placetest.Half, placetest.Deaf} {
		all[0].note("b", "SECRETTEXT "+string(fault))
		server.Fail(func(r *http.Request) placetest.Fault {
			if r.Method == http.MethodPut {
				return fault
			}
			return ""
		})
		if _, err := folder.Sync(context.Background(), all[0].options(s)); err == nil {
			t.Fatalf("%s: nothing failed", fault)
		}
		server.Fail(nil)
		if len(temporary(server)) == 0 {
			t.Fatalf("%s left nothing", fault)
		}
		if fault == placetest.Deaf { // the whole pack lies there, and its machine does not come back soon
			all[1].sync(t, s)
			all[1].erase("b")
			all[1].sync(t, s)
			if left := temporary(server); len(left) > 0 {
				t.Errorf("another machine has erased it, and %q still hold it", left)
			}
		}
		all[0].sync(t, s)
		if left := temporary(server); len(left) > 0 {
			t.Errorf("%s: %q still lie there", fault, left)
		}
	}
	settle(t, s, all...)
	alike(t, all...)
}

func temporary(server *placetest.Server) (names []string) {
	for name := range server.Files() {
		if strings.HasPrefix(path.Base(name), ".") {
			names = append(names, name)
		}
	}
	return names
}

// The folder of a stick is full of other things, and of links.
func TestForeignFilesStay(t *testing.T) {
	dir := t.TempDir()
	s := openLocal(t, dir)
	all := family(t, "desk", "laptop")
	all[0].note("a", "of the desk")
	all[0].sync(t, s)
	tag := ownerTag(t, all[0])
	parts, err := os.ReadDir(filepath.Join(dir, tag))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	mine := filepath.Join(dir, tag, parts[0].Name())
	outside := filepath.Join(t.TempDir(), "outside.age")
	foreign := []string{filepath.Join(dir, "holiday.jpg"), filepath.Join(dir, tag, "readme.txt"), filepath.Join(mine, "desktop.ini"), filepath.Join(mine, "~head.tmp"), outside}
	for _, name := range foreign {
		if err := os.WriteFile(name, []byte("somebody else's"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(mine, strings.Repeat("a", 32)+".age")); err != nil {
		t.Skip("no links here:", err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, tag, strings.Repeat("b", 32))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		all[0].quiet(t, s)
		all[1].quiet(t, s)
	}
	alike(t, all...)
	for _, name := range foreign {
		if text, err := os.ReadFile(name); err != nil || string(text) != "somebody else's" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	// A link in place of the machine's own part leads nothing out of the folder.
	elsewhere := t.TempDir()
	if err := os.RemoveAll(mine); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, mine); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Sync(context.Background(), all[0].options(s)); err == nil {
		t.Error("a part that is a link is written to")
	}
	if found, err := os.ReadDir(elsewhere); err != nil || len(found) > 0 {
		t.Errorf("files lie outside of the folder: %v, %v", found, err)
	}
}

func TestLocalFolderHasToExist(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stick")
	if _, err := place.OpenLocal(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a stick that is not plugged in: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
}
