package basicmemory_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/basicmemory"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, basicmemory.Format(), "testdata") }

const coffee = "---\ntitle: Coffee\ntype: note\npermalink: drinks/coffee\n---\nMorning.\n\n- [fact] Hot #drink (so far)\n- part_of [[Breakfast]]\n"

func TestSuite(t *testing.T) {
	codectest.Suite{
		Format: basicmemory.Format(), AsFolder: true, FreeText: true,
		Documents: []codectest.Document{{Name: "notes", Data: []byte("-- drinks/Coffee.md --\n" + coffee)}},
		Folder:    fstest.MapFS{"a.md": {Data: []byte("x")}, "b.md": {Data: []byte("y")}},
		Exempt:    map[string]string{"Depth": "the properties of a record without tags are plain words"},
	}.Run(t)
}

func FuzzRead(f *testing.F) {
	for _, text := range importtest.Texts(f, "testdata") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		basicmemory.Format().Detect(importtest.File("Coffee.md", text))
		src := importtest.Folder("notes", map[string]string{"drinks/Coffee.md": text, "b.md": strings.ReplaceAll(coffee, "drinks/", "other/")})
		basicmemory.Format().Detect(src)
		records, _, err := importtest.Check(t, basicmemory.Format(), src, importtest.Options())
		if err == nil {
			restored(t, src, records)
		}
	})
}

func TestRefused(t *testing.T) {
	nobody, undated := importtest.Options(), importtest.Options()
	nobody.Owner, undated.Now = "", nil
	for name, test := range map[string]struct {
		src      codec.Source
		opt      codec.Options
		rule, at string
	}{
		"a note that is not UTF-8": {importtest.File("a.md", "a\n\xff"), importtest.Options(), "BASICMEM-1", "line 2"},
		"neither file nor folder":  {codec.Source{Name: "none"}, importtest.Options(), "BASICMEM-8", ""},
		"notes of nobody":          {importtest.File("a.md", coffee), nobody, "BASICMEM-9", ""},
		"a note without a date":    {codec.Source{Name: "n", Tree: fstest.MapFS{"a.md": {Data: []byte(coffee)}}}, undated, "BASICMEM-9", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := importtest.Read(basicmemory.Format(), test.src, test.opt)
			if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != test.rule || p.Path != test.at {
				t.Errorf("got %v, want %s at %q", err, test.rule, test.at)
			}
		})
	}
}

func TestStrictBindsOnlyValidate(t *testing.T) {
	src, opt := importtest.File("a.md", "---\npermalink: [a\n---\nText.\n"), importtest.Options()
	opt.Strict = true
	if _, _, err := importtest.Read(basicmemory.Format(), src, opt); err != nil {
		t.Error(err)
	}
	var rules []string
	if err := basicmemory.Format().Validate(src, opt, func(p *codec.ParseError) { rules = append(rules, p.Rule) }); err != nil || len(rules) != 1 || rules[0] != "BASICMEM-2" {
		t.Errorf("%v, %v", rules, err)
	}
}
