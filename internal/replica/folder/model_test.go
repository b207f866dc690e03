package folder_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
)

// world is what the model test acts on: machines, folders in which they meet, and what has
// to be true in the end.
type world struct {
	t        *testing.T
	machines []*machine
	shelves  []*shelf
	past     []map[string][]byte // folders as they once were
	wrote    map[string][]string // texts by note
	erased   map[string]bool     // notes
	removed  map[int]bool
	count    int
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, wrote: map[string][]string{}, erased: map[string]bool{}, removed: map[int]bool{}}
	w.machines = family(t, "a", "b", "c", "d", "e")
	w.shelves = []*shelf{newShelf(), newShelf(), newShelf()}
	return w
}

func (w *world) machine(rt *rapid.T) *machine {
	n := rapid.IntRange(0, len(w.machines)-1).Draw(rt, "machine")
	if w.removed[n] {
		rt.Skip("it was removed")
	}
	return w.machines[n]
}

func (w *world) shelf(rt *rapid.T) (int, *shelf) {
	n := rapid.IntRange(0, len(w.shelves)-1).Draw(rt, "folder")
	return n, w.shelves[n]
}

func noteName(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"}).Draw(rt, "note")
}

// write adds a text to a note. What is written to a note that is erased elsewhere already is
// erased, too.
func (w *world) write(rt *rapid.T) {
	m, name := w.machine(rt), noteName(rt)
	w.count++
	text := fmt.Sprintf("TEXT-%d-of-%s", w.count, name)
	m.note(name, text)
	w.wrote[name] = append(w.wrote[name], text)
}

func (w *world) erase(rt *rapid.T) {
	m, name := w.machine(rt), noteName(rt)
	m.erase(name)
	w.erased[name] = true
}

// meet lets a machine meet a folder, perhaps to be killed over it.
func (w *world) meet(rt *rapid.T) {
	m := w.machine(rt)
	n, s := w.shelf(rt)
	kill := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3, 5, 8, 13, 21}).Draw(rt, "killed at")
	if err := w.sync(m, n, s, kill); err != nil && !errors.Is(err, errKilled) {
		rt.Fatalf("%s in folder %d: %v", m.Me.Name, n, err)
	}
}

func (w *world) sync(m *machine, n int, s *shelf, kill int) error {
	count := 0
	step := func(string) error {
		if count++; count == kill {
			return errKilled
		}
		return nil
	}
	s.before = func(act, _ string) error { return step(act) }
	s.after = func(act, _ string) error { return step(act) }
	d := killable{m.notes, m.remotes, step}
	o := m.options(s)
	o.Name, o.Memory, o.Remotes = fmt.Sprint("folder ", n), d, d
	_, err := folder.Sync(context.Background(), o)
	s.before, s.after = nil, nil
	return err
}

// lose deletes some files of a folder, or all.
func (w *world) lose(rt *rapid.T) {
	_, s := w.shelf(rt)
	each := rapid.SampledFrom([]int{1, 2, 5}).Draw(rt, "one file in")
	for i, name := range slices.Sorted(maps.Keys(s.files)) {
		if i%each == 0 {
			delete(s.files, name)
		}
	}
}

// damage changes a byte of a file.
func (w *world) damage(rt *rapid.T) {
	_, s := w.shelf(rt)
	names := slices.Sorted(maps.Keys(s.files))
	if len(names) == 0 {
		return
	}
	name := names[rapid.IntRange(0, len(names)-1).Draw(rt, "file")]
	s.files[name] = bytes.Clone(s.files[name])
	s.files[name][len(s.files[name])/2] ^= 1
}

// remember keeps a folder as it is, and rollBack puts such a one back.
func (w *world) rememberFolder(rt *rapid.T) {
	_, s := w.shelf(rt)
	w.past = append(w.past, s.copy())
}

