package paste_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/paste"
	"github.com/satchel-memory/satchel/memory"
)

func TestVectors(t *testing.T) { importtest.Run(t, paste.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, paste.Format(), "memory.txt", "testdata") }

func read(t *testing.T, text string) ([]memory.Record, error) {
	t.Helper()
	records, _, err := importtest.Check(t, paste.Format(), importtest.File("memory.txt", text), importtest.Options())
	return records, err
}

func TestRefusalShowsTheShape(t *testing.T) {
	_, err := read(t, "Nothing to see.\n")
	for _, line := range []string{"[2025-03-01] - Lives in Porto", "- Lives in Porto"} {
		if err == nil || !strings.Contains(err.Error(), "\t"+line) {
			t.Fatalf("%v does not show %q", err, line)
		}
		if records, err := read(t, line); err != nil || len(records) != 1 || records[0].Body.Text != "Lives in Porto" {
			t.Errorf("%q is read as %v, %v", line, records, err)
		}
	}
}

func TestSpellingsOfLines(t *testing.T) {
	for name, text := range map[string]string{
		"no line end at the end": "[2025-03-01] - One.\n[2025-03-01] - Two.",
		"CR LF":                  "```\r\n[2025-03-01] - One.\r\n[2025-03-01] - Two.\r\n```\r\n",
		"byte order mark":        "\ufeff[2025-03-01] - One.\n[2025-03-01] - Two.\n",
		"trailing spaces":        "[2025-03-01] - One.  \n[2025-03-01] - Two.\t\n",
	} {
		t.Run(name, func(t *testing.T) {
			records, err := read(t, text)
			if err != nil || len(records) != 2 || records[0].Body.Text != "One." || records[1].Body.Text != "Two." {
				t.Errorf("got %+v, %v", records, err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for name, test := range map[string]struct{ text, rule, path string }{
		"nothing at all":          {"", "PASTE-2", ""},
		"invalid UTF-8":           {"[2025-03-01] - One.\n[2025-03-01] - \xff.\n", "PASTE-1", "line 2"},
		"UTF-16":                  {"\xff\xfe[\x002\x00", "PASTE-1", "line 1"},
		"a byte of a longer rune": {"[2025-03-01] - caf\xc3", "PASTE-1", "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, test.text)
			if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != test.rule || p.Path != test.path {
				t.Errorf("got %v, want %s at %q", err, test.rule, test.path)
			}
		})
	}
}

func TestDates(t *testing.T) {
	now := time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	day := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		text     string
		modified time.Time
		now      func() time.Time
		want     time.Time
	}{
		"the entry's own":          {"[2025-03-01] - a", importtest.Modified(), clock, day},
		"the entry's own, alone":   {"[2025-03-01] - a", time.Time{}, nil, day},
		"the file's":               {"[unknown] - a", importtest.Modified(), clock, importtest.Modified()},
		"the clock's":              {"[unknown] - a", time.Time{}, clock, now},
		"none is refused":          {"[unknown] - a", time.Time{}, nil, time.Time{}},
		"none for one is refused":  {"[2025-03-01] - a\n[unknown] - b", time.Time{}, nil, time.Time{}},
		"an impossible one, alone": {"[2025-13-01] - a", time.Time{}, nil, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			src, opt := importtest.File("memory.txt", test.text), importtest.Options()
			src.Modified, opt.Now = test.modified, test.now
			records, _, err := importtest.Read(paste.Format(), src, opt)
			if test.want.IsZero() {
				if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "PASTE-6" {
					t.Errorf("got %v, want PASTE-6", err)
				}
			} else if err != nil || !records[0].Time.Created.Equal(test.want) {
				t.Errorf("got %v, %v", records, err)
			}
		})
	}
	t.Run("no owner is refused", func(t *testing.T) {
		opt := importtest.Options()
		opt.Owner = ""
		_, _, err := importtest.Read(paste.Format(), importtest.File("memory.txt", "[2025-03-01] - a"), opt)
		if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "PASTE-6" {
			t.Errorf("got %v, want PASTE-6", err)
		}
	})
}

// The time of pasting changes nothing that merging compares.
func TestPastingLaterRepeatsTheRecords(t *testing.T) {
	text := "[2025-03-01] - One.\n[unknown] - Two.\n[March] - Three.\n"
	early, later := importtest.File("a.txt", text), importtest.File("b.txt", "Again:\n\n"+text)
	later.Modified = later.Modified.Add(time.Hour)
	first, _, err := importtest.Read(paste.Format(), early, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := importtest.Read(paste.Format(), later, importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		if diff := cmp.Diff(first[i].Body, second[i].Body); diff != "" || first[i].Kind != second[i].Kind {
			t.Errorf("record %d differs:\n%s", i, diff)
		}
	}
}

// Unusual data does not keep a text from being read.
func TestStrictBindsOnlyValidate(t *testing.T) {
	src, opt := importtest.File("memory.txt", "[unknown] - a\n[March] - b\n"), importtest.Options()
	opt.Strict = true
	if records, _, err := importtest.Read(paste.Format(), src, opt); err != nil || len(records) == 0 {
		t.Errorf("got %d records, %v", len(records), err)
	}
	if len(importtest.Violations(t, paste.Format(), src, opt)) == 0 {
		t.Error("validating reports nothing")
	}
}

func TestValidateReportsEverything(t *testing.T) {
	text := "```\n[2025-02-30] - a\n\xff\n[2025-03-01] - far too long for that\nand longer\n[soon] - b\n```\n"
	want := []string{"PASTE-1 line 3", "PASTE-5 line 4"}
	if diff := cmp.Diff(want, violations(t, text, codec.Options{Limits: codec.Limits{Text: 10}})); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
	want = []string{"PASTE-3 line 2", "PASTE-1 line 3", "PASTE-5 line 4", "PASTE-3 line 6"}
	if diff := cmp.Diff(want, violations(t, text, codec.Options{Strict: true, Limits: codec.Limits{Text: 10}})); diff != "" {
		t.Errorf("strict violations differ (-want +got):\n%s", diff)
	}
}

func violations(t *testing.T, text string, opt codec.Options) []string {
	t.Helper()
	return importtest.Violations(t, paste.Format(), importtest.File("memory.txt", text), opt)
}

func TestDetect(t *testing.T) {
	list := strings.Repeat("[2025-03-01] - Plays chess.\n", 10_000)
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"a list":               {"[2025-03-01] - a\n[unknown] - b\n", codec.Likely},
		"a fence with chatter": {"Sure!\n```\n[2025-03-01] - a\n```\nThat is all.\n", codec.Likely},
		"a long list":          {list, codec.Likely},
		"sections":             {"```\n## Identity\n[unknown] - a\n## Career\n[unknown] - b\n```\n", codec.Likely},
		"prose":                {"Dear Ada,\nthe list [2025] - as promised - is late.\n", codec.No},
		"a to-do list":         {"- [ ] - one\n- [x] - two\n[ ] - three\n", codec.No},
		"bullets in a fence":   {"```\n- a\n- b\n```\n", codec.No},
		"Markdown links":       {"- [2025](a.md) - notes\n- [2026](b.md) - notes\n", codec.No},
		"one entry in prose":   {"One.\nTwo.\nThree.\n[2025-03-01] - a\n", codec.No},
		"JSON":                 {`{"ump":"0.1"}`, codec.No},
		"not UTF-8":            {"[2025-03-01] - \xff\n", codec.No},
		"nothing":              {"", codec.No},

		"an introduced list":      {"Here is what I remember about you:\n\n- You live in Leipzig.\n", codec.Likely},
		"introduced by a heading": {"## What I know about you\n1. Lives in Leipzig.\n2. Has a cat.\n", codec.Likely},
		"typographic marks":       {"Here’s everything I’ve learned about you:\n• Lives in Leipzig.\n", codec.Likely},
		"sentences about you":     {"- You live in Leipzig.\n- Your cat is Minka.\n- You’re a developer.\n", codec.Possible},
		"sentences about a user":  {"* The user lives in Leipzig.\n* User's cat is Minka.\n* Plays the cello.\n", codec.Possible},
		"sentences about me":      {"1. I live in Leipzig.\n2. My cat is Minka.\n3. I'm a developer.\n", codec.Possible},
		"two sentences":           {"- You live in Leipzig.\n- Your cat is Minka.\n", codec.No},
		"an introduction alone":   {"Here is what I remember about you:\n\nNothing at all.\n", codec.No},
		"a letter with a list":    {"Here is what I remember about you:\nOne.\nTwo.\nThree.\nFour.\nFive.\n- You live in Leipzig.\n", codec.No},
		"a README": {"# App\n\nAn app for lists.\n\n## Features\n\n- You can sort lists.\n- Your lists are synced.\n- Fast.\n\n" +
			"## Install\n\n```sh\nnpm install app\n```\n\n1. Clone it\n2. Build it\n", codec.No},
		"rules":           {"# Rules\n\n- Use tabs\n- You must write tests\n- You should never push to main\n- You can ask\n", codec.No},
		"a change log":    {"# Changes\n\n## 1.2\n- Adds lists\n- Fixes sorting\n- Your data is kept\n", codec.No},
		"code":            {"package main\n\n// - you\nfunc main() {\n\tx := 1\n}\n", codec.No},
		"YAML":            {"users:\n- name: ada\n- name: ben\n- name: eve\n", codec.No},
		"a shopping list": {"- Milk\n- Bread\n- Tea\n- Soap\n", codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := paste.Format().Detect(importtest.File("memory.txt", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// endless is an endless text that counts the bytes read.
type endless struct {
	line string
	read int64
}

func (e *endless) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		p[i] = e.line[(off+int64(i))%int64(len(e.line))]
	}
	e.read = max(e.read, off+int64(len(p)))
	return len(p), nil
}

func TestEndlessTextIsNotHeld(t *testing.T) {
	limits := codec.Limits{}.Filled()
	for name, test := range map[string]struct {
		in   *endless
		most int64
	}{
		"one line":  {&endless{line: "x"}, 2 * limits.Record},
		"one entry": {&endless{line: "[unknown] - a\n"}, 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			src := codec.Source{Name: "memory.txt", File: test.in, Size: 1 << 30, Modified: importtest.Modified()}
			opt := importtest.Options()
			opt.Limits.Records = 1000
			_, _, err := importtest.Read(paste.Format(), src, opt)
			if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "PASTE-5" {
				t.Errorf("got %v", err)
			}
			if test.in.read > test.most {
				t.Errorf("%d bytes were read", test.in.read)
			}
		})
	}
}

func TestBrokenDiskIsNoViolation(t *testing.T) {
	broken := errors.New("the disk is broken")
	src := importtest.File("memory.txt", "[unknown] - a")
	src.File = failing{broken}
	if got := paste.Format().Detect(src); got != codec.No {
		t.Errorf("detected as %v", got)
	}
	if _, _, err := importtest.Read(paste.Format(), src, importtest.Options()); !errors.Is(err, broken) {
		t.Errorf("reading: got %v", err)
	}
	if err := paste.Format().Validate(src, importtest.Options(), func(p *codec.ParseError) { t.Error(p) }); !errors.Is(err, broken) {
		t.Errorf("validating: got %v", err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

var _ io.ReaderAt = failing{}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/paste-import/claude-import-memory.txt")
	if got := paste.Format().Detect(src); got != codec.Likely {
		t.Errorf("detected as %v", got)
	}
	records, losses, err := importtest.Check(t, paste.Format(), src, importtest.Options())
	if err != nil || len(losses) != 1 {
		t.Fatal(err, losses)
	}
	var got []string
	for _, r := range records {
		got = append(got, string(r.Kind)+" "+r.Time.Created.Format(time.DateOnly)+" "+r.Body.Text)
	}
	want := []string{
		"semantic 2025-03-01 Use pnpm, never npm, in JavaScript repos.",
		"identity 2025-04-12 Name: Sam; lives in Hanoi, Vietnam.",
		"semantic 2026-01-15 Prefers terse answers; never add closing summaries.",
		"semantic 2026-01-02 Project: portable agent memory in Go.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records differ (-want +got):\n%s", diff)
	}
}
