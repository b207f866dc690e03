package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// canary is one belief in four versions, whose words nothing else in the store
// has, with all that a store files beside a record.
type canary struct{ owner memory.DID }

// What the canary says, and the stems of that. Each stem begins its word.
var (
	canaryWords = []string{"Quixotrovian", "FLUMBERWICKS", "zephyrquartzing"}
	canaryStems = []string{"quixotrovian", "flumberwick", "zephyrquartz"}
)

const canaryVersions = 4

func (c canary) id(version int) memory.ID { return memory.ID(fmt.Sprintf("urn:ump:c%d", version)) }

func (c canary) text(version int) string {
	return fmt.Sprintf("%s %d. %s", strings.Join(canaryWords, " "), version, strings.Repeat(canaryWords[version%3]+" ", 1+200*version))
}

// remember writes a version, and files what belongs to it.
func (c canary) remember(w store.Writer, version int) error {
	text := c.text(version)
	imp, err := w.SetImport(store.Import{Digest: fmt.Sprint(version), Name: text[:30], Residue: []byte(text), At: birth})
	if err != nil {
		return err
	}
	d := store.Document{Terms: map[string]int{"word": 1, "entity:" + canaryStems[0]: 1}, Length: 9}
	for _, stem := range canaryStems {
		d.Terms[stem] = 1 + version
	}
	row := store.Row{ID: c.id(version), Origin: []byte(text), Current: []byte(text + "now"), Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth, Import: imp,
		Project: canaryWords[0], User: canaryWords[1], Agent: canaryWords[2], Session: canaryWords[0],
		Duplicate: canaryStems[1], Lineage: c.id(0),
	}}
	links := store.Links{Relations: []memory.Relation{{Type: memory.About, Target: "entity:" + canaryWords[1]}}}
	if version > 0 {
		links.Supersedes = []memory.ID{c.id(version - 1)}
	}
	number, err := w.Insert(row, d, links)
	if err != nil {
		return err
	}
	_, err = w.Record(store.Change{At: birth, Type: store.Created, ID: row.ID})
	_, err2 := store.Attach(w, store.Attachment{Space: "s", Key: canaryWords[1] + fmt.Sprint(version), From: row.ID, Data: []byte(text)})
	_, err3 := store.Attach(w, store.Attachment{Space: "s", Key: canaryWords[0] + fmt.Sprint(version), To: row.ID, Data: []byte(canaryWords[2])})
	return errors.Join(err, err2, err3,
		w.SetAlias("space", canaryWords[2]+fmt.Sprint(version), row.ID),
		w.SetLesson(number, store.Lesson{Followed: 1 + version, At: birth}),
		w.ReadingKeeper().PutReadings([]store.Reading{{At: birth, Nonce: number, Way: "recall", Given: 1, Memories: []int64{number}, Question: text}}),
		w.SetReceipt(store.Receipt{Key: fmt.Sprint(canaryWords[0], version), Answer: []byte(`{"id":"` + string(row.ID) + `"}`), At: birth}, time.Hour))
}

// forget erases every version, in one transaction.
func (c canary) forget(w store.Writer) error {
	imports, err := w.Imports()
	if err != nil {
		return err
	}
	for _, imp := range imports {
		if _, err := w.SetImport(store.Import{Number: imp.Number, Digest: imp.Digest, At: imp.At}); err != nil {
			return err
		}
	}
	for version := range canaryVersions {
		id := c.id(version)
		if err := errors.Join(w.Delete(id), w.DropReceipts(id)); err != nil {
			return err
		}
		if _, err := w.Record(store.Change{At: birth, Type: store.Erased, ID: id}); err != nil {
			return err
		}
	}
	return nil
}

// traces counts what a reader still finds of the canary: rows, their terms, names,
// links, lessons and receipts. whole is how many there are of a whole one.
func (c canary) traces(t testing.TB, s *Store) (found, whole int) {
	t.Helper()
	count := func(there bool, err error) {
		whole++
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		if there && err == nil {
			found++
		}
	}
	must(t, s.View(t.Context(), c.owner, func(r store.Reader) error {
		for version := range canaryVersions {
			row, err := r.Row(c.id(version))
			count(string(row.Origin) == c.text(version), err)
			lessons, err := r.Lessons([]int64{max(row.Number, 1)})
			count(len(lessons) == 1 && lessons[0].Followed == 1+version, err)
			_, err = r.Alias("space", canaryWords[2]+fmt.Sprint(version))
			count(true, err)
			_, err = r.Receipt(fmt.Sprint(canaryWords[0], version))
			count(true, err)
			a, err := r.Attached("s", canaryWords[1]+fmt.Sprint(version), 0)
			count(string(a.Data) == c.text(version), err)
			_, err = r.Attached("s", canaryWords[0]+fmt.Sprint(version), 0)
			count(true, err)
		}
		frequencies, err := r.Frequencies(canaryStems)
		for i := range canaryStems {
			count(frequencies[i] == canaryVersions, err)
		}
		for _, stem := range canaryStems {
			terms, err := r.Terms(stem[:4], 9)
			count(slices.Equal(terms, []string{stem}), err)
		}
		linked, err := r.Relating("entity:" + canaryWords[1])
		count(len(linked) == canaryVersions, err)
		return err
	}))
	return found, whole
}

