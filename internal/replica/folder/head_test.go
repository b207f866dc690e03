package folder_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// FuzzHead puts any body where a machine's head belongs, signed by that machine: the others
// go on, and what they know is not harmed.
func FuzzHead(f *testing.F) {
	f.Add([]byte{0xa0})
	f.Add(replica.Encode(map[string]any{"Number": 9, "Packs": []any{map[string]any{"Name": "../../x.age", "Size": 5}}}))
	f.Add(replica.Encode(map[string]any{"Number": 9, "Packs": []any{map[string]any{"Name": "00000000000000000000000000000000.age", "Size": int64(1) << 60}}}))
	f.Add(replica.Encode(map[string]any{"Number": int64(1) << 62, "Everything": true, "Restored": true, "Began": 5,
		"Have": map[string]any{"x": map[string]any{"Changes": 3}}, "Instead": []any{map[string]any{"Machine": "x", "Name": "y"}}}))
	all := family(f, "desk", "laptop")
	desk, laptop := all[0], all[1]
	s := newShelf()
	desk.note("a", "an early text")
	settle(f, s, all...)
	before := s.copy()
	f.Fuzz(func(t *testing.T, body []byte) {
		s := newShelf()
		for name, data := range before {
			s.files[name] = data
		}
		sealed, err := pack.SealBody("head", body, pack.Author{Owner: desk.owner.DID(), Self: desk.Me, Key: desk.key}, []replica.Machine{laptop.Me, desk.Me})
		if err != nil {
			t.Skip()
		}
		head, _ := s.partOf(t, desk)
		s.files[head] = sealed
		m := laptop.backup(t)
		m.note("b", "a text of the laptop")
		if _, err := folder.Sync(context.Background(), m.options(s)); err != nil {
			t.Fatal(err)
		}
		m.has(t, "an early text")
		own, _ := s.partOf(t, laptop)
		if _, _, err := pack.OpenBody("head", s.files[own], pack.Reader{Owner: m.owner.DID(), Identity: m.identity}); err != nil {
			t.Errorf("the laptop's head %s: %v", path.Base(own), err)
		}
	})
}

// What one machine lost for good, another that has it publishes, also for machines that are
// there already.
func TestDamageOfAMachineThatIsAway(t *testing.T) {
	all := family(t, "desk", "laptop", "phone")
	s := newShelf()
	settle(t, s, all...)
	all[0].note("a", "of the desk, which then is lost")
	all[0].sync(t, s)
	all[1].sync(t, s)
	head, packs := s.partOf(t, all[0])
	for _, name := range packs {
		delete(s.files, name)
	}
	if head == "" || len(packs) == 0 {
		t.Fatal("the desk has published nothing")
	}
	for range 4 {
		all[1].sync(t, s)
		told(t, all[2].sync(t, s), replica.ErrWithheld)
	}
	all[2].has(t, "of the desk, which then is lost")
}

// A second program of a machine, and a store that is read-only, are errors, not news.
func TestErrorsOfThisMachine(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	all[0].note("a", "text")
	all[0].sync(t, s)
	all[1].failing = errors.New("the disk of this machine is full")
	if _, err := folder.Sync(context.Background(), all[1].options(s)); err == nil || errors.Is(err, replica.ErrAltered) {
		t.Errorf("a join that fails: %v", err)
	}
	all[1].quiet(t, s)
	all[1].has(t, "text")
	all[1].remotes["stick"] = []byte("{")
	if _, err := folder.Sync(context.Background(), all[1].options(s)); err == nil {
		t.Error("damaged state is taken for none")
	}
}

// What is known about a remote says who has heard of what.
func TestKnown(t *testing.T) {
	all := family(t, "desk", "laptop")
	s := newShelf()
	if k, err := folder.ParseKnown(nil); err != nil || !k.Met.IsZero() || len(k.Others) > 0 {
		t.Errorf("a remote that was never met: %+v, %v", k, err)
	}
	all[0].note("a", "text")
	settle(t, s, all...)
	all[0].erase("a")
	_, erased, err := all[0].Erased(t.Context(), replica.Position{})
	if err != nil {
		t.Fatal(err)
	}
	known := func() folder.Known {
		t.Helper()
		k, err := folder.ParseKnown(all[0].remotes["stick"])
		if err != nil || len(k.Others) != 1 || k.Others[0].ID != all[1].Me.ID || !k.Met.Equal(added()) {
			t.Fatalf("%+v, %v", k, err)
		}
		return k
	}
	if k := known(); k.Cleared.Changes >= erased.Changes || k.Others[0].Has.Changes >= erased.Changes {
		t.Errorf("before they meet: %+v", k)
	}
	all[0].sync(t, s)
	if k := known(); k.Cleared.Changes < erased.Changes || k.Others[0].Has.Changes >= erased.Changes {
		t.Errorf("the folder is clear, and the laptop behind: %+v", k)
	}
	all[1].sync(t, s)
	all[0].sync(t, s)
	if k := known(); k.Others[0].Has.Changes < erased.Changes {
		t.Errorf("the laptop has heard of it: %+v", k)
	}
}

// A machine of the owner that says of another one's packs that they were erased, and takes them
// away, withholds nothing for long: their author publishes anew what is still there.
func TestPacksThatWereNotErased(t *testing.T) {
	all := family(t, "desk", "laptop", "phone")
	desk, laptop, phone := all[0], all[1], all[2]
	s := newShelf()
	for n := range 6 {
		desk.note(fmt.Sprint("k", n), fmt.Sprint("a text of the desk ", n, strings.Repeat(" of some length", 20)))
	}
	desk.quiet(t, s)
	laptop.quiet(t, s)
	laptop.erase("k4")
	laptop.quiet(t, s)
	desk.quiet(t, s)
	laptop.quiet(t, s)

	_, packs := s.partOf(t, desk)
	name, _ := s.partOf(t, laptop)
	body, _, err := pack.OpenBody("head", s.files[name], pack.Reader{Owner: laptop.owner.DID(), Identity: laptop.identity})
	if err != nil {
		t.Fatal(err)
	}
	head, err := replica.Decode[map[string]any](body)
	if err != nil {
		t.Fatal(err)
	}
	var instead []any
	for _, name := range packs {
		old := sha256.Sum256(s.files[name])
		instead = append(instead, map[string]any{"Machine": desk.Me.ID, "Number": 1, "Name": path.Base(name), "Old": old[:], "Rest": nil})
		delete(s.files, name)
	}
	head["Instead"], head["Number"] = instead, head["Number"].(uint64)+1
	by := pack.Author{Owner: laptop.owner.DID(), Self: laptop.Me, Key: laptop.key}
	if s.files[name], err = pack.SealBody("head", replica.Encode(head), by, []replica.Machine{desk.Me, laptop.Me, phone.Me}); err != nil {
		t.Fatal(err)
	}

	phone.sync(t, s)
	told(t, desk.sync(t, s), replica.ErrWithheld)
	phone.sync(t, s)
	for _, n := range []int{0, 1, 2, 3, 5} {
		phone.has(t, fmt.Sprint("a text of the desk ", n))
	}
	desk.quiet(t, s)
}
