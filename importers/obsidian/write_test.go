package obsidian_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/obsidian"
	"github.com/satchel-memory/satchel/memory"
)

// restored writes the records of a folder, and compares every note that is not empty.
func restored(t *testing.T, src codec.Source, records []memory.Record) {
	t.Helper()
	files := importtest.Files{}
	losses := importtest.WriteIn(t, obsidian.Format(), files, importtest.Options(), records...)
	for _, l := range losses {
		if l.Pointer != "/time/created" && l.Pointer != "/provenance/source/ref" { // of our own notes, which have another name
			t.Errorf("lost: %v", l)
		}
	}
	for name, got := range files {
		want, err := fs.ReadFile(src.Tree, name)
		if err != nil {
			continue // a note of ours, which has another name
		}
		if string(want) != got && len(got) > 0 {
			t.Errorf("%s was\n%q\nis\n%q", name, want, got)
		}
	}
}

func TestNotesComeBack(t *testing.T) {
	for _, v := range importtest.Load(t, "testdata") {
		if v.Source.Tree == nil {
			continue
		}
		records, _, err := importtest.Read(obsidian.Format(), v.Source, v.Options)
		if err != nil {
			continue
		}
		restored(t, v.Source, records)
	}
}

func TestSpellingsComeBack(t *testing.T) {
	src := importtest.Folder("vault", map[string]string{
		"a.md": "\ufeff---\r\ntags: [x]\r\n---\r\n\r\nText\r\nmore\r\n", "b.md": "a\r\nb\n", "c.md": "no end", "d.md": "---\na: 1\n---",
	})
	records, _, err := importtest.Read(obsidian.Format(), src, importtest.Options())
	if err != nil || len(records) != 4 || records[0].Body.Text != "# a\n\nText\nmore" {
		t.Fatalf("%d records, %v", len(records), err)
	}
	files := importtest.Files{}
	importtest.WriteIn(t, obsidian.Format(), files, importtest.Options(), records...)
	want := importtest.Files{}
	for _, name := range []string{"a.md", "b.md", "c.md", "d.md"} {
		data, _ := fs.ReadFile(src.Tree, name)
		want[name] = string(data)
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files differ (-want +got):\n%s", diff)
	}
}

func TestRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		records := importtest.Records(r)
		files, losses := importtest.Carry(t, obsidian.Format(), importtest.Options(), records...)
		for _, l := range losses {
			if l.Pointer == "/body/text" || l.Pointer == "/kind" || strings.HasPrefix(l.Pointer, "/time") || l.Pointer == "/scope/project" {
				r.Fatalf("lost: %v of %v", l, files)
			}
		}
	})
}

func TestManySectionsThatAreAlike(t *testing.T) {
	src := importtest.Folder("vault", map[string]string{"a.md": strings.Repeat("# h\nx\n", 2000)})
	records, _, err := importtest.Read(obsidian.Format(), src, importtest.Options())
	if err != nil || len(records) != 2000 || records[1999].Provenance.Source.Ref != "vault/a.md/h 1999" {
		t.Fatalf("%d records, %v", len(records), err)
	}
	restored(t, src, records)
}

// rewritten reads a vault, and writes its records after edit.
func rewritten(t *testing.T, files importtest.Files, edit func([]memory.Record) []memory.Record) (importtest.Files, []codec.Loss) {
	t.Helper()
	vault := map[string]string{"Ines.md": "---\ncreated: 2024-03-01\nrank: 1\n---\nLikes tea.\n", "Rui.md": "---\ncreated: 2024-03-02\n---\nSails.\n"}
	records, _, err := importtest.Read(obsidian.Format(), importtest.Folder("vault", vault), importtest.Options())
	if err != nil || len(records) != 2 {
		t.Fatal(len(records), err)
	}
	losses := importtest.WriteIn(t, obsidian.Format(), files, importtest.Options(), edit(records)...)
	return files, losses
}

func TestEditsWin(t *testing.T) {
	edits := map[string]func(*memory.Record){
		"text": func(r *memory.Record) { r.Body.Text = "Likes coffee." },
		"kind": func(r *memory.Record) { r.Kind = memory.Identity },
		"property": func(r *memory.Record) {
			r.Body.Structured = bytes.Replace(r.Body.Structured, []byte(`1`), []byte(`2`), 1)
		},
		"relation": func(r *memory.Record) {
			r.Relations = append(r.Relations, memory.Relation{Type: "knows", Target: "entity:Rui"})
		},
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			var want memory.Record
			files, losses := rewritten(t, importtest.Files{}, func(records []memory.Record) []memory.Record {
				edit(&records[0])
				want = codec.WithResidue(records[0], "obsidian", canon.Value{})
				return records
			})
			again, _, err := importtest.Read(obsidian.Format(), files.Source(), importtest.Options())
			if err != nil || len(again) != 2 || len(losses) != 0 {
				t.Fatalf("%d records, %v, %v", len(again), losses, err)
			}
			want.Provenance.Source.Ref = "folder/Ines.md"
			if diff := codec.Differences(want, again[0]); len(diff) > 0 {
				t.Errorf("%v differ:\n%s", diff, files["Ines.md"])
			}
			if !obsidian.Format().Wrote("Ines.md", []byte(files["Ines.md"])) || obsidian.Format().Wrote("Rui.md", []byte(files["Rui.md"])) {
				t.Error("the edited note is not marked, or the other one is")
			}
		})
	}
}

