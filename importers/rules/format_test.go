package rules_test

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/rules"
	"github.com/satchel-memory/satchel/memory"
)

// example is a tool with a file that it reads.
type example struct {
	codec.Format
	file, text string
}

// list returns every tool.
func list() []example {
	return []example{
		{rules.Cursor(), ".cursor/rules/ts.mdc", "---\ndescription: TS\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\n\n- Be strict.\n"},
		{rules.Windsurf(), ".windsurf/rules/ts.md", "---\ntrigger: glob\nglobs: **/*.ts\n---\nBe strict.\n"},
		{rules.Copilot(), ".github/instructions/ts.instructions.md", "---\napplyTo: \"**/*.ts\"\n---\nBe strict.\n"},
		{rules.Cline(), "memory-bank/projectbrief.md", "# Brief\n\nA shop.\n"},
	}
}

// beside names another file in the folder of the example.
func beside(one example, name string) string {
	folder, file := path.Split(one.file)
	return folder + name + file
}

func TestVectors(t *testing.T) {
	for _, one := range list() {
		t.Run(one.Name, func(t *testing.T) { importtest.Run(t, one.Format, "testdata/"+one.Name) })
	}
}

func TestSuite(t *testing.T) {
	for _, one := range list() {
		t.Run(one.Name, func(t *testing.T) {
			codectest.Suite{
				Format: one.Format, AsFolder: true, FreeText: true,
				Documents: []codectest.Document{{Name: "project", Data: []byte("-- " + one.file + " --\n" + one.text)}},
				Folder:    fstest.MapFS{one.file: {Data: []byte("x")}, beside(one, "u"): {Data: []byte("y")}},
				Exempt:    map[string]string{},
			}.Run(t)
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, one := range list() {
		for _, text := range importtest.Texts(f, "testdata/"+one.Name) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, one := range list() {
			src := importtest.Folder("project", map[string]string{one.file: text})
			one.Detect(src)
			records, _, err := importtest.Check(t, one.Format, src, importtest.Options())
			if err == nil {
				restored(t, one.Format, src, records)
			}
		}
	})
}

// restored writes the records of a folder, and compares every file.
func restored(t *testing.T, format codec.Format, src codec.Source, records []memory.Record) {
	t.Helper()
	files := importtest.Files{}
	importtest.WriteIn(t, format, files, importtest.Options(), records...)
	for name, got := range files {
		want, err := fs.ReadFile(src.Tree, name)
		if err != nil {
			continue // a file of ours, which has another name
		}
		if string(want) != got {
			t.Errorf("%s was\n%q\nis\n%q", name, want, got)
		}
	}
}

// Files come back byte for byte, at their places in the project.
func TestFilesComeBack(t *testing.T) {
	for _, one := range list() {
		for _, v := range importtest.Load(t, "testdata/"+one.Name) {
			records, _, err := importtest.Read(one.Format, v.Source, v.Options)
			if err == nil && v.Source.Tree != nil {
				restored(t, one.Format, v.Source, records)
			}
		}
		spelled := "\ufeff" + strings.ReplaceAll(one.text, "\n", "\r\n") + "\r\n\r\n"
		records, _, err := importtest.Read(one.Format, importtest.File(one.file[strings.LastIndex(one.file, "/")+1:], spelled), importtest.Options())
		if err != nil {
			t.Fatal(one.Name, err)
		}
		files := importtest.Files{}
		losses := importtest.WriteIn(t, one.Format, files, importtest.Options(), records...)
		if diff := cmp.Diff(importtest.Files{one.file: spelled}, files); diff != "" {
			t.Errorf("%s, lost %v (-want +got):\n%s", one.Name, losses, diff)
		}
	}
}

// Memories come back from the files that Satchel writes of them, and those files come back
// byte for byte.
func TestRecordsComeBack(t *testing.T) {
	for _, one := range list() {
		t.Run(one.Name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				files, losses := importtest.Carry(t, one.Format, importtest.Options(), importtest.Records(r)...)
				for _, l := range losses {
					if l.Pointer == "/body/text" || l.Pointer == "/kind" || strings.HasPrefix(l.Pointer, "/time") || l.Pointer == "/scope/project" {
						r.Fatalf("lost: %v of %v", l, files)
					}
				}
				if len(files) == 0 {
					return
				}
				again, _, err := importtest.Read(one.Format, files.Source(), importtest.Options())
				if err != nil {
					r.Fatal(err)
				}
				second := importtest.Files{}
				importtest.WriteIn(t, one.Format, second, importtest.Options(), again...)
				if diff := cmp.Diff(files, second); diff != "" {
					r.Fatalf("files differ (-first +second):\n%s", diff)
				}
			})
		})
	}
}

