package claudecode_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/claudecode"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

const note = "---\nname: tabs\ntype: feedback\n---\nUse tabs.\n"

func TestVectors(t *testing.T) { importtest.Run(t, claudecode.Format(), "testdata") }

// The first byte decides what kind of file the name gives the text.
func FuzzRead(f *testing.F) {
	for _, text := range importtest.Texts(f, "testdata") {
		for as := range byte(4) {
			f.Add(as, text)
		}
	}
	f.Fuzz(func(t *testing.T, as byte, text string) {
		var src codec.Source
		switch as % 4 {
		case 0:
			src = importtest.File("CLAUDE.md", text)
		case 1:
			src = importtest.File("MEMORY.md", text)
		case 2:
			src = importtest.Folder("memory", map[string]string{"MEMORY.md": "", "a.md": text})
		default:
			src = importtest.Folder("app", map[string]string{"CLAUDE.md": text, "a.md": text, "docs/b.md": "@../a.md"})
		}
		claudecode.Format().Detect(src)
		importtest.Check(t, claudecode.Format(), src, importtest.Options())
	})
}

func read(t *testing.T, src codec.Source) ([]memory.Record, []codec.Loss, error) {
	t.Helper()
	return importtest.Check(t, claudecode.Format(), src, importtest.Options())
}

func TestSpellingsOfLines(t *testing.T) {
	for name, text := range map[string]string{
		"no line end at the end": strings.TrimSuffix(note, "\n"),
		"CR LF":                  strings.ReplaceAll(note, "\n", "\r\n"),
		"byte order mark":        "\ufeff" + note,
		"spaces after dashes":    strings.Replace(note, "---\nU", "--- \t\nU", 1),
	} {
		t.Run(name, func(t *testing.T) {
			records, losses, err := read(t, importtest.File("tabs.md", text))
			if err != nil || len(records) != 1 || len(losses) != 0 || records[0].Body.Text != "Use tabs." || records[0].Kind != memory.Procedural {
				t.Errorf("got %+v, %v, %v", records, losses, err)
			}
		})
	}
	t.Run("rules with CR LF", func(t *testing.T) {
		records, _, err := read(t, importtest.File("CLAUDE.md", "# T\r\n- a\r\n  b\r\n\r\n- c\r\n"))
		if err != nil || len(records) != 2 || records[0].Body.Text != "a\nb" {
			t.Errorf("got %+v, %v", records, err)
		}
	})
}

func TestRefusedFiles(t *testing.T) {
	for name, test := range map[string]struct {
		src      codec.Source
		rule, at string
	}{
		"rules that are not UTF-8":  {importtest.File("CLAUDE.md", "- a\n- \xff\n"), "CLAUDE-1", "line 2"},
		"a note that is not UTF-8":  {importtest.Folder("f", map[string]string{"memory/a.md": note + "\xff"}), "CLAUDE-1", "memory/a.md line 6"},
		"an index that is not":      {importtest.Folder("f", map[string]string{"MEMORY.md": "\xff"}), "CLAUDE-1", "MEMORY.md line 1"},
		"control characters":        {importtest.File("a.md", "---\ntype: user\nname: \x01\n---\nText."), "CLAUDE-2", "line 2"},
		"an empty folder":           {importtest.Folder("f", nil), "CLAUDE-8", ""},
		"neither file nor folder":   {codec.Source{Name: "none"}, "CLAUDE-8", ""},
		"a folder of other folders": {importtest.Folder("f", map[string]string{"a/b/memory/c.md": note}), "CLAUDE-8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := read(t, test.src)
			if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != test.rule || strings.TrimSpace(p.File+" "+p.Path) != test.at {
				t.Errorf("got %v, want %s at %q", err, test.rule, test.at)
			}
		})
	}
}

func TestImportedBinaryIsALoss(t *testing.T) {
	src := importtest.Folder("app", map[string]string{"CLAUDE.md": "- Use tabs\n@logo.md\n", "logo.md": "\x89PNG\xff"})
	records, losses, err := read(t, src)
	if err != nil || len(records) != 1 || len(losses) != 1 || losses[0].Pointer != "logo.md" {
		t.Errorf("got %d records, %v, %v", len(records), losses, err)
	}
}

