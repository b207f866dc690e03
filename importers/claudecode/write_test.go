package claudecode_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/claudecode"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

func TestSuiteOfFolders(t *testing.T) {
	codectest.Suite{
		Format: claudecode.Format(), AsFolder: true, FreeText: true,
		Exempt: map[string]string{
			"Document": "a folder has no size; each note has", "Items": "a note has no lists", "Depth": "its front matter is two deep at most",
			"Name": "names are as short as they can be", "Records": "two records that say the same are one note",
		},
	}.Run(t)
}

// record is a memory that holds.
func record(kind memory.Kind, text string) memory.Record {
	return memory.Record{
		Version: "0.1", ID: memory.ID("urn:ump:" + strings.Map(letters, text)), Kind: kind, Body: memory.Body{Text: text},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private}, Time: memory.Times{Created: importtest.Modified()},
	}
}

func letters(c rune) rune {
	if 'a' <= c && c <= 'z' {
		return c
	}
	return -1
}

func reasons(losses []codec.Loss, pointer string) (list []string) {
	for _, l := range losses {
		if l.Pointer == pointer {
			list = append(list, l.Reason)
		}
	}
	return list
}

func into(t testing.TB, files importtest.Files, records ...memory.Record) []codec.Loss {
	t.Helper()
	return importtest.WriteIn(t, claudecode.Format(), files, importtest.Options(), records...)
}

// Every note that was imported comes back byte for byte, whatever its spelling.
func TestNotesComeBackAsTheyWere(t *testing.T) {
	for name, text := range map[string]string{
		"plain":            note,
		"newer layout":     "---\nname: tabs\ndescription: how to indent\nmetadata:\n  type: feedback\n  session: s1\n---\nUse tabs.\n",
		"no line end":      strings.TrimSuffix(note, "\n"),
		"blank lines":      strings.Replace(note, "---\nUse", "---\n\n\nUse", 1) + "\n\n",
		"CR LF":            strings.ReplaceAll(note, "\n", "\r\n"),
		"mixed ends":       note + "More.\r\nAnd more.\n",
		"byte order mark":  "\ufeff" + note,
		"comments, quotes": "---\n# kept\nname: \"tabs\"   # too\ntype: 'feedback'\n---\nUse tabs.\n",
		"no front matter":  "Use tabs.\n\nAlways.\n",
		"description only": "---\nname: tabs\ndescription: Use tabs.\ntype: feedback\n---\n",
		"About itself":     "---\ndescription: x\ntype: user\n---\nAda.\n\nAbout: x\n",
		"said twice":       "---\nname: a\ndescription: Use tabs.\ntype: user\n---\nUse tabs. Use tabs.\n",
	} {
		t.Run(name, func(t *testing.T) {
			before := importtest.Files{"tabs.md": text, "MEMORY.md": "- [Tabs](tabs.md)\n"}
			records, _, err := importtest.Read(claudecode.Format(), before.Source(), importtest.Options())
			if err != nil || len(records) != 1 {
				t.Fatalf("%d records, %v", len(records), err)
			}
			after := importtest.Files{}
			into(t, after, records...)
			if after["tabs.md"] != text || len(after) != 2 {
				t.Errorf("got %q, want %q", after, text)
			}
			same := maps.Clone(before)
			into(t, same, records...)
			if diff := cmp.Diff(before, same); diff != "" {
				t.Errorf("the folder it came from changed:\n%s", diff)
			}
		})
	}
}

// Notes and lines of others stay in a folder, in their order.
func TestOthersNotesAreLeftAlone(t *testing.T) {
	files := importtest.Files{
		"MEMORY.md": "# Memory\r\n\r\n- [Mine](mine.md) — about\r\nA word.\r\n- [Gone](gone.md)",
		"mine.md":   note, "list.txt": "x",
	}
	want := maps.Clone(files)
	r := record(memory.Procedural, "Use pnpm, never npm, in this repository.")
	into(t, files, r)
	name := made(t, want, files)
	want[name] = files[name]
	want["MEMORY.md"] += "\r\n- [Use pnpm, never npm, in this repository.](" + name + ")\r\n"
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("the folder differs (-want +got):\n%s", diff)
	}
	if !claudecode.Format().Wrote(name, []byte(files[name])) || claudecode.Format().Wrote("mine.md", []byte(note)) || claudecode.Format().Wrote("MEMORY.md", []byte(files["MEMORY.md"])) {
		t.Error("it is not told which notes are written here")
	}
	again := maps.Clone(files)
	put := putting{again, map[string]bool{}}
	w, err := claudecode.Format().CreateIn(put, importtest.Options())
	if err == nil {
		err = errors.Join(w.Write(r), w.Close())
	}
	if err != nil || !put.names[name] {
		t.Errorf("what is there already is not put: %v, %v", put.names, err)
	}
	if diff := cmp.Diff(files, again); diff != "" {
		t.Errorf("a second time changes it:\n%s", diff)
	}
	into(t, again, record(memory.Semantic, "Another."))
	if strings.Contains(again["MEMORY.md"], name) || !strings.Contains(again["MEMORY.md"], "gone.md") || again[name] == "" {
		t.Errorf("the index is\n%s", again["MEMORY.md"])
	}
}

// putting records the files that are put.
type putting struct {
	importtest.Files
	names map[string]bool
}

// Put implements [codec.Folder].
func (p putting) Put(name string, data []byte) error {
	p.names[name] = true
	return p.Files.Put(name, data)
}