// A rule of one tool becomes a rule of another, for the same files.
func TestRulesChangeTools(t *testing.T) {
	cursor, copilot := list()[0], list()[2]
	records, _, err := importtest.Read(cursor.Format, importtest.Folder("project", map[string]string{cursor.file: cursor.text}), importtest.Options())
	if err != nil || len(records) != 1 || records[0].Kind != memory.Procedural {
		t.Fatal(err, records)
	}
	files := importtest.Files{}
	importtest.WriteIn(t, copilot.Format, files, importtest.Options(), records...)
	got := files[".github/instructions/Be strict.instructions.md"]
	for _, want := range []string{"\napplyTo: '*.ts,*.tsx'\n", "\ndescription: TS\n", "\nkind: procedural\n", "\n\n- Be strict.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %v", want, files)
		}
	}
	files = importtest.Files{}
	again, _, err := importtest.Read(copilot.Format, importtest.Folder("project", map[string]string{"copilot-instructions.md": got}), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	importtest.WriteIn(t, cursor.Format, files, importtest.Options(), again...)
	if got := files[".cursor/rules/Be strict.mdc"]; !strings.Contains(got, "\nglobs: *.ts,*.tsx\n") {
		t.Errorf("%v", files)
	}
}

// Cline reads rules in .clinerules and knowledge in memory-bank: each memory goes where it is
// read. If .clinerules is a file, rules go to the memory bank as well.
func TestClineRulesHaveTheirPlace(t *testing.T) {
	records := func(folder map[string]string) []memory.Record {
		t.Helper()
		list, _, err := importtest.Read(rules.Cline(), importtest.Folder("project", folder), importtest.Options())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	own := func(text string, kind memory.Kind) memory.Record {
		r := records(map[string]string{"memory-bank/techContext.md": text})[0]
		r.Kind, r.Body.Structured = kind, nil
		return r
	}
	list := []memory.Record{own("Use tabs.", memory.Procedural), own("A carpenter.", memory.Identity), own("The till.", memory.Working), own("Tea.", memory.Semantic)}
	files := importtest.Files{}
	importtest.WriteIn(t, rules.Cline(), files, importtest.Options(), list...)
	want := []string{".clinerules/A carpenter.md", ".clinerules/Use tabs.md", "memory-bank/Tea.md", "memory-bank/The till.md"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	again := records(files)
	for i, kind := range []memory.Kind{memory.Identity, memory.Procedural} {
		if !slices.ContainsFunc(again, func(r memory.Record) bool { return r.Kind == kind }) {
			t.Errorf("%d: none is %s: %v", i, kind, again)
		}
	}

	files = importtest.Files{".clinerules": "Be brief."}
	importtest.WriteIn(t, rules.Cline(), files, importtest.Options(), list[0])
	if len(files) != 2 || files["memory-bank/Use tabs.md"] == "" {
		t.Errorf("beside a file .clinerules: %v", files)
	}
	files = importtest.Files{}
	importtest.WriteIn(t, rules.Cline(), files, importtest.Options(), append(records(map[string]string{".clinerules": "Be brief."}), list[0])...)
	if len(files) != 2 || files[".clinerules"] != "Be brief." || files["memory-bank/Use tabs.md"] == "" {
		t.Errorf("with a file .clinerules: %v", files)
	}
}

// An edited memory gets a file of its own, and files of others stay.
func TestEditsWin(t *testing.T) {
	for _, one := range list() {
		records, _, err := importtest.Read(one.Format, importtest.Folder("project", map[string]string{one.file: one.text}), importtest.Options())
		if err != nil {
			t.Fatal(err)
		}
		records[0].Body.Text = "Be kind."
		files := importtest.Files{one.file: one.text}
		importtest.WriteIn(t, one.Format, files, importtest.Options(), records...)
		if len(files) != 2 || files[one.file] != one.text {
			t.Errorf("%s: %v", one.Name, files)
		}
		for name, data := range files {
			if one.Wrote(name, []byte(data)) == (name == one.file) {
				t.Errorf("%s: whose is %s?", one.Name, name)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, one := range list() {
		name := strings.ToUpper(one.Name)
		long := importtest.Options()
		long.Limits.Files = 1
		for what, test := range map[string]struct {
			src  codec.Source
			opt  codec.Options
			rule string
		}{
			"a file that is not UTF-8": {importtest.File("a.md", "a\n\xff"), importtest.Options(), name + "-1"},
			"a folder of others":       {importtest.Folder("f", map[string]string{"README.md": "x"}), importtest.Options(), name + "-8"},
			"neither file nor folder":  {codec.Source{Name: "none"}, importtest.Options(), name + "-8"},
			"more files than allowed":  {importtest.Folder("f", map[string]string{one.file: "x", beside(one, "u"): "y"}), long, name + "-7"},
		} {
			_, _, err := importtest.Check(t, one.Format, test.src, test.opt)
			if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != test.rule {
				t.Errorf("%s, %s: %v", one.Name, what, err)
			}
		}
		undated := codec.Source{Name: "project", Tree: fstest.MapFS{one.file: {Data: []byte("x")}}}
		_, _, err := importtest.Read(one.Format, undated, codec.Options{Owner: importtest.Options().Owner})
		if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != name+"-9" || p.File != one.file {
			t.Errorf("%s: what nothing dates: %v", one.Name, err)
		}
		if _, err = one.Open(undated, codec.Options{}); err == nil {
			t.Errorf("%s: rules of nobody are read", one.Name)
		}
	}
}

// Recognition goes by name and content; what only looks alike is left to other formats.
func TestDetect(t *testing.T) {
	folder := func(files ...string) codec.Source {
		all := map[string]string{}
		for _, name := range files {
			all[name] = "x"
		}
		return importtest.Folder("project", all)
	}
	for what, test := range map[string]struct {
		src  codec.Source
		want string
	}{
		"the older file of Cursor":     {importtest.File(".cursorrules", "- x"), "cursor"},
		"a rule of Cursor":             {importtest.File("a.mdc", "---\nglobs: *.ts\n---\nx"), "cursor"},
		"another .mdc":                 {importtest.File("a.mdc", "---\ntitle: a\n---\nx"), ""},
		"the older file of Windsurf":   {importtest.File(".windsurfrules", "- x"), "windsurf"},
		"a rule of Windsurf":           {importtest.File("a.md", "---\ntrigger: always_on\n---\nx"), "windsurf"},
		"another Markdown":             {importtest.File("a.md", "---\ntitle: a\n---\nx"), ""},
		"instructions":                 {importtest.File("copilot-instructions.md", "x"), "copilot"},
		"instructions for some files":  {importtest.File("a.instructions.md", "---\napplyTo: '*'\n---\nx"), "copilot"},
		"other instructions":           {importtest.File("a.instructions.md", "x"), ""},
		"a file of a memory bank":      {importtest.File("activeContext.md", "x"), "cline"},
		"somebody's progress":          {importtest.File("progress.md", "x"), ""},
		"an empty file":                {importtest.File(".cursorrules", " "), ""},
		"a memory bank":                {folder("memory-bank/projectbrief.md"), "cline"},
		"a folder called memory-bank":  {folder("memory-bank/a.md"), ""},
		"the memory bank itself":       {folder("projectbrief.md", "techContext.md"), "cline"},
		"one file of such a name":      {folder("projectbrief.md", "progress.md", "README.md"), ""},
		"the folder of Cursor":         {folder("rules/a.mdc"), "cursor"},
		"the folder of GitHub":         {folder("instructions/a.instructions.md"), "copilot"},
		"rules of nobody":              {folder("rules/a.md"), ""},
		"a repository without any":     {folder("README.md", ".github/workflows/a.yml", ".cursor/mcp.json"), ""},
		"global rules of Windsurf":     {folder("memories/global_rules.md"), "windsurf"},
		"a folder in place of a file":  {folder(".cursorrules/a.md"), ""},
		"something that is no file":    {codec.Source{Name: ".cursorrules"}, ""},
		"a rule in a folder of Cursor": {folder(".cursor/rules/web/a.mdc"), "cursor"},
		"rules in folders only":        {folder("README.md", "packages/web/.cursor/rules/a.mdc"), "cursor"},
		"rules of what it depends on":  {folder("README.md", "node_modules/x/.cursor/rules/a.mdc"), ""},
	} {
		got := ""
		for _, one := range list() {
			if one.Detect(test.src) > codec.No {
				got += one.Name
			}
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", what, got, test.want)
		}
	}
}

func TestDeclared(t *testing.T) {
	for _, one := range list() {
		src := importtest.Folder("project", map[string]string{
			one.file: one.text, beside(one, "a"): "y", beside(one, "b"): "\xff", beside(one, "c"): "", beside(one, "d"): "---\na: &x\n---\nb",
			beside(one, "e"): "---\ncreated: 2024-03-01\n---\nb",
		})
		records, given, err := importtest.Read(one.Format, src, importtest.Options())
		if err != nil || len(records) == 0 {
			t.Fatal(one.Name, err)
		}
		tombstone, blank, long := records[0], records[0], records[0]
		tombstone.Lifecycle.Status, blank.Body.Text, long.Body.Text = memory.Tombstoned, " ", strings.Repeat("x", 2<<20)
		learnt := records[slices.IndexFunc(records, func(r memory.Record) bool { return r.Time.Created.Year() == 2024 })]
		learnt.ID, learnt.Time.ValidFrom = "urn:ump:a", learnt.Time.Created
		given = append(given, importtest.WriteIn(t, one.Format, importtest.Files{one.file: "other"}, importtest.Options(), records...)...)
		given = append(given, importtest.WriteIn(t, one.Format, importtest.Files{}, importtest.Options(), learnt, tombstone, blank, long)...)
		importtest.Declared(t, one.Format, "testdata/"+one.Name, given...)
	}
}

// A project may have rules in its folders, and none of its own.
func TestRulesInFoldersOnly(t *testing.T) {
	src := importtest.Folder("project", map[string]string{"README.md": "A shop.", "packages/web/.cursor/rules/react.mdc": "Functions only.", "packages/web/.cursor/mcp.json": "{}"})
	r, err := rules.Cursor().Open(src, codec.Options{Owner: "did:example:sam"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	rec, err := r.Next()
	if err != nil || rec.Body.Text != "Functions only." {
		t.Errorf("got %q, %v", rec.Body.Text, err)
	}
}