func TestDates(t *testing.T) {
	now := time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	own := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		own, source time.Time
		now         func() time.Time
		want        time.Time
	}{
		"the file's own":           {own, importtest.Modified(), clock, own},
		"the source's":             {time.Time{}, importtest.Modified(), clock, importtest.Modified()},
		"the clock's":              {time.Time{}, time.Time{}, clock, now},
		"none of them is refused":  {},
		"the file's own, no clock": {own, time.Time{}, nil, own},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{"memory/tabs.md": {Data: []byte(note), ModTime: test.own, Mode: 0o600}}
			opt := importtest.Options()
			opt.Now = test.now
			records, _, err := importtest.Read(claudecode.Format(), codec.Source{Name: "f", Tree: tree, Modified: test.source}, opt)
			if test.want.IsZero() {
				importtest.Breaks(t, err, "CLAUDE-9")
			} else if err != nil || !records[0].Time.Created.Equal(test.want) {
				t.Errorf("got %v, %v", records, err)
			}
		})
	}
	t.Run("no owner is refused", func(t *testing.T) {
		opt := importtest.Options()
		opt.Owner = ""
		_, _, err := importtest.Read(claudecode.Format(), importtest.File("tabs.md", note), opt)
		importtest.Breaks(t, err, "CLAUDE-9")
	})
}

// A given project name applies to one folder of notes; the project of several is unknown.
func TestProjectOfNotes(t *testing.T) {
	one := map[string]string{"projects/-home-ada-app/memory/tabs.md": note}
	two := map[string]string{"projects/-home-ada-web/memory/tabs.md": note, "projects/-home-ada-app/memory/tabs.md": note}
	for name, test := range map[string]struct {
		files   map[string]string
		project string
		losses  int
	}{
		"one folder, named":         {one, "github.com/ada/app", 0},
		"one folder, not named":     {one, "", 1},
		"several folders, named":    {two, "github.com/ada/app", 2},
		"several, none of it named": {two, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			opt := importtest.Options()
			opt.Project = test.project
			records, losses, err := importtest.Read(claudecode.Format(), importtest.Folder("f", test.files), opt)
			if err != nil || len(losses) != test.losses || records[0].Scope.Project != test.project {
				t.Errorf("got %v, %v, %v", records, losses, err)
			}
		})
	}
}

// Additions, moves and touched files change nothing that merging compares.
func TestGrownFilesRepeatTheirRecords(t *testing.T) {
	before := importtest.Folder("f", map[string]string{"CLAUDE.md": "# App\n## Style\n- Tabs\n\nShort names.\n", "memory/a.md": note})
	after := importtest.Folder("g", map[string]string{
		"CLAUDE.md":      "Intro.\n# App\n## New\n1. First\n## Style\n- Spaces never\n- Tabs\n\nShort names.\n",
		"memory/a.md":    note,
		"memory/b.md":    note,
		"memory/README":  "x",
		"docs/memory.md": "y",
	})
	after.Modified = after.Modified.Add(time.Hour)
	old, _, err := read(t, before)
	if err != nil {
		t.Fatal(err)
	}
	grown, _, err := read(t, after)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, r := range grown {
		have[string(r.Kind)+r.Body.Text+string(r.Body.Structured)] = true
	}
	for _, r := range old {
		if !have[string(r.Kind)+r.Body.Text+string(r.Body.Structured)] {
			t.Errorf("%q is not repeated as it was", r.Body.Text)
		}
	}
}

// Unusual data does not keep a file from being read.
func TestStrictBindsOnlyValidate(t *testing.T) {
	src, opt := importtest.File("a.md", strings.Replace(note, "name:", "more: 1\nname:", 1)), importtest.Options()
	opt.Strict = true
	if records, _, err := importtest.Read(claudecode.Format(), src, opt); err != nil || len(records) == 0 {
		t.Errorf("got %d records, %v", len(records), err)
	}
	if len(importtest.Violations(t, claudecode.Format(), src, opt)) == 0 {
		t.Error("validating reports nothing")
	}
}

