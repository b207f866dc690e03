package markdown_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/text/markdown"
)

func TestFilesComeBack(t *testing.T) {
	for _, text := range []string{"", "a", "a\nb\n", "a\r\nb\r\n", "a\r\nb\n", "\ufeffa\r\n", "\ufeff", "a\rb", "\r\n"} {
		f, err := markdown.Parse([]byte(text))
		if err != nil || !bytes.Equal(f.Bytes(), []byte(text)) {
			t.Errorf("%q became %q, %v", text, f.Bytes(), err)
		}
	}
}

func TestDate(t *testing.T) {
	at := func(clock string) string { return "2026-01-02T" + clock + "Z" }
	for text, want := range map[string]string{
		"2026-01-02": at("00:00:00"), "2026-01-02 03:04": at("03:04:00"), "2026-01-02T03:04:05": at("03:04:05"),
		"2026-01-02 03:04:05.5": at("03:04:05.5"), "2026-01-02T03:04:05+01:00": at("02:04:05"), "2026-01-02 03:04:05+00:00": at("03:04:05"),
		"2026-02-30": "", "Friday": "", "": "", "02.01.2026": "", "2026-01-02 and on": "",
	} {
		got, ok := markdown.Date(text)
		if ok != (want != "") || ok && got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %v, %v; want %q", text, got, ok, want)
		}
	}
}

func TestTags(t *testing.T) {
	text := "# Head\n#a and #b/c, (#d) x#no #12 #e1\n#a #ünï ## #-"
	want := []string{"a", "b/c", "d", "e1", "ünï", "-"}
	if diff := cmp.Diff(want, markdown.Tags(text)); diff != "" {
		t.Errorf("tags differ (-want +got):\n%s", diff)
	}
	list := canon.Array(canon.String("a, b"), canon.Int(3), canon.Null())
	if got := markdown.List(list); !slices.Equal(got, []string{"a", "b", "3"}) {
		t.Errorf("the list is %q", got)
	}
}

func TestLinks(t *testing.T) {
	text := "[[Ada]] ![[pic.png|100]] `[[code]]` [[a#Head|x]] [[#here]] [[open [[inner]] | [[t\\|alias]]\n```\n[[fenced]]\n```\n"
	want := []markdown.Link{
		{Target: "Ada"}, {Target: "pic.png", Embed: true}, {Target: "a", Place: "Head"}, {Place: "here"}, {Target: "inner"}, {Target: "t"},
	}
	if diff := cmp.Diff(want, markdown.Links(text)); diff != "" {
		t.Errorf("links differ (-want +got):\n%s", diff)
	}
}

func TestFileName(t *testing.T) {
	for words, want := range map[string]string{
		"Use pnpm": "Use pnpm", "../../etc/passwd": "etc passwd", "con": "con memory", "COM1.x": "COM1 memory.x", "nul . a": "nul memory . a", "lpt²": "lpt² memory", "": "memory", "...": "memory",
		"a\x00b\nc": "a b c", "[[x]]|y#z": "x y z", "Ünïcödé 中文": "Ünïcödé 中文", "trailing. ": "trailing", "\u202e": "memory",
		strings.Repeat("word ", 40):      strings.TrimSpace(strings.Repeat("word ", 16)),
		strings.Repeat("é", 100):         strings.Repeat("é", 40),
		"a" + strings.Repeat("é", 100):   "a" + strings.Repeat("é", 39),
		"x" + strings.Repeat("/", 1<<20): "x",
	} {
		if got := markdown.FileName(words); got != want {
			t.Errorf("%.40q becomes %q, want %q", words, got, want)
		}
	}
	if got := markdown.Title("\n---\n# Head of it\nText"); got != "Head of it" {
		t.Errorf("the title is %q", got)
	}
}

func TestPlace(t *testing.T) {
	own := markdown.Seal("---\nwritten_by: satchel 00000000\n---\nold\n")
	for name, c := range map[string]struct {
		held, put string
		placed    bool
		now       string
	}{
		"nothing there":      {"", "new", true, "new"},
		"our own":            {own, "new", true, "new"},
		"our own, edited":    {own + "x", "new", false, own + "x"},
		"somebody's":         {"theirs", "new", false, "theirs"},
		"somebody's, alike":  {"new", "new", true, "new"},
		"says so in its end": {"x\n" + own, "new", false, "x\n" + own},
	} {
		t.Run(name, func(t *testing.T) {
			folder := importtest.Files{}
			if c.held != "" {
				folder["a.md"] = c.held
			}
			placed, err := markdown.Mark{}.Place(folder, "a.md", []byte(c.put))
			if err != nil || placed != c.placed || folder["a.md"] != c.now {
				t.Errorf("%v, %v, holds %q", placed, err, folder["a.md"])
			}
		})
	}
}
