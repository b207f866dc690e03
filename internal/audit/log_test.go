package audit_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
)

// TestAppendDoesNotSignWhatWasTampered: whoever changes the log must not be
// helped by the next one who appends.
func TestAppendDoesNotSignWhatWasTampered(t *testing.T) {
	l := logOf(t, 1)
	for name, change := range map[string]func(f *fake){
		"rewritten":   func(f *fake) { f.entries[4][9] ^= 1; f.rehash(t) },
		"cut off":     func(f *fake) { f.entries = f.entries[:15]; f.rehash(t) },
		"forged head": func(f *fake) { f.head = bytes.Replace(f.head, []byte("\n20\n"), []byte("\n19\n"), 1) },
		"head of a thief": func(f *fake) {
			thief := logOf(t, 2)
			forged := filled(t, audit.Log{Owner: thief.Owner, Secret: l.Secret, Key: thief.Key}, 20)
			f.head = bytes.ReplaceAll(forged.head, []byte(thief.Owner), []byte(l.Owner))
		},
		"broken head": func(f *fake) { f.head = []byte("x") },
		"foreign head": func(f *fake) {
			f.head = filled(t, logOf(t, 2), 20).head
		},
	} {
		f := filled(t, l, 20)
		change(f)
		head, size := f.head, len(f.entries)
		for range 10 {
			if err := l.Append(f, acts(l, 1)...); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !bytes.Equal(f.head, head) || len(f.entries) != size+10 {
			t.Errorf("%s: %d entries, head\n%s", name, len(f.entries), f.head)
		}
		if verify(t, f, l, nil).Sound() {
			t.Errorf("%s: nothing was found afterwards", name)
		}
	}
}

func TestAppendSignsOnceAndOnlyWithTheOwnersKey(t *testing.T) {
	l, other := logOf(t, 1), logOf(t, 2)
	f := &fake{}
	if err := l.Append(f); err != nil || f.head != nil {
		t.Errorf("nothing appended: head %q, %v", f.head, err)
	}
	wrong := l
	wrong.Key = other.Key
	if err := wrong.Append(f, acts(l, 2)...); err != nil || f.head != nil {
		t.Errorf("another's key: head %q, %v", f.head, err)
	}
	if err := l.Append(f, acts(l, 3)...); err != nil {
		t.Fatal(err)
	}
	h := head(t, f)
	if h.Size != 5 || !h.At.Equal(noon(2)) || h.Owner != l.Owner || h.Check(l.Owner) != nil {
		t.Errorf("got %+v", h)
	}
}

func TestAppendToDamagedLog(t *testing.T) {
	l := logOf(t, 1)
	for name, change := range map[string]func(f *fake){
		"a hash too few":       func(f *fake) { f.hashes = f.hashes[:len(f.hashes)-1] },
		"a hash too many":      func(f *fake) { f.hashes = append(f.hashes, f.hashes[0]) },
		"an entry too few":     func(f *fake) { f.entries = f.entries[:6] },
		"a hash missing":       func(f *fake) { f.hashes[len(f.hashes)-1] = nil },
		"a hash cut":           func(f *fake) { f.hashes[len(f.hashes)-1] = []byte{1} },
		"an older hash absent": func(f *fake) { f.hashes[6] = nil },
	} {
		f := filled(t, l, 7)
		change(f)
		before := f.clone()
		err := l.Append(f, acts(l, 1)...)
		if !errors.Is(err, audit.ErrDamaged) {
			t.Errorf("%s: got %v", name, err)
		}
		if !slices.EqualFunc(f.entries, before.entries, bytes.Equal) || !bytes.Equal(f.head, before.head) {
			t.Errorf("%s: the log was changed", name)
		}
	}
	f := filled(t, l, 7)
	f.broken = errors.New("disk")
	if err := l.Append(f, acts(l, 1)...); !errors.Is(err, f.broken) || errors.Is(err, audit.ErrDamaged) {
		t.Errorf("a failing disk: got %v", err)
	}
}
