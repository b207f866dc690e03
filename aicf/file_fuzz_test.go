package aicf_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/satchel-memory/satchel/aicf"
)

// FuzzParse: the sections are all lines of the file in order, none of them twice, a
// stream of the same bytes says the same, and what a section says can be found.
func FuzzParse(f *testing.F) {
	for _, v := range syntaxVectors(f) {
		f.Add([]byte(v.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := aicf.Parse(data, aicf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		everyLine(t, data, file)
		s, sections, err := scan(iotest.HalfReader(bytes.NewReader(data)), aicf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if whole, streamed := syntaxOf(file, sectionsOf(file)), syntaxOf(s, sections); whole != streamed {
			t.Errorf("as a whole:\n%s\nas a stream:\n%s", whole, streamed)
		}
		for _, section := range sections {
			all := file.All(section.Name(), section.ID())
			if found, ok := file.Find(section.Name(), section.ID()); !ok || found.Line() != all[len(all)-1].Line() || found.Line() < section.Line() {
				t.Errorf("%s %q is not found", section.Name(), section.ID())
			}
		}
	})
}

// everyLine holds the lines of a file against the bytes that it was parsed from.
func everyLine(t *testing.T, data []byte, file *aicf.File) {
	t.Helper()
	want := strings.Split(strings.TrimPrefix(string(data), "\xEF\xBB\xBF"), "\n")
	if want[len(want)-1] == "" {
		want = want[:len(want)-1]
	}
	place := 0
	for section := range file.Sections() {
		for line, got := range section.Lines() {
			if place++; line != place || place > len(want) {
				t.Fatalf("line %d came in place %d of %d", line, place, len(want))
			}
			number, numbered := strings.CutSuffix(strings.TrimSuffix(want[place-1], "\r"), string(got))
			if !numbered || number != "" && number != "NaN|" && strings.Trim(number, "+-0123456789") != "|" {
				t.Errorf("line %d of %q is %q", line, want[place-1], got)
			}
		}
	}
	if place != len(want) || file.Lines() != len(want) {
		t.Errorf("%d lines came, %d are said, and %d are there", place, file.Lines(), len(want))
	}
}
