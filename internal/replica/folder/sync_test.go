package folder_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
)

func TestMachinesMeet(t *testing.T) {
	all := family(t, "desk", "laptop", "phone")
	s := newShelf()
	for i, m := range all {
		for n := range 5 {
			m.note(fmt.Sprintf("%d-%d", i, n), fmt.Sprintf("text %d of %s", n, m.Me.Name))
		}
		m.note("shared", "as "+m.Me.Name+" sees it")
	}
	for range 2 {
		for _, m := range all {
			m.quiet(t, s)
		}
	}
	alike(t, all...)
	settle(t, s, all...)
	for _, m := range all {
		before := s.copy()
		r := m.quiet(t, s)
		if r.PacksRead+r.PacksWritten > 0 || r.BytesWritten > 0 || len(before) != len(s.files) {
			t.Errorf("%s has nothing new, and meets with %+v", m.Me.Name, r)
		}
	}
}

// A machine that only reads in the folder what it has to.
func TestTrafficGrowsWithWhatChanged(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	for n := range 500 {
		all[0].note(fmt.Sprint(n), strings.Repeat("x", 200))
	}
	roomy := func(m *machine) folder.Result {
		o := m.options(s)
		o.PackSize = 64 << 10
		r, err := folder.Sync(context.Background(), o)
		if err != nil || len(r.Troubles) > 0 {
			t.Fatal(err, r.Troubles)
		}
		return r
	}
	whole := roomy(all[0]).BytesWritten
	roomy(all[1])
	roomy(all[0])
	var read, written int64
	for n := range 70 {
		all[0].note(fmt.Sprint("new", n), "a small change")
		written += roomy(all[0]).BytesWritten
		read += roomy(all[1]).BytesRead
	}
	alike(t, all...)
	if roomy(all[0]); len(s.files) > 30 || written > 70*4500 || read > 70*6500 {
		t.Errorf("after a whole of %d bytes, 70 small changes write %d and read %d bytes; the folder holds %d files", whole, written, read, len(s.files))
	}
	t.Logf("a whole of %d bytes, 70 small changes: %d bytes written, %d read; the folder holds %d files", whole, written, read, len(s.files))
}

// What is erased is looked for in the packs that may hold it, not in all of them.
func TestAnErasureReadsOnlyWhatMayHoldIt(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	for n := range 300 {
		all[0].note(fmt.Sprint(n), strings.Repeat("x", 100))
	}
	settle(t, s, all...)
	_, packs := s.partOf(t, all[0])
	all[0].note("last", "so that a head is new")
	before := all[0].quiet(t, s).BytesRead + all[1].quiet(t, s).BytesRead
	all[1].erase("150")
	gets := map[string]bool{}
	s.before = func(act, name string) error {
		gets[name] = gets[name] || act == "get" && slices.Contains(packs, name)
		return nil
	}
	after := all[1].quiet(t, s).BytesRead + all[0].quiet(t, s).BytesRead + all[1].quiet(t, s).BytesRead
	read := len(slices.DeleteFunc(slices.Clone(packs), func(name string) bool { return !gets[name] }))
	if alike(t, all...); read == 0 || read > len(packs)/8 {
		t.Errorf("of %d packs, %d are read; %d bytes, where without an erasure %d are", len(packs), read, after, before)
	}
	t.Logf("of %d packs, %d are read; %d bytes, where without an erasure %d are", len(packs), read, after, before)
}

func TestNothingIsReadable(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("ferry", "the ferry leaves at eight")
	settle(t, s, all...)
	for name, data := range s.files {
		for _, secret := range []string{"ferry", "desk", "laptop", string(all[0].owner.DID()), string(all[0].Me.ID)} {
			if bytes.Contains(data, []byte(secret)) || strings.Contains(name, secret) {
				t.Errorf("%s shows %q", name, secret)
			}
		}
	}
}

func TestErasureReachesEverything(t *testing.T) {
	all := family(t, "desk", "laptop", "phone")
	s := newShelf()
	for n := range 4 {
		all[0].note(fmt.Sprint("kept", n), fmt.Sprint("kept text ", n))
	}
	all[0].note("secret", "SECRETTEXT")
	all[1].note("other", "another text")
	settle(t, s, all...)
	if !strings.Contains(s.opened(t, all...), "SECRETTEXT") {
		t.Fatal("the text is not there to begin with")
	}
	all[1].erase("secret") // not the machine that wrote it
	r := all[1].quiet(t, s)
	if r.Cleared == 0 {
		t.Errorf("the laptop clears nothing: %+v", r)
	}
	if strings.Contains(s.opened(t, all...), "SECRETTEXT") {
		t.Error("the text is still in a pack after the laptop has met the folder")
	}
	late := newMachine(t, key(t, "ada"), "late")
	pair(append(all, late)...)
	settle(t, s, all[1], all[2], late) // the desk, which wrote it, is away
	late.has(t, "kept text 0")
	late.has(t, "another text")
	if strings.Contains(late.says(), "SECRETTEXT") {
		t.Error("a late machine gets it")
	}
	settle(t, s, append(all, late)...)
	alike(t, append(all, late)...)
	for _, m := range append(all, late) {
		if strings.Contains(m.says(), "SECRETTEXT") {
			t.Errorf("%s still has it", m.Me.Name)
		}
		m.has(t, "kept text 3")
		m.quiet(t, s)
	}
	if strings.Contains(s.opened(t, append(all, late)...), "SECRETTEXT") {
		t.Error("the text is in a pack again")
	}
}