func TestValidateReportsEverything(t *testing.T) {
	src := importtest.Folder("f", map[string]string{
		"CLAUDE.md":   "- fine\n- far too long for that\n## far too long as well\n- fine\n",
		"memory/a.md": "---\ntype: user\nname: &a x\nname: y\nmore: *a\n---\nText.\n",
		"memory/b.md": "---\ntype: [user]\n",
		"memory/c.md": "---\ntype: feedback\nsince: 2025\n---\nfine\n",
		"memory/d.md": "---\ntype: feedback\nname: {}\n---\nfine\n",
	})
	want := []string{
		"CLAUDE-7 CLAUDE.md line 3", "CLAUDE-7 CLAUDE.md line 2",
		"CLAUDE-2 memory/a.md line 3", "CLAUDE-2 memory/a.md line 4", "CLAUDE-2 memory/a.md line 5",
		"CLAUDE-2 memory/b.md line 1",
		"CLAUDE-3 memory/d.md line 2",
	}
	limits := codec.Limits{Text: 12, Name: 12}
	if diff := cmp.Diff(want, importtest.Violations(t, claudecode.Format(), src, codec.Options{Limits: limits})); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
	strict := append(want[:5:5], "CLAUDE-3 memory/a.md line 2", want[5], "CLAUDE-3 memory/c.md line 2", want[6])
	if diff := cmp.Diff(strict, importtest.Violations(t, claudecode.Format(), src, codec.Options{Limits: limits, Strict: true})); diff != "" {
		t.Errorf("strict violations differ (-want +got):\n%s", diff)
	}
}

// block is a block in a file of rules.
const block = "<!-- satchel:begin -->\n## Memory\n- \"Use tabs\"\n<!-- satchel:end -->\n"

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		src  codec.Source
		want codec.Confidence
	}{
		"a note":                    {importtest.File("x", note), codec.Likely},
		"a note, type in metadata":  {importtest.File("x", "---\nmetadata:\n  type: user\n---\nText\n"), codec.Likely},
		"rules by name":             {importtest.File("CLAUDE.md", "- Use tabs\n"), codec.Possible},
		"rules cut in a rune":       {importtest.File("AGENTS.md", strings.Repeat("x", 64<<10-1)+"é"), codec.Possible},
		"an index by name":          {importtest.File("MEMORY.md", "- [Tabs](tabs.md)\n"), codec.Possible},
		"other Markdown":            {importtest.File("notes.md", "- Use tabs\n"), codec.No},
		"a block":                   {importtest.File("x.txt", "Text\n"+block), codec.Likely},
		"a block with CR LF":        {importtest.File("x.txt", strings.ReplaceAll(block, "\n", "\r\n")), codec.Likely},
		"a mark in a list":          {importtest.File("x.txt", "```\n[2025-03-01] - <!-- satchel:begin -->\n[2025-03-01] - <!-- satchel:end -->\n```\n"), codec.No},
		"marks in a fence":          {importtest.File("x.txt", "```\n"+block+"```\n"), codec.No},
		"marks that are indented":   {importtest.File("x.txt", "- a\n  "+strings.ReplaceAll(block, "\n", "\n  ")), codec.No},
		"a mark without its end":    {importtest.File("x.txt", "<!-- satchel:begin -->\n- \"a\"\n"), codec.No},
		"an agent or a skill":       {importtest.File("SKILL.md", "---\nname: a\ndescription: b\n---\nText\n"), codec.No},
		"another type":              {importtest.File("post.md", "---\ntype: post\n---\nText\n"), codec.No},
		"a binary named like rules": {importtest.File("CLAUDE.md", "\xff\xfe"), codec.No},
		"an empty file":             {importtest.File("CLAUDE.md", ""), codec.No},
		"a memory folder":           {importtest.Folder("memory", map[string]string{"MEMORY.md": ""}), codec.Likely},
		"notes without an index":    {importtest.Folder("memory", map[string]string{"a.md": note}), codec.Likely},
		"a tree of projects":        {importtest.Folder("p", map[string]string{"-home-x/memory/a.md": note}), codec.Likely},
		"the folder .claude":        {importtest.Folder(".claude", map[string]string{"projects/-x/memory/a.md": note}), codec.Likely},
		"a repository":              {importtest.Folder("app", map[string]string{"CLAUDE.md": "x", "main.go": "x"}), codec.Possible},
		"other folders":             {importtest.Folder("app", map[string]string{"README.md": "x", "memory/a.md": "x"}), codec.No},
		"nothing":                   {codec.Source{}, codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := claudecode.Format().Detect(test.src); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// closed is a folder in which some names cannot be opened.
type closed struct {
	fs.FS
	name string
}

var errClosed = errors.New("closed")

func (c closed) Open(name string) (fs.File, error) {
	if name == c.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errClosed}
	}
	return c.FS.Open(name)
}