func (w *world) rollBack(rt *rapid.T) {
	_, s := w.shelf(rt)
	if len(w.past) == 0 {
		return
	}
	s.files = maps.Clone(w.past[rapid.IntRange(0, len(w.past)-1).Draw(rt, "past")])
}

// carry copies some files of a folder into another, as a service does that is halfway.
func (w *world) carry(rt *rapid.T) {
	_, from := w.shelf(rt)
	_, to := w.shelf(rt)
	each := rapid.IntRange(1, 3).Draw(rt, "one file in")
	for i, name := range slices.Sorted(maps.Keys(from.files)) {
		if i%each == 0 {
			to.files[name] = from.files[name]
		}
	}
}

// removeMachine removes a machine that has told the others all it knows.
func (w *world) removeMachine(rt *rapid.T) {
	n := rapid.IntRange(0, len(w.machines)-1).Draw(rt, "machine")
	if w.removed[n] || len(w.removed) >= 2 {
		return
	}
	w.together(rt, w.shelves[:1])
	gone := w.machines[n].Me
	gone.Removed = added()
	for i, m := range w.machines {
		if i != n && !w.removed[i] {
			m.learn(gone.Signed(m.owner))
			break
		}
	}
	w.removed[n] = true
}

// together lets all machines meet in folders until nothing is new.
func (w *world) together(rt *rapid.T, shelves []*shelf) {
	var last []string // what the machines did in the last round
	for range 12 {
		quiet := true
		last = nil
		for n, s := range shelves {
			for i, m := range w.machines {
				if w.removed[i] {
					continue
				}
				o := m.options(s)
				o.Name = fmt.Sprint("folder ", n)
				r, err := folder.Sync(context.Background(), o)
				if err != nil {
					rt.Fatalf("%s: %v", m.Me.Name, err)
				}
				quiet = quiet && len(r.Troubles) == 0 && r.BytesWritten == 0
				last = append(last, fmt.Sprintf("%s in folder %d: %+v", m.Me.Name, n, r))
			}
		}
		if quiet {
			return
		}
	}
	rt.Fatalf("the machines have met twelve times, and still tell each other something:\n%s", strings.Join(last, "\n"))
}

// check is what has to be true once all have met: all say the same, nothing is missing, and
// nothing that is erased is anywhere.
func (w *world) check(rt *rapid.T) {
	w.together(rt, w.shelves)
	var present []*machine
	for i, m := range w.machines {
		if !w.removed[i] {
			present = append(present, m)
		}
	}
	says := present[0].says()
	for _, m := range present {
		if m.says() != says {
			rt.Fatalf("%s says\n%s\n%s says\n%s", present[0].Me.Name, says, m.Me.Name, m.says())
		}
	}
	everything := says
	for _, s := range w.shelves {
		everything += s.opened(w.t, w.machines...)
	}
	for name, texts := range w.wrote {
		for _, text := range texts {
			switch {
			case w.erased[name] && strings.Contains(everything, text+`"`):
				rt.Fatalf("%s is erased, and still somewhere", text)
			case !w.erased[name] && !strings.Contains(says, text+`"`):
				rt.Fatalf("%s was written, and is missing", text)
			}
		}
	}
}

// TestModel: whatever machines and folders do, once all have met every machine says the
// same, what was written is there, and what was erased is nowhere.
func TestModel(t *testing.T) {
	checks := "2"
	if os.Getenv("SATCHEL_LONG") != "" {
		checks = "400"
	}
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := flag.Set("rapid.checks", checks); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		rt.Repeat(map[string]func(*rapid.T){
			"write": w.write, "write again": w.write, "erase": w.erase,
			"meet": w.meet, "meet again": w.meet, "meet once more": w.meet, "meet a fourth time": w.meet,
			"lose": w.lose, "damage": w.damage, "remember the folder": w.rememberFolder, "roll back": w.rollBack, "carry": w.carry,
			"remove": w.removeMachine,
		})
		w.check(rt)
	})
}

var _ replica.Memory = killable{}