// What the folder brings back is cleared again.
func TestErasedStaysErased(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("secret", "SECRETTEXT")
	all[0].note("kept", "kept text")
	settle(t, s, all...)
	month := s.copy()
	all[1].note("later", "a later text")
	settle(t, s, all...)
	all[0].erase("secret")
	settle(t, s, all...)
	s.files = month // rolled back to last month
	told(t, all[1].sync(t, s), replica.ErrRolledBack)
	if strings.Contains(s.opened(t, all...), "SECRETTEXT") {
		t.Error("the folder that was rolled back shows it again")
	}
	settle(t, s, all...)
	alike(t, all...)
	all[0].has(t, "a later text")
	all[0].quiet(t, s)
	all[1].quiet(t, s)
	if strings.Contains(s.opened(t, all...)+all[0].says()+all[1].says(), "SECRETTEXT") {
		t.Error("it came back")
	}
}

func TestNewMachineAsksAndIsAccepted(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("ferry", "the ferry leaves at eight")
	settle(t, s, all...)
	late := newMachine(t, key(t, "ada"), "late")
	late.note("own", "from before")
	r := late.sync(t, s)
	if !r.Waiting || strings.Contains(late.says(), "ferry leaves") {
		t.Fatalf("the new machine gets %+v", r)
	}
	if !late.sync(t, s).Waiting {
		t.Error("it does not wait any more")
	}
	r = all[0].quiet(t, s)
	if len(r.Requests) != 1 || r.Requests[0].ID != late.Me.ID || r.Requests[0].Name != "late" {
		t.Fatalf("the desk is asked %v", r.Requests)
	}
	all[0].learn(r.Requests[0]) // the owner accepts
	all[0].quiet(t, s)
	if r := late.sync(t, s); r.Waiting {
		t.Errorf("it still waits: %+v", r)
	}
	late.has(t, "ferry leaves")
	settle(t, s, all[0], all[1], late)
	alike(t, all[0], all[1], late)
	all[1].has(t, "from before")
	for _, m := range []*machine{all[0], all[1], late} {
		if r := m.quiet(t, s); len(r.Requests) > 0 || r.Waiting {
			t.Errorf("%s is still asked: %+v", m.Me.Name, r)
		}
	}
}

