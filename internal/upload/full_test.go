package upload_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/memory"
)

// guestOf is an owner besides the one whose machine it is.
func guestOf(letter string) memory.Caller {
	return memory.Caller{Owner: memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2do" + letter), Role: memory.Owner}
}

// waits waits until nothing is done with an owner's file.
func (d *inbox) waits(t *testing.T, c memory.Caller, id string) upload.File {
	t.Helper()
	for range 1000 {
		f, err := d.File(t.Context(), c, id)
		if err != nil {
			t.Fatal(err)
		}
		if f.State != upload.Reading && f.State != upload.Importing {
			return f
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("it never ends")
	return upload.File{}
}

// sends brings a file of an owner and waits until it was read.
func (d *inbox) sends(t *testing.T, c memory.Caller, content string) (string, error) {
	t.Helper()
	id, err := d.Receive(t.Context(), c, "list.md", strings.NewReader(content))
	if err == nil {
		d.waits(t, c, id)
	}
	return id, err
}

// Files of others that wait or are done make room for an owner: first those that are done,
// then those of the owner who holds most. The file of an owner who holds no more stays.
func TestRoomForAll(t *testing.T) {
	const undecided, failed = "- Tea is fine.\n", "\x00\x01 nothing known"
	a, b, c := guestOf("K"), guestOf("L"), guestOf("M")
	for name, tt := range map[string]struct {
		first, second string // of a, whose first file is older
		others        string // of b
		gone          int    // which of the three makes room for c; 3: none of them
	}{
		"the oldest of who holds most":   {undecided, undecided, undecided, 0},
		"one that is done":               {undecided, failed, undecided, 1},
		"the only one, if it is done":    {undecided, undecided, failed, 2},
		"of two that are done, the most": {undecided, failed, failed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, upload.Options{All: 3})
			mine := d.receive(t, "list.md", undecided) // of the home owner, which is not counted
			var ids []string
			for i, content := range []string{tt.first, tt.second, tt.others} {
				owner := a
				if i == 2 {
					owner = b
				}
				id, err := d.sends(t, owner, content)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			if _, err := d.sends(t, c, undecided); err != nil {
				t.Fatalf("an owner without a file is kept out: %v", err)
			}
			for i, id := range ids {
				owner := a
				if i == 2 {
					owner = b
				}
				_, err := d.File(t.Context(), owner, id)
				if gone := memory.KindOf(err) == memory.NotFound; gone != (i == tt.gone) {
					t.Errorf("file %d is gone: %t, %v", i, gone, err)
				}
			}
			if _, err := d.File(t.Context(), d.Me(), mine.ID); err != nil {
				t.Errorf("the home owner's: %v", err)
			}
		})
	}
}

// An owner who has a file already takes none from others who have no more.
func TestRoomIsShared(t *testing.T) {
	d := open(t, upload.Options{All: 2})
	a, b := guestOf("K"), guestOf("L")
	for _, owner := range []memory.Caller{a, b} {
		if _, err := d.sends(t, owner, "- Tea is fine.\n"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.sends(t, a, "- Tea is fine.\n"); memory.KindOf(err) != memory.RateLimited {
		t.Errorf("a second file takes the place of another owner's only one: %v", err)
	}
}

// A list of the files is no question about one of them: each goes in its time.
func TestListsKeepNothing(t *testing.T) {
	d := open(t, upload.Options{Idle: 300 * time.Millisecond})
	f := d.receive(t, "list.md", list(3))
	for range 12 {
		if _, err := d.Files(t.Context(), d.Me()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := d.File(t.Context(), d.Me(), f.ID); memory.KindOf(err) != memory.NotFound {
		t.Errorf("it is still here: %v", err)
	}
}