func TestOthersFilesAreLeftAlone(t *testing.T) {
	same := func(records []memory.Record) []memory.Record { return records }
	files, losses := rewritten(t, importtest.Files{"Ines.md": "Mine."}, same)
	if files["Ines.md"] != "Mine." || len(losses) != 1 || !strings.HasPrefix(losses[0].Reason, "a note of this name") {
		t.Errorf("%q, %v", files["Ines.md"], losses)
	}
	written, _ := rewritten(t, importtest.Files{}, func(records []memory.Record) []memory.Record {
		records[0].Body.Text = "Likes coffee."
		return records
	})
	if _, losses = rewritten(t, written, same); len(losses) != 0 || !strings.HasSuffix(written["Ines.md"], "\nLikes tea.\n") {
		t.Errorf("our own note is not replaced: %q, %v", written["Ines.md"], losses)
	}
}

// windows is a folder on Windows.
type windows struct{ importtest.Files }

func (f windows) Put(name string, data []byte) error {
	if !codec.Portable(name) {
		return fs.ErrInvalid
	}
	return f.Files.Put(name, data)
}

func (f windows) Held(name string) ([]byte, error) {
	if !codec.Portable(name) {
		return nil, fs.ErrInvalid
	}
	return f.Files.Held(name)
}

// TestNamesOfOtherSystems writes notes whose names the system does not allow, unchanged and
// edited, under other names.
func TestNamesOfOtherSystems(t *testing.T) {
	vault := map[string]string{"Who?/What: that.md": "Tea.\n", "nul.md": "Coffee.\n", "plain.md": "Milk.\n"}
	records, _, err := importtest.Read(obsidian.Format(), importtest.Folder("vault", vault), importtest.Options())
	if err != nil || len(records) != 3 {
		t.Fatal(len(records), err)
	}
	for i, r := range records {
		if strings.HasSuffix(r.Body.Text, "Coffee.") {
			records[i].Body.Text = "Cocoa."
		}
	}
	outside := records[0]
	residue, _ := codec.Residue(outside, "obsidian")
	outside.ID += "x"
	records = append(records, codec.WithResidue(outside, "obsidian", residue.With("path", canon.String("../../x.md"))))
	files := windows{importtest.Files{}}
	w, err := obsidian.Format().CreateIn(files, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Who/What that.md": "Tea.", "nul memory.md": "Cocoa.", "plain.md": "Milk.", "memory/memory/x.md": ""} {
		if got, ok := files.Files[name]; !ok || !strings.Contains(got, want) {
			t.Errorf("%s: %q of %q", name, got, files.Files)
		}
	}
}

func TestDeclared(t *testing.T) {
	src := importtest.Folder("vault", map[string]string{".obsidian/app.json": "{}", "a.md": "\xff", "b.md": "---\ncreated: 2024-03-01\n---\nx", "d.md": "y"})
	src.Tree.(fstest.MapFS)["c.md"] = &fstest.MapFile{Data: []byte("b.md"), Mode: fs.ModeSymlink}
	records, given, err := importtest.Read(obsidian.Format(), src, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	closed := codec.Source{Name: "vault", Tree: shut{src.Tree}}
	_, further, err := importtest.Read(obsidian.Format(), closed, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	held := importtest.Files{"b.md": "other"}
	tombstone, blank, long := records[0], records[0], records[0]
	tombstone.Lifecycle.Status, blank.Body.Text, long.Body.Text = memory.Tombstoned, " ", strings.Repeat("x", 2<<20)
	given = append(append(given, further...), importtest.WriteIn(t, obsidian.Format(), held, importtest.Options(), records...)...)
	records[0].ID, records[0].Time.ValidFrom = "urn:ump:a", records[0].Time.Created
	given = append(given, importtest.WriteIn(t, obsidian.Format(), importtest.Files{}, importtest.Options(), records[0], tombstone, blank, long)...)
	importtest.Declared(t, obsidian.Format(), "testdata", given...)
}

// shut is a folder with a subfolder that cannot be listed.
type shut struct{ fs.FS }

func (s shut) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "closed" {
		return nil, fs.ErrPermission
	}
	entries, err := fs.ReadDir(s.FS, name)
	if name == "." {
		entries = append(entries, fs.FileInfoToDirEntry(folder{}))
	}
	return entries, err
}

// folder is the file information of a closed folder.
type folder struct{ fs.FileInfo }

func (folder) Name() string      { return "closed" }
func (folder) IsDir() bool       { return true }
func (folder) Mode() fs.FileMode { return fs.ModeDir }