// plant fills a store and has the canary in the middle of what others say.
func plant(t testing.TB, s *Store, c canary, others int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(uint64(others), 3))
	for version := range canaryVersions {
		for n := range 4 {
			update(t, s, func(w store.Writer) error {
				for i := range others / canaryVersions / 4 {
					row, d, links := harmless(100_000*version+10_000*n+i, rnd)
					if _, err := w.Insert(row, d, links); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, s.Update(t.Context(), c.owner, func(w store.Writer) error { return c.remember(w, version) }))
	}
}

// tracks counts the places in all files of a folder that hold a stem, in capitals
// or not, in UTF-8 or in either UTF-16.
func tracks(t testing.TB, path string) int {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	found := 0
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), file.Name()))
		if errors.Is(err, os.ErrNotExist) || file.IsDir() {
			continue
		}
		must(t, err)
		found += tracksIn(append(data, file.Name()...))
	}
	return found
}

func tracksIn(data []byte) int {
	found, lower := 0, bytes.ToLower(data)
	for _, stem := range canaryStems {
		found += bytes.Count(lower, []byte(stem))
		found += bytes.Count(lower, []byte(strings.Join(strings.Split(stem, ""), "\x00")))
	}
	return found
}

// TestTracks expects the search itself to find what it should.
func TestTracks(t *testing.T) {
	wide := func(first, second byte) []byte {
		var b []byte
		for _, c := range []byte(canaryWords[1]) {
			b = append(b, c, 0)
			if first == 0 {
				b[len(b)-2], b[len(b)-1] = 0, c
			}
		}
		return b
	}
	for name, data := range map[string][]byte{
		"UTF-8": []byte("\xff\xfexxflumberwicksxx"), "capitals": []byte("a FLUMBERWICK"),
		"UTF-16, little end first": wide(1, 0), "UTF-16, big end first": wide(0, 1),
	} {
		if tracksIn(data) != 1 {
			t.Errorf("%s: %d found", name, tracksIn(data))
		}
	}
	if n := tracksIn([]byte("flumberwic zephyr quartz")); n != 0 {
		t.Errorf("%d found where nothing is", n)
	}
}

// TestErasureOfOneBelief erases one belief among many and reads every byte of
// every file.
func TestErasureOfOneBelief(t *testing.T) {
	racing.Skip(t)
	for _, others := range []int{0, 2000} {
		t.Run(fmt.Sprint(others, " others"), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "satchel.db")
			s, c := open(t, path), canary{ada}
			plant(t, s, c, others)
			if found, whole := c.traces(t, s); found != whole {
				t.Fatalf("%d of %d traces are there to begin with", found, whole)
			}
			update(t, s, c.forget)
			if found, _ := c.traces(t, s); found != 0 {
				t.Errorf("%d traces are left for a reader", found)
			}
			if tracks(t, path) == 0 {
				t.Fatal("nothing is left in the files before they are cleaned: the search finds nothing")
			}
			must(t, s.Compact(t.Context()))
			if found := tracks(t, path); found != 0 {
				t.Errorf("%d places of the files hold what was erased", found)
			}
			sound(t, s)
			must(t, s.Close())
			if found := tracks(t, path); found != 0 {
				t.Errorf("%d places after closing", found)
			}
		})
	}
}

// TestErasureOfAnOwner erases one of two owners.
func TestErasureOfAnOwner(t *testing.T) {
	racing.Skip(t)
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, c := open(t, path), canary{"did:key:bob"}
	plant(t, s, c, 800)
	must(t, s.Update(t.Context(), c.owner, func(w store.Writer) error {
		return errors.Join(w.SetProjectAlias(canaryWords[0], canaryWords[1]),
			w.SetGrant(store.Grant{ID: "1", Name: canaryWords[2], Claims: []byte(canaryWords[0])}),
			w.AgentKeeper().PutAgent(store.Agent{ID: canaryWords[1], Revision: 1, Name: canaryWords[0], Version: canaryWords[2], Signer: canaryWords[1],
				Document: []byte(strings.Repeat(c.text(1), 30))}),
			w.AgentKeeper().PutState(store.State{ID: canaryWords[0], Agent: canaryWords[1], Run: canaryWords[2], Source: canaryWords[0], Document: []byte(c.text(2))}),
			w.AgentKeeper().Spend(store.Spent{Issuer: canaryWords[2], JTI: canaryWords[0]}, birth))
	}))
	must(t, s.Update(t.Context(), c.owner, func(w store.Writer) error { return w.EraseOwner() }))
	if found, _ := c.traces(t, s); found != 0 || tracks(t, path) == 0 {
		t.Fatalf("%d traces for a reader, %d in the files", found, tracks(t, path))
	}
	must(t, s.Compact(t.Context()))
	if found := tracks(t, path); found != 0 {
		t.Errorf("%d places of the files hold what was erased", found)
	}
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		n, err := r.Count(store.Filter{})
		if n != 800 {
			t.Errorf("the other owner has %d records", n)
		}
		return err
	}))
	sound(t, s)
}
