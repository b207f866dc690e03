package obsidian_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/obsidian"
)

func TestVectors(t *testing.T) { importtest.Run(t, obsidian.Format(), "testdata") }

func TestSuite(t *testing.T) {
	codectest.Suite{
		Format: obsidian.Format(), AsFolder: true, FreeText: true,
		Documents: []codectest.Document{{Name: "vault", Data: []byte("-- .obsidian/app.json --\n{}\n-- Ines.md --\n---\ntags: [a]\n---\nLikes [[Tea]].\n")}},
		Folder:    fstest.MapFS{"a.md": {Data: []byte("x")}, "b.md": {Data: []byte("y")}},
		Exempt:    map[string]string{},
	}.Run(t)
}

// The first byte decides whether the text is a note in a vault or a file.
func FuzzRead(f *testing.F) {
	for _, text := range importtest.Texts(f, "testdata") {
		f.Add(false, text)
		f.Add(true, text)
	}
	f.Fuzz(func(t *testing.T, vault bool, text string) {
		src := importtest.File("Ines.md", text)
		if vault {
			src = importtest.Folder("vault", map[string]string{".obsidian/app.json": "{}", "2026-01-02.md": text, "a/Ines.md": text})
		}
		obsidian.Format().Detect(src)
		records, _, err := importtest.Check(t, obsidian.Format(), src, importtest.Options())
		if err == nil && vault {
			restored(t, src, records)
		}
	})
}

func TestRefusedFiles(t *testing.T) {
	for name, test := range map[string]struct {
		src      codec.Source
		rule, at string
	}{
		"a note that is not UTF-8": {importtest.File("a.md", "a\n\xff"), "OBSIDIAN-1", "line 2"},
		"a folder of others":       {importtest.Folder("f", map[string]string{"a.png": "x"}), "OBSIDIAN-8", ""},
		"neither file nor folder":  {codec.Source{Name: "none"}, "OBSIDIAN-8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := importtest.Check(t, obsidian.Format(), test.src, importtest.Options())
			if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != test.rule || p.Path != test.at {
				t.Errorf("got %v, want %s at %q", err, test.rule, test.at)
			}
		})
	}
}

func TestDates(t *testing.T) {
	opt := importtest.Options()
	opt.Now = nil
	src := codec.Source{Name: "v", Tree: fstest.MapFS{".obsidian/app.json": {}, "a.md": {Data: []byte("x")}}}
	_, _, err := importtest.Read(obsidian.Format(), src, opt)
	if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "OBSIDIAN-9" || p.File != "a.md" {
		t.Errorf("a note that nothing dates: %v", err)
	}
	src.Tree.(fstest.MapFS)["a.md"].Data = []byte("---\ncreated: 2024-01-02\nmodified: 2024-01-03\n---\nx")
	records, _, err := importtest.Read(obsidian.Format(), src, opt)
	if err != nil || records[0].Time.Created.Day() != 2 || records[0].Time.Observed.Day() != 3 {
		t.Errorf("%+v, %v", records, err)
	}
	opt.Owner = ""
	if _, _, err = importtest.Read(obsidian.Format(), src, opt); err == nil {
		t.Error("notes of nobody are read")
	}
}

func TestStrictBindsOnlyValidate(t *testing.T) {
	src, opt := importtest.Folder("v", map[string]string{"a.md": "---\n- a\n---\nText [[b]].\n"}), importtest.Options()
	opt.Strict = true
	if _, _, err := importtest.Read(obsidian.Format(), src, opt); err != nil {
		t.Error(err)
	}
	var rules []string
	if err := obsidian.Format().Validate(src, opt, func(p *codec.ParseError) { rules = append(rules, p.Rule) }); err != nil || len(rules) != 1 || rules[0] != "OBSIDIAN-2" {
		t.Errorf("%v, %v", rules, err)
	}
}
