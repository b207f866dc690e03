package basicmemory_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/basicmemory"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

// restored writes the records of a folder, and compares every note.
func restored(t *testing.T, src codec.Source, records []memory.Record) {
	t.Helper()
	files := importtest.Files{}
	for _, l := range importtest.WriteIn(t, basicmemory.Format(), files, importtest.Options(), records...) {
		if l.Pointer != "/time/created" && l.Pointer != "/provenance/source/ref" { // of our own notes, which have another name
			t.Errorf("lost: %v", l)
		}
	}
	for name, got := range files {
		want, err := fs.ReadFile(src.Tree, name)
		if err == nil && string(want) != got && !strings.HasPrefix(name, "memories/") {
			t.Errorf("%s was\n%q\nis\n%q", name, want, got)
		}
	}
}

func TestNotesComeBack(t *testing.T) {
	for _, v := range importtest.Load(t, "testdata") {
		if records, _, err := importtest.Read(basicmemory.Format(), v.Source, v.Options); err == nil && v.Source.Tree != nil {
			restored(t, v.Source, records)
		}
	}
	src := importtest.Folder("notes", map[string]string{
		"a.md": "\ufeff" + strings.ReplaceAll(coffee, "\n", "\r\n"), "b.md": "- [a] b\r\n- c [[d]]\n", "c.md": "- [no] end", "d.md": "* [a]  b \n\n\n",
	})
	records, _, err := importtest.Read(basicmemory.Format(), src, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	files := importtest.Files{}
	importtest.WriteIn(t, basicmemory.Format(), files, importtest.Options(), records...)
	for _, name := range []string{"a.md", "b.md", "c.md", "d.md"} {
		want, _ := fs.ReadFile(src.Tree, name)
		if files[name] != string(want) {
			t.Errorf("%s was\n%q\nis\n%q", name, want, files[name])
		}
	}
}

func TestRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		records := importtest.Records(r)
		files, losses := importtest.Carry(t, basicmemory.Format(), importtest.Options(), records...)
		for _, l := range losses {
			if l.Pointer == "/body/text" || l.Pointer == "/kind" || strings.HasPrefix(l.Pointer, "/time") && !strings.HasPrefix(l.Reason, "when it was learnt") || l.Pointer == "/scope/project" {
				r.Fatalf("lost: %v of %v", l, files)
			}
		}
	})
}

// rewritten reads a note, edits its records, and writes them.
func rewritten(t *testing.T, files importtest.Files, edit func([]memory.Record) []memory.Record) (importtest.Files, []codec.Loss) {
	t.Helper()
	text := strings.Replace(coffee, "type: note", "created: 2024-03-01", 1)
	records, _, err := importtest.Read(basicmemory.Format(), importtest.Folder("notes", map[string]string{"Coffee.md": text}), importtest.Options())
	if err != nil || len(records) != 3 {
		t.Fatal(len(records), err)
	}
	losses := importtest.WriteIn(t, basicmemory.Format(), files, importtest.Options(), edit(records)...)
	return files, losses
}

// A forgotten memory leaves its note; an edited one moves to a note of ours.
func TestEditsWin(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func([]memory.Record) []memory.Record
		note  string // without its properties
		texts []string
	}{
		"nothing": {func(r []memory.Record) []memory.Record { return r }, "Morning.\n\n- [fact] Hot #drink (so far)\n- part_of [[Breakfast]]\n",
			[]string{"# Coffee\n\nMorning.", "Coffee: Hot #drink (so far)", "Coffee part_of Breakfast"}},
		"an observation forgotten": {func(r []memory.Record) []memory.Record { return append(r[:1:1], r[2:]...) }, "Morning.\n\n- part_of [[Breakfast]]\n",
			[]string{"# Coffee\n\nMorning.", "Coffee part_of Breakfast"}},
		"an observation edited": {func(r []memory.Record) []memory.Record { r[1].Body.Text = "Coffee: Cold"; return r }, "Morning.\n\n- part_of [[Breakfast]]\n",
			[]string{"# Coffee\n\nMorning.", "Coffee part_of Breakfast", "Coffee: Cold"}},
		"the prose edited": {func(r []memory.Record) []memory.Record { r[0].Body.Text = "Evening."; return r }, "",
			[]string{"Coffee: Hot #drink (so far)", "Evening.", "Coffee part_of Breakfast"}},
		"the note forgotten": {func(r []memory.Record) []memory.Record { return r[1:] }, "",
			[]string{"Coffee: Hot #drink (so far)", "Coffee part_of Breakfast"}},
	} {
		t.Run(name, func(t *testing.T) {
			files, losses := rewritten(t, importtest.Files{}, c.edit)
			_, body, _ := strings.Cut(strings.TrimPrefix(files["Coffee.md"], "---\n"), "---\n")
			if body != c.note {
				t.Errorf("the note is %q", files["Coffee.md"])
			}
			if wrote := basicmemory.Format().Wrote("Coffee.md", []byte(files["Coffee.md"])); wrote != (name != "nothing" && c.note != "") {
				t.Errorf("marked: %v", wrote)
			}
			again, _, err := importtest.Read(basicmemory.Format(), files.Source(), importtest.Options())
			var texts []string
			for _, r := range again {
				texts = append(texts, r.Body.Text)
			}
			if diff := cmp.Diff(c.texts, texts); diff != "" || err != nil {
				t.Errorf("%v, %v, texts differ (-want +got):\n%s", err, losses, diff)
			}
		})
	}
}

func TestManyLinesAreSeveralNotes(t *testing.T) {
	var records []memory.Record
	for i := range 1201 {
		r := memory.Record{Version: "0.1", Kind: memory.Semantic, Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private}}
		r.Body.Text, r.Time.Created = strings.Repeat("x", i%7+1), importtest.Modified()
		records = append(records, r)
	}
	files := importtest.Files{}
	importtest.WriteIn(t, basicmemory.Format(), files, importtest.Options(), records...)
	again, _, err := importtest.Read(basicmemory.Format(), files.Source(), importtest.Options())
	if err != nil || len(again) != len(records) || len(files) != 3 || files["memories/Memories 3.md"] == "" {
		t.Errorf("%d files, %d records, %v", len(files), len(again), err)
	}
}

func TestDeclared(t *testing.T) {
	src := importtest.Folder("notes", map[string]string{"a.md": "\xff", "b.md": "---\ncreated: 2024-03-01\n---\nx", "closed/c.md": "x", "d.md": "y"})
	src.Tree.(fstest.MapFS)["c.md"] = &fstest.MapFile{Data: []byte("b.md"), Mode: fs.ModeSymlink}
	src.Tree = shut{src.Tree}
	records, given, err := importtest.Read(basicmemory.Format(), src, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	tombstone, blank, long := records[0], records[0], records[0]
	tombstone.Lifecycle.Status, blank.Body.Text, long.Body.Text = memory.Tombstoned, " ", strings.Repeat("x", 2<<20)
	given = append(given, importtest.WriteIn(t, basicmemory.Format(), importtest.Files{"b.md": "other"}, importtest.Options(), records...)...)
	records[0].ID, records[0].Time.ValidFrom = "urn:ump:a", records[0].Time.Created
	given = append(given, importtest.WriteIn(t, basicmemory.Format(), importtest.Files{}, importtest.Options(), records[0], tombstone, blank, long)...)
	importtest.Declared(t, basicmemory.Format(), "testdata", given...)
}

// shut is a folder with a subfolder that cannot be listed.
type shut struct{ fs.FS }

func (s shut) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "closed" {
		return nil, fs.ErrPermission
	}
	return fs.ReadDir(s.FS, name)
}
