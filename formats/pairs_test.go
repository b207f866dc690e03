package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// specified are the formats with a specification. A memory must arrive there whole, or a
// loss must say what did not.
var specified = []string{"ump", "aimem", "engram", "aicf"}

// pairKey returns the key of the memories' owner.
var pairKey = sync.OnceValue(func() keys.Private {
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		panic(err)
	}
	return key
})

func pairTime() time.Time { return time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC) }

func pairOptions() codec.Options { return codec.Options{Owner: pairKey().DID(), Now: pairTime} }

// anyRecords draws an archive: records of every kind, some of which replace earlier ones.
func anyRecords(t *rapid.T) []memory.Record {
	var all []memory.Record
	for i := range rapid.IntRange(1, 6).Draw(t, "records") {
		r := anyRecord(t, i)
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "replaces") == 0 && len(all[i-1].SupersededBy) == 0 {
			old := &all[i-1]
			r.Supersedes, r.Scope, r.Kind = []memory.ID{old.ID}, old.Scope, old.Kind
			r.Time.ValidFrom = r.Time.Created
			r = born(t, r)
			old.SupersededBy, old.Time.ValidTo = []memory.ID{r.ID}, r.Time.ValidFrom
			all[i-1] = become(t, *old)
			all = append(all, r)
			continue
		}
		all = append(all, born(t, r))
	}
	return all
}