// made returns the name of the one new note.
func made(t *testing.T, before, after importtest.Files) string {
	t.Helper()
	for name := range after {
		if _, ok := before[name]; !ok && name != "MEMORY.md" {
			return name
		}
	}
	t.Fatal("no note was written")
	return ""
}

func TestNewNoteIsInTheNewerLayout(t *testing.T) {
	files := importtest.Files{}
	r := record(memory.Identity, "Ada is a Go developer in Porto.\nShe has a cat.")
	r.Relations = []memory.Relation{{Type: memory.About, Target: "entity:user-role"}}
	losses := into(t, files, r)
	text := files["user-role.md"]
	if i := strings.Index(text, "  written_by: satchel "); i >= 0 {
		text = text[:i] + text[strings.Index(text[i:], "\n")+i+1:]
	}
	want := "---\nname: user-role\ndescription: Ada is a Go developer in Porto.\nmetadata:\n  type: user\n---\nAda is a Go developer in Porto.\nShe has a cat.\n"
	if text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if got, want := files["MEMORY.md"], "- [Ada is a Go developer in Porto.](user-role.md)\n"; got != want {
		t.Errorf("the index is %q, want %q", got, want)
	}
	if len(reasons(losses, "/relations")) != 0 || len(reasons(losses, "/time/created")) != 1 {
		t.Errorf("losses are %v", losses)
	}
}

// A written memory is the same memory when it is imported.
func TestWrittenNotesAreKnownAgain(t *testing.T) {
	plain, about := record(memory.Procedural, "Use tabs."), record(memory.Working, "See [[wiki]].")
	about.Relations = []memory.Relation{{Type: memory.About, Target: "entity:style"}}
	files := importtest.Files{}
	into(t, files, plain, about, plain)
	records, _, err := importtest.Read(claudecode.Format(), files.Source(), importtest.Options())
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, r := range records {
		if len(r.Body.Structured) > 0 {
			t.Errorf("residue: %s", r.Body.Structured)
		}
	}
	slices.SortFunc(records, func(a, b memory.Record) int { return strings.Compare(a.Body.Text, b.Body.Text) })
	want := []memory.Relation{about.Relations[0], {Type: "links_to", Target: "entity:wiki"}}
	if diff := cmp.Diff(want, records[0].Relations); diff != "" || len(records[1].Relations) > 0 {
		t.Errorf("relations are %v and %v", records[0].Relations, records[1].Relations)
	}
	again := importtest.Files{}
	into(t, again, records...)
	for name, text := range files {
		if name != "MEMORY.md" && again[name] != text {
			t.Errorf("%s is %q, was %q", name, again[name], text)
		}
	}
}

// Every name stays inside the folder and differs from the others.
func TestNames(t *testing.T) {
	for _, name := range []string{"../up.md", "/abs.md", "a/b.md", "MEMORY.md", "memory.md", "CLAUDE.md", "con.md", "COM1.x.md", ".md", ".hidden.md", "a", "a\nb.md", "a).md", "nul .md", "x:y.md", strings.Repeat("a", 300) + ".md"} {
		r := record(memory.Semantic, "Lives in Porto.")
		r.Body.Structured = []byte(`{"claudecode":{"file":` + quoted(name) + `,"front":{"type":"project"}}}`)
		files := importtest.Files{}
		into(t, files, r)
		if len(files) != 2 || !strings.HasPrefix(made(t, importtest.Files{}, files), "lives-in-porto-") {
			t.Errorf("%q gives %v", name, slices.Sorted(maps.Keys(files)))
		}
	}
	a, b, c := record(memory.Semantic, "One."), record(memory.Semantic, "Two."), record(memory.Semantic, "…")
	for _, r := range []*memory.Record{&a, &b} {
		r.Relations = []memory.Relation{{Type: memory.About, Target: "entity:numbers"}}
	}
	files := importtest.Files{}
	into(t, files, a, b, c)
	names := slices.Sorted(maps.Keys(files))
	if len(names) != 4 || names[2] != "numbers.md" || !strings.HasPrefix(names[1], "memory-") || !strings.HasPrefix(names[3], "two-") {
		t.Errorf("names are %q", names)
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"` }

func TestIndexStaysShort(t *testing.T) {
	files := importtest.Files{}
	var records []memory.Record
	for i := range 210 {
		records = append(records, record(memory.Semantic, strings.Repeat("@long @words [words](x) <!-- ", 20)+strings.Repeat("a", i)))
	}
	losses := into(t, files, records...)
	lines := strings.Split(strings.TrimSuffix(files["MEMORY.md"], "\n"), "\n")
	if len(lines) != 210 || len(reasons(losses, "MEMORY.md")) != 1 {
		t.Errorf("%d lines, losses %v", len(lines), reasons(losses, "MEMORY.md"))
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > 150 || strings.Contains(line, "<!--") || strings.Contains(line, "@") {
			t.Fatalf("a line of %d characters: %s", n, line)
		}
	}
}

func TestWhatIsNotWritten(t *testing.T) {
	closed, proposed := record(memory.Semantic, "Was."), record(memory.Semantic, "Maybe.")
	closed.Time.ValidTo = importtest.Modified()
	proposed.Lifecycle.Status = memory.Candidate
	for name, r := range map[string]memory.Record{"closed": closed, "proposed": proposed, "blank": record(memory.Semantic, " \n")} {
		files := importtest.Files{}
		if losses := into(t, files, r); len(files) != 1 || len(reasons(losses, "")) != 1 {
			t.Errorf("%s: got %q, %v", name, files, losses)
		}
	}
}
