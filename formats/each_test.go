package formats_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/memory"
)

// parts lists what Each yields: name, and format or kind of error.
func parts(t *testing.T, src codec.Source) []string {
	t.Helper()
	var got []string
	for part, err := range formats.Each(src) {
		if err != nil {
			got = append(got, part.Source.Name+" "+string(memory.KindOf(err)))
			continue
		}
		r, err := part.Open(part.Source, codec.Options{Owner: "did:key:z6Mk"})
		if err != nil {
			t.Fatalf("%s: %v", part.Source.Name, err)
		}
		n := 0
		for ; err == nil; n++ {
			_, err = r.Next()
		}
		if err != io.EOF {
			t.Errorf("%s: %v", part.Source.Name, err)
		}
		got = append(got, fmt.Sprintf("%s %s %d", part.Source.Name, part.Format.Name, n-1))
	}
	return got
}

func TestEach(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"memory.jsonl":       graphLine,
		"export.json":        "[" + umpRecord + "]",
		"answer.txt":         list,
		"notes/MEMORY.md":    "",
		"notes/a.md":         note,
		"photos/cat.jpg":     "\xff\xd8",
		"letter.txt":         "Dear Ada,\nI remember.\n",
		"nothing.json":       "",
		"deep/er/than.jsonl": graphLine,
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src := codec.Source{Name: "folder", Tree: os.DirFS(dir)}
	if f, err := formats.Detect(src); err == nil {
		t.Fatalf("the folder is in %s as a whole", f.Name)
	}
	want := []string{
		"answer.txt paste 2", "deep unsupported", "export.json ump 1", "letter.txt unsupported",
		"memory.jsonl mcpmemory 1", "notes claudecode 1", "nothing.json unsupported", "photos unsupported",
	}
	if diff := cmp.Diff(want, parts(t, src)); diff != "" {
		t.Errorf("parts differ (-want +got):\n%s", diff)
	}
	t.Run("stops when told", func(t *testing.T) {
		n := 0
		for range formats.Each(src) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%d parts after the stop", n)
		}
	})
}

func TestMixed(t *testing.T) {
	for name, test := range map[string]struct {
		src  codec.Source
		want bool
	}{
		"known files, no known folder":  {folder("a.jsonl", graphLine, "b.json", umpRecord), true},
		"one known file":                {folder("a.jsonl", graphLine, "b.txt", "x"), true},
		"a known folder in one":         {folder("notes/MEMORY.md", "", "notes/a.md", note), true},
		"UMP and others":                {folder("a.ump.json", umpRecord, "b.jsonl", graphLine), true},
		"rules and others":              {folder("CLAUDE.md", "- Use tabs\n", "b.jsonl", graphLine), true},
		"rules and a file by its name":  {folder("CLAUDE.md", "- Use tabs\n", "b.aicf", "the pump hums\n"), true},
		"UMP alone":                     {folder("a.ump.json", umpRecord, "b.ump.md", "---\nump: \"0.1\"\n---\na\n"), false},
		"UMP beside what is nothing":    {folder("a.ump.json", umpRecord, "b.txt", "x"), false},
		"a memory folder":               {folder("MEMORY.md", "", "a.md", note), false},
		"a repository":                  {folder("CLAUDE.md", "- Use tabs\n", "README.md", "- Use tabs\n", "main.go", "x"), false},
		"a vault with a project's note": {folder(".obsidian/app.json", "{}", "a.md", "---\ntype: project\n---\nx\n"), false},
		"notes beside a vault":          {folder("bm/a.md", linked, "vault/.obsidian/app.json", "{}", "vault/b.md", "x", "c.md", "y"), true},
		"two exports":                   {folder("a/conversations.json", `[{"title":"a","mapping":{},"current_node":"x","conversation_id":"a","create_time":1}]`, "b/conversations.json", `[{"uuid":"b","chat_messages":[]}]`), true},
		"notes in folders":              {folder("bm/a.md", linked, "more/b.md", "x", "c.md", "y", "d.md", "z"), false},
		"a vault and what lies in it":   {folder(".obsidian/app.json", "{}", "a.md", "x", "b.jsonl", graphLine), false},
		"nothing known":                 {folder("b.txt", "x"), false},
		"nothing":                       {folder(), false},
		"a file":                        {file("a.jsonl", graphLine), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := formats.Mixed(test.src); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestEachOfNothing(t *testing.T) {
	for name, src := range map[string]codec.Source{
		"a file":          file("x", umpRecord),
		"neither":         {Name: "x"},
		"an empty folder": folder(),
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]string{" unsupported"}, parts(t, src)); diff != "" {
				t.Errorf("parts differ (-want +got):\n%s", diff)
			}
		})
	}
}

// closed is a folder that cannot be listed, or whose files cannot be opened.
type closed struct {
	fs.FS
	listed bool
}

func (c closed) Open(name string) (fs.File, error) {
	if name == "." && c.listed {
		return c.FS.Open(name)
	}
	return nil, fs.ErrPermission
}

func TestEachSaysWhatIsClosed(t *testing.T) {
	files := fstest.MapFS{"a.json": {Data: []byte(umpRecord)}}
	for name, test := range map[string]struct {
		tree fs.FS
		want string
	}{
		"the folder": {closed{FS: files}, ""},
		"a file":     {closed{FS: files, listed: true}, "a.json"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for part, err := range formats.Each(codec.Source{Name: "folder", Tree: test.tree}) {
				if n++; part.Source.Name != test.want || !errors.Is(err, fs.ErrPermission) {
					t.Errorf("got %q, %v", part.Source.Name, err)
				}
			}
			if n != 1 {
				t.Errorf("%d parts", n)
			}
		})
	}
}

// A project with the files of several assistants is one document for each of them.
func TestBeside(t *testing.T) {
	project := folder("AGENTS.md", "- Use tabs\n", ".cursorrules", "- Use Go\n", ".github/copilot-instructions.md", "- Be brief\n", "main.go", "x")
	if !formats.Mixed(project) {
		t.Error("a project is one document")
	}
	var got []string
	for part, err := range formats.Each(project) {
		got = append(got, part.Format.Name)
		if err != nil || part.Tree == nil {
			t.Errorf("%s: %v", part.Source.Name, err)
		}
	}
	if diff := cmp.Diff([]string{"claudecode", "cursor", "copilot"}, got); diff != "" {
		t.Error(diff)
	}
	for what, src := range map[string]codec.Source{
		"rules of one assistant": folder(".cursorrules", "- Use Go\n", "main.go", "x"),
		"a vault with rules":     folder(".obsidian/app.json", "{}", ".cursorrules", "- Use Go\n", "CLAUDE.md", "- Use tabs\n"),
		"a file":                 file(".cursorrules", "- Use Go\n"),
	} {
		if list := formats.Beside(src); len(list) > 1 {
			t.Errorf("%s: %d formats", what, len(list))
		}
	}
}

// The refusal of a folder of Markdown says how to import it.
func TestFolderIsTold(t *testing.T) {
	for name, want := range map[string]bool{"a.md": true, "docs/a.md": true, "a.txt": false} {
		_, err := formats.Detect(folder(name, "Dear Ada\n"))
		if err == nil || strings.Contains(err.Error(), "--from obsidian") != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