// A machine that was restored from a backup knows the others, and they do not know it.
func TestRestoredMachineAsks(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("secret", "SECRETTEXT")
	settle(t, s, all...)
	restored := newMachine(t, key(t, "ada"), "restored")
	restored.learn(all[0].Me)
	restored.learn(all[1].Me)
	restored.note("secret", "SECRETTEXT")
	all[1].erase("secret")
	settle(t, s, all...)
	meet := func() folder.Result {
		o := restored.options(s)
		o.Unknown = true
		r, err := folder.Sync(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := meet(); !r.Waiting {
		t.Error("the restored machine does not ask")
	}
	r := all[0].sync(t, s)
	if len(r.Requests) != 1 || r.Requests[0].ID != restored.Me.ID {
		t.Fatalf("the desk is asked %v", r.Requests)
	}
	all[0].learn(r.Requests[0]) // the owner accepts
	all[0].sync(t, s)
	if r := meet(); r.Waiting {
		t.Error("the restored machine still waits")
	}
	settle(t, s, append(all, restored)...)
	alike(t, append(all, restored)...)
}

// A store that became another machine, as one that was restored or got another owner's key,
// does not look for what it had published before.
func TestAnotherMachineWithTheSameStore(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("a", "a text")
	settle(t, s, all...)
	restored := newMachine(t, key(t, "ada"), "restored")
	maps.Copy(restored.Items, all[0].backup(t).Items)
	restored.remotes = maps.Clone(all[0].remotes)
	pair(all[0], all[1], restored)
	all[0].quiet(t, s)
	all[1].quiet(t, s)
	restored.quiet(t, s)
	settle(t, s, append(all, restored)...)
	alike(t, append(all, restored)...)
}

func TestRemovedMachine(t *testing.T) {
	all := family(t, "desk", "laptop", "stolen")
	s := newShelf()
	all[2].note("from", "what the stolen one wrote before")
	settle(t, s, all...)
	gone := all[2].Me
	gone.Removed = added()
	all[0].learn(gone.Signed(all[0].owner))
	all[0].note("new", "written after")
	all[0].sync(t, s)
	all[2].note("late", "what the thief writes")
	if all[2].sync(t, s); strings.Contains(all[2].says(), "written after") {
		t.Error("the removed machine can read what is new")
	}
	told(t, all[0].sync(t, s), replica.ErrRemoved)
	all[1].sync(t, s)
	all[1].sync(t, s)
	alike(t, all[0], all[1])
	if strings.Contains(all[1].says(), "the thief writes") {
		t.Error("what the removed machine writes is believed")
	}
	all[1].has(t, "stolen one wrote before")
	settle(t, s, all[:2]...)
	if head, packs := s.partOf(t, all[2]); head != "" || len(packs) > 0 {
		t.Errorf("the part of the removed machine is still there: %s %v", head, packs)
	}
	if strings.Contains(s.opened(t, all[2]), "written after") {
		t.Error("a pack is encrypted to the removed machine")
	}
	// What it knew is in the folder for a machine that comes now.
	late := newMachine(t, key(t, "ada"), "late")
	pair(all[0], all[1], late)
	late.learn(gone.Signed(all[0].owner))
	settle(t, s, all[0], all[1], late)
	late.has(t, "stolen one wrote before")
	// Once it hears of it, it stops.
	all[2].learn(gone.Signed(all[0].owner))
	if _, err := folder.Sync(context.Background(), all[2].options(s)); !errors.Is(err, replica.ErrRemoved) {
		t.Errorf("the removed machine meets the others: %v", err)
	}
}

// What a removed machine told one machine before is not lost to the others.
func TestWhatARemovedMachineTold(t *testing.T) {
	all := family(t, "desk", "laptop", "removed")
	s := newShelf()
	settle(t, s, all...)
	all[2].note("a", "what only the laptop heard")
	all[2].sync(t, s)
	all[1].sync(t, s)
	gone := all[2].Me
	gone.Removed = added()
	all[0].learn(gone.Signed(all[0].owner))
	settle(t, s, all[0], all[1])
	all[0].has(t, "only the laptop heard")
	alike(t, all[0], all[1])
}

// What an erasure left of a pack reaches machines that had not read the pack.
func TestRestOfAPack(t *testing.T) {
	all := family(t, "desk", "laptop", "phone")
	s := newShelf()
	all[0].note("secret", "SECRETTEXT")
	settle(t, s, all...)
	all[0].note("news", "news in one pack with it")
	all[0].note("secret", "SECRETTEXT again")
	_, old := s.partOf(t, all[0])
	all[0].sync(t, s)
	_, now := s.partOf(t, all[0])
	away := slices.DeleteFunc(now, func(name string) bool { return slices.Contains(old, name) })[0]
	pack := s.files[away]
	all[1].sync(t, s)
	_, before := s.partOf(t, all[1])
	all[1].erase("secret")
	all[1].sync(t, s) // the desk is away from now on
	all[2].quiet(t, s)
	all[2].has(t, "news in one pack")
	if strings.Contains(all[2].says(), "SECRETTEXT") {
		t.Error("what is erased reaches the phone")
	}
	s.files[away] = pack // the carrier brings it back
	all[1].quiet(t, s)
	if s.files[away] != nil {
		t.Error("what the carrier brought back stays")
	}
	settle(t, s, all...) // the desk is back
	if _, packs := s.partOf(t, all[1]); len(packs) > len(before)+1 {
		t.Errorf("what the laptop kept for the desk is still there: %d files, %d before", len(packs), len(before))
	}
	alike(t, all...)
}

// Losing the folder loses nothing, also what only one machine still holds of another's.
func TestFolderIsLost(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("a", "of the desk")
	all[1].note("b", "of the laptop")
	settle(t, s, all...)
	s.files = map[string][]byte{}
	told(t, all[1].sync(t, s), replica.ErrWithheld)
	late := newMachine(t, key(t, "ada"), "late")
	pair(all[1], late) // the desk is gone for good
	settle(t, s, all[1], late)
	late.has(t, "of the desk")
	late.has(t, "of the laptop")
}

// A head that came from another folder of the owner's, and went again, leaves nobody waiting
// for ever: its machine goes on from there as soon as it hears of it.
func TestHeadThatCameFromAnotherFolder(t *testing.T) {
	all := family(t, "desk", "laptop")
	desk, laptop := all[0], all[1]
	one, other := newShelf(), newShelf()
	in := func(m *machine, s *shelf) folder.Result {
		t.Helper()
		o := m.options(s)
		o.Name = map[*shelf]string{one: "one", other: "other"}[s]
		r, err := folder.Sync(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for n := range 4 {
		desk.note(fmt.Sprint("n", n), "of the desk")
		in(desk, one)
	}
	in(desk, other)
	in(laptop, other)
	before := other.copy()
	maps.Copy(other.files, one.files)
	in(laptop, other)
	other.files = before
	told(t, in(laptop, other), replica.ErrRolledBack)
	desk.note("late", "what the desk writes later")
	for range 2 {
		in(desk, other)
		in(laptop, other)
	}
	laptop.has(t, "what the desk writes later")
	for _, m := range all {
		if r := in(m, other); len(r.Troubles) > 0 || r.BytesWritten > 0 {
			t.Errorf("%s still meets with %+v", m.Me.Name, r)
		}
	}
}
