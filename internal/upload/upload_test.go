package upload_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// inbox is an inbox over a fresh vault, and where it keeps files.
type inbox struct {
	*upload.Inbox
	*vaulttest.House
	folder string
}

func open(t *testing.T, o upload.Options) *inbox {
	t.Helper()
	h := vaulttest.Open(t)
	o.Home, o.Folder, o.Now = h.Key.DID(), t.TempDir(), func() time.Time { return h.Now }
	d := &inbox{upload.New(h.Vault, o), h, o.Folder}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// list is a list of so many memories.
func list(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- Fact number %d is about the harbour.\n", i)
	}
	return b.String()
}

// receive brings a file and waits until it was read.
func (d *inbox) receive(t *testing.T, name, content string) upload.File {
	t.Helper()
	id, err := d.Receive(t.Context(), d.Me(), name, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return d.settled(t, id)
}

// settled waits until nothing is done with a file.
func (d *inbox) settled(t *testing.T, id string) upload.File {
	t.Helper()
	for range 1000 {
		f, err := d.File(t.Context(), d.Me(), id)
		if err != nil {
			t.Fatal(err)
		}
		if f.State != upload.Reading && f.State != upload.Importing {
			return f
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it never ends")
	return upload.File{}
}

// A file is read, then imported, then taken back; the inbox leaves nothing in its folder.
func TestImport(t *testing.T) {
	d := open(t, upload.Options{})
	f := d.receive(t, "a/b\\list.md", list(300))
	if f.State != upload.Read || f.Report.Created != 300 || f.Name != "list.md" || d.Count() != 0 || f.Err != nil {
		t.Fatalf("%+v, %d here", f, d.Count())
	}
	if left, err := os.ReadDir(d.folder); err != nil || len(left) > 0 {
		t.Errorf("the file has a name, by which it would outlive the program: %v %v", left, err)
	}
	for range 2 { // the second call does nothing
		if err := d.Start(t.Context(), d.Me(), f.ID); err != nil {
			t.Fatal(err)
		}
	}
	if f = d.settled(t, f.ID); f.State != upload.Imported || f.Report.Created != 300 || d.Count() != 300 {
		t.Fatalf("%+v, %d here", f, d.Count())
	}
	d.Undo(d.Me(), f.Report.Number)
	for range 1000 {
		if u, ok := d.Undone(d.Key.DID(), f.Report.Number); ok && u.Ended {
			if u.Err != nil || u.Report.Removed != 300 {
				t.Errorf("%+v", u)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if d.Count() != 0 {
		t.Errorf("%d left", d.Count())
	}
	if _, ok := d.Undone("did:key:other", f.Report.Number); ok {
		t.Error("another owner hears of it")
	}
}

// What an owner has is nobody else's.
func TestOwners(t *testing.T) {
	d := open(t, upload.Options{})
	f := d.receive(t, "list.md", list(1))
	other := memory.Caller{Owner: "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", Role: memory.Owner}
	for name, do := range map[string]func() error{
		"File":   func() error { _, err := d.File(t.Context(), other, f.ID); return err },
		"Start":  func() error { return d.Start(t.Context(), other, f.ID) },
		"Stop":   func() error { return d.Stop(t.Context(), other, f.ID) },
		"Remove": func() error { return d.Remove(t.Context(), other, f.ID) },
	} {
		if err := do(); memory.KindOf(err) != memory.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := d.Files(t.Context(), other); err != nil || len(all) > 0 {
		t.Errorf("%v %v", all, err)
	}
	if all, err := d.Files(t.Context(), d.Me()); err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}

// half is a file of which the sender breaks off.
type half struct{ text io.Reader }

func (h half) Read(p []byte) (int, error) {
	n, err := h.text.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("reset by peer")
	}
	return n, err
}

// Files that are too large, broken off, empty or too many are refused, and leave nothing.
func TestRefused(t *testing.T) {
	d := open(t, upload.Options{Most: 1000, Held: 2})
	for name, c := range map[string]struct {
		in   io.Reader
		says string
	}{
		"too large":  {strings.NewReader(strings.Repeat("x", 1001)), "which is the most"},
		"broken off": {half{strings.NewReader("- tea\n")}, "did not arrive whole"},
		"empty":      {strings.NewReader(""), "empty"},
	} {
		_, err := d.Receive(t.Context(), d.Me(), "a.md", c.in)
		if memory.KindOf(err) != memory.InvalidRecord || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f := d.receive(t, "a.md", strings.Repeat("x", 999)+"\n"); f.State == upload.Reading {
		t.Errorf("%+v", f)
	}
	d.receive(t, "b.md", list(1))
	if _, err := d.Receive(t.Context(), d.Me(), "c.md", strings.NewReader(list(1))); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("a third: %v", err)
	}
	if left, err := os.ReadDir(d.folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// Files that arrive at the same time have their places, and give them back if they do not
// come.
func TestAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		options upload.Options
		guests  bool // they are of two other owners than the server's
		kind    memory.ErrorKind
	}{
		"of one owner":  {upload.Options{Held: 1}, false, memory.InvalidRecord},
		"of all owners": {upload.Options{Held: 3, All: 1}, true, memory.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, c.options)
			early, who := d.Me(), d.Me()
			if c.guests {
				early, who = guestOf("K"), guestOf("L")
			}
			in, sender := io.Pipe()
			first := make(chan error)
			go func() {
				_, err := d.Receive(t.Context(), early, "a.md", in)
				first <- err
			}()
			if _, err := sender.Write([]byte("- tea")); err != nil { // it is read: the first file is arriving
				t.Fatal(err)
			}
			if _, err := d.Receive(t.Context(), who, "b.md", strings.NewReader(list(1))); memory.KindOf(err) != c.kind {
				t.Errorf("a second: %v", err)
			}
			if err := sender.CloseWithError(errors.New("reset by peer")); err != nil {
				t.Fatal(err)
			}
			if err := <-first; memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("the first: %v", err)
			}
			if _, err := d.Receive(t.Context(), who, "b.md", strings.NewReader(list(1))); memory.KindOf(err) == c.kind {
				t.Errorf("the place is not given back: %v", err)
			}
		})
	}
}

// After a complete erasure no file from before is left.
func TestErased(t *testing.T) {
	d := open(t, upload.Options{})
	d.Tell("There is something to erase.")
	f := d.receive(t, "list.md", list(3))
	if _, err := d.EraseOwner(t.Context(), d.Me()); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(t.Context(), d.Me(), f.ID); memory.KindOf(err) != memory.NotFound {
		t.Errorf("%v", err)
	}
	if all, err := d.Files(t.Context(), d.Me()); err != nil || len(all) > 0 || d.Count() != 0 {
		t.Errorf("%v %v, %d memories", all, err, d.Count())
	}
}

// A file that nobody asks about goes.
func TestIdle(t *testing.T) {
	d := open(t, upload.Options{Idle: 50 * time.Millisecond})
	f := d.receive(t, "list.md", list(3))
	time.Sleep(200 * time.Millisecond)
	if _, err := d.File(t.Context(), d.Me(), f.ID); memory.KindOf(err) != memory.NotFound {
		t.Errorf("%v", err)
	}
}

// When the inbox is closed, an import that is under way ends and leaves nothing half done.
func TestClose(t *testing.T) {
	d := open(t, upload.Options{})
	f := d.receive(t, "list.md", list(5000))
	if err := d.Start(t.Context(), d.Me(), f.ID); err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if n := d.Count(); n != 0 && n != 5000 {
		t.Errorf("%d memories", n)
	}
	imports, err := d.Imports(context.Background(), d.Me())
	if err != nil || len(imports) > 1 {
		t.Errorf("%v %v", imports, err)
	}
	if _, err := d.File(t.Context(), d.Me(), f.ID); memory.KindOf(err) != memory.NotFound {
		t.Errorf("the file is still here: %v", err)
	}
}

// A signed bundle, an export and an archive of several formats go by the command line.
func TestOtherwise(t *testing.T) {
	d := open(t, upload.Options{})
	for name, content := range map[string]string{
		"a.aimem.json": `{"format":"aimem-bundle","version":"1.0"}`,
	} {
		if f := d.receive(t, name, content); f.State != upload.Failed || !strings.Contains(f.Err.Error(), "satchel import") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