func TestWhatCannotBeOpened(t *testing.T) {
	files := importtest.Folder("f", map[string]string{
		"CLAUDE.md": "- Use tabs\n@docs/a.md\n", "docs/a.md": "x", "memory/MEMORY.md": "", "memory/a.md": note,
	})
	for name, test := range map[string]struct {
		closed string
		losses int
		err    error
	}{
		"rules are a loss":         {"CLAUDE.md", 1, nil},
		"a note is an error":       {"memory/a.md", 0, errClosed},
		"a folder is a loss":       {"memory", 1, nil},
		"an import is a loss":      {"docs/a.md", 1, nil},
		"what is not read is none": {"docs/b.md", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src := files
			src.Tree = closed{files.Tree, test.closed}
			_, losses, err := importtest.Read(claudecode.Format(), src, importtest.Options())
			if !errors.Is(err, test.err) || len(losses) != test.losses {
				t.Errorf("got %v, %v", losses, err)
			}
			if _, ok := errors.AsType[*codec.ParseError](err); ok {
				t.Errorf("%v is told as a violation", err)
			}
		})
	}
}

// Hostile texts take no more than their share of time.
func TestHostileTextsEnd(t *testing.T) {
	var ticks strings.Builder
	for n := 1; n < 2500; n++ {
		ticks.WriteString("x" + strings.Repeat("`", n))
	}
	for name, text := range map[string]string{
		"backticks of every length": "@a.b " + ticks.String(),
		"one backtick each":         "@a.b " + strings.Repeat("` ", 1<<20),
		"comments":                  strings.Repeat("<!---->", 1<<19),
		"open links":                note + strings.Repeat("[[", 1<<18),
		"nested links":              note + strings.Repeat("[[", 1<<18) + strings.Repeat("]]", 1<<18),
		"headings":                  strings.Repeat("# a\n", 1<<19),
		"nested bullets":            strings.Repeat("- ", 1<<20),
		"quotes":                    strings.Repeat("\n> a", 1<<19),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			importtest.Read(claudecode.Format(), importtest.File("CLAUDE.md", text), importtest.Options())
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/claude-code")
	if got := claudecode.Format().Detect(src); got != codec.Likely {
		t.Errorf("detected as %v", got)
	}
	opt := importtest.Options()
	opt.Project = "github.com/sam/proj"
	records, losses, err := importtest.Check(t, claudecode.Format(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		got = append(got, string(r.Kind)+" "+strings.SplitN(r.Body.Text, "\n", 2)[0])
	}
	want := []string{"procedural Use pnpm", "procedural Use pnpm, never npm.", "identity Sam is a Go developer in Hanoi."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records differ (-want +got):\n%s", diff)
	}
	var lost []string
	for _, l := range losses {
		lost = append(lost, l.Pointer)
	}
	index := ".claude/projects/-home-sam-proj/memory/MEMORY.md line:"
	if want := []string{"CLAUDE.md line:3", index + "1", index + "2"}; !slices.Equal(lost, want) {
		t.Errorf("losses are %v", losses)
	}
}

// A note has the same name from wherever it is imported, whatever its text.
func TestNoteIsKnownAgain(t *testing.T) {
	before, after := "---\nname: tabs\ntype: feedback\n---\nUse tabs.\n", "---\nname: tabs\ntype: feedback\n---\nUse spaces.\n"
	const known = "-home-ada-app/memory/tabs.md"
	for name, test := range map[string]struct {
		src  func(text string) codec.Source
		want string
	}{
		"the home folder": {func(text string) codec.Source {
			return importtest.Folder("ada", map[string]string{".claude/projects/-home-ada-app/memory/tabs.md": text})
		}, known},
		"the settings folder": {func(text string) codec.Source {
			return importtest.Folder(".claude", map[string]string{"projects/-home-ada-app/memory/tabs.md": text})
		}, known},
		"the folder of projects": {func(text string) codec.Source {
			return importtest.Folder("projects", map[string]string{"-home-ada-app/memory/tabs.md": text})
		}, known},
		"the folder of the project": {func(text string) codec.Source {
			return importtest.Folder("-home-ada-app", map[string]string{"memory/tabs.md": text})
		}, known},
		"the folder of notes": {func(text string) codec.Source {
			return importtest.Folder("memory", map[string]string{"tabs.md": text})
		}, "tabs.md"},
		"the note": {func(text string) codec.Source { return importtest.File("tabs.md", text) }, "tabs.md"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{before, after} {
				records, _, err := importtest.Read(claudecode.Format(), test.src(text), importtest.Options())
				if err != nil || len(records) != 1 {
					t.Fatalf("got %d records, %v", len(records), err)
				}
				if got := records[0].Provenance.Source; got.Provider != "claude-code" || got.Ref != test.want {
					t.Errorf("the note is %s of %s, want %s", got.Ref, got.Provider, test.want)
				}
			}
		})
	}
}