// born gives a record its id and its document.
func born(t *rapid.T, r memory.Record) memory.Record {
	var key *keys.Private
	if rapid.Bool().Draw(t, "signed") {
		own := pairKey()
		key = &own
	}
	r.ID = ""
	r, err := ump.Author(r, key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// become makes the present form of a record its only document.
func become(t *rapid.T, r memory.Record) memory.Record {
	r.Origin, r.Current = nil, nil
	r, err := ump.Forms().Author(r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func anyRecord(t *rapid.T, i int) memory.Record {
	at := pairTime().Add(time.Duration(i) * time.Hour)
	text := rapid.OneOf(
		rapid.StringN(1, 40, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" }),
		rapid.SampledFrom([]string{"a|b\\c", "@STATE", "line\nline", "Prefers tea.", "---", "中文 🤖"}),
	).Draw(t, "text")
	word := func(name string, choices ...string) string {
		return rapid.SampledFrom(append(choices, "")).Draw(t, name)
	}
	r := memory.Record{
		Version: "0.1", Kind: rapid.SampledFrom(memory.Kinds()).Draw(t, "kind"),
		Body:  memory.Body{Text: fmt.Sprintf("%d %s", i, text)},
		Scope: memory.Scope{Owner: pairKey().DID(), Project: word("project", "github.com/example/garden"), Session: word("session", "s-1"), Agent: word("agent", "planner"), Visibility: memory.Private},
		Time:  memory.Times{Created: at},
		Provenance: &memory.Provenance{
			Actor: string(pairKey().DID()), ActorKind: memory.ByUser, Method: "stated",
		},
	}
	if rapid.Bool().Draw(t, "valid from") {
		r.Time.ValidFrom = at.Add(-time.Hour)
	}
	if rapid.IntRange(0, 4).Draw(t, "valid to") == 0 {
		r.Time.ValidTo = at.AddDate(100, 0, 0)
	}
	if rapid.Bool().Draw(t, "confidence") {
		n := float64(rapid.IntRange(0, 10).Draw(t, "tenths")) / 10
		r.Lifecycle.Confidence = &n
	}
	if rapid.Bool().Draw(t, "about") {
		r.Relations = []memory.Relation{{Type: memory.About, Target: "entity:" + rapid.SampledFrom([]string{"gate", "a b", "Ü"}).Draw(t, "entity")}}
	}
	if rapid.IntRange(0, 3).Draw(t, "structured") == 0 {
		r.Body.Structured = []byte(rapid.SampledFrom([]string{`{"gate":{"open":false}}`, `{"tags":["a","b"]}`, `{"x":[1,null,0.5]}`}).Draw(t, "object"))
	}
	if rapid.IntRange(0, 5).Draw(t, "candidate") == 0 {
		r.Lifecycle.Status = memory.Candidate
	}
	if rapid.IntRange(0, 5).Draw(t, "consent") == 0 {
		no := rapid.Bool().Draw(t, "exportable")
		r.Consent = &memory.Consent{Exportable: &no}
	}
	return r
}

// passage is a written document and its losses.
type passage struct {
	data   []byte
	losses []codec.Loss
}

// written writes records in a format.
func written(t testing.TB, f codec.Format, records []memory.Record) passage {
	t.Helper()
	var out bytes.Buffer
	w, err := f.Create(&out, pairOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return passage{out.Bytes(), w.Losses()}
}

// readBack reads a written document.
func readBack(t testing.TB, f codec.Format, src codec.Source, opt codec.Options) ([]memory.Record, []codec.Loss) {
	t.Helper()
	r, err := f.Open(src, opt)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	defer r.Close()
	var all []memory.Record
	for {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r.Losses()
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		all = append(all, record)
	}
}

// arrives writes records in a format and reads them again. Every difference is listed,
// every loss is declared, and every listed loss happened.
func arrives(t testing.TB, to codec.Format, records []memory.Record) {
	t.Helper()
	out := written(t, to, records)
	got, further := readBack(t, to, file("archive"+to.Extensions[len(to.Extensions)-1], string(out.data)), pairOptions())
	losses := append(out.losses, further...)
	for _, l := range losses {
		if !to.Declared.Covers(l) {
			t.Errorf("%s does not declare %q", to.Name, l.Reason)
		}
	}
	listed := map[memory.ID][]string{}
	for _, l := range losses {
		listed[l.ID] = append(listed[l.ID], l.Pointer)
	}
	byID := map[memory.ID]memory.Record{}
	for _, r := range got {
		if !isDocument(r) {
			byID[r.ID] = r
		}
	}
	for _, r := range records {
		if isDocument(r) {
			continue
		}
		differ := codec.Differences(r, byID[r.ID])
		_, excused := listed[r.ID]
		switch {
		case len(differ) > 0 && !excused && len(listed[""]) == 0:
			t.Errorf("%s: %s differs in %q, and no loss says so\n%s", to.Name, r.ID, differ, out.data)
		case len(differ) == 0 && excused && bytes.Equal(r.Form(), byID[r.ID].Form()):
			t.Errorf("%s: a loss of %s is listed, %q, and nothing is lost", to.Name, r.ID, listed[r.ID])
		}
		delete(byID, r.ID)
	}
	if len(byID) > 0 {
		t.Errorf("%s: there are records that nobody wrote: %q\n%s", to.Name, slices.Sorted(maps.Keys(byID)), out.data)
	}
}

// isDocument reports whether a record stands for the document that carried the others.
func isDocument(r memory.Record) bool {
	file, _ := codec.Residue(r, "aicf")
	return file.Has("file") || aimem.IsManifest(r)
}

func named(t testing.TB, name string) codec.Format {
	t.Helper()
	f, err := formats.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPairs converts random archives from each of the specified formats to each other one.
func TestPairs(t *testing.T) {
	for _, from := range specified {
		for _, to := range specified {
			t.Run(from+" to "+to, func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					start := written(t, named(t, from), anyRecords(rt))
					records, _ := readBack(t, named(t, from), file("archive", string(start.data)), pairOptions())
					arrives(t, named(t, to), records)
					if t.Failed() {
						rt.FailNow()
					}
				})
			})
		}
	}
}

// TestWritten converts random archives, as each writable format expresses them, to each of
// the specified formats.
func TestWritten(t *testing.T) {
	for _, from := range formats.All() {
		if slices.Contains(specified, from.Name) || from.Create == nil || from.Name == "ump-md" {
			continue
		}
		t.Run(from.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				start := written(t, from, anyRecords(rt))
				drafts, losses := readBack(t, from, file("archive"+from.Extensions[0], string(start.data)), pairOptions())
				for _, l := range append(start.losses, losses...) {
					if !from.Declared.Covers(l) {
						t.Errorf("%s does not declare %q", from.Name, l.Reason)
					}
				}
				var records []memory.Record
				for _, r := range drafts {
					if r = born(rt, r); !slices.ContainsFunc(records, func(o memory.Record) bool { return o.ID == r.ID }) {
						records = append(records, r)
					}
				}
				for _, to := range specified {
					arrives(t, named(t, to), records)
				}
				if t.Failed() {
					rt.FailNow()
				}
			})
		})
	}
}

// TestImporters converts the fixtures of each importer to each of the specified formats.
func TestImporters(t *testing.T) {
	for _, f := range formats.All() {
		dir := "../importers/" + f.Name + "/testdata"
		if _, err := os.Stat(dir); err != nil {
			dir = "../importers/rules/testdata/" + f.Name // its package reads several formats
		}
		if f.Name == "zep" {
			dir = "../importers/graphiti/testdata/zep"
		}
		if slices.Contains(specified, f.Name) || f.Name == "ump-md" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			var records []memory.Record
			for _, v := range importtest.Load(t, dir) {
				if !v.Accepted() {
					continue
				}
				drafts, losses, err := importtest.Read(f, v.Source, v.Options)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range losses {
					if !f.Declared.Covers(l) {
						t.Errorf("%s does not declare %q", f.Name, l.Reason)
					}
				}
				for _, r := range drafts {
					r, err := ump.Author(r, nil)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.ContainsFunc(records, func(o memory.Record) bool { return o.ID == r.ID }) {
						records = append(records, r)
					}
				}
			}
			if len(records) == 0 {
				t.Fatal("no fixture makes a record")
			}
			for _, to := range specified {
				arrives(t, named(t, to), records)
			}
		})
	}
}
