package aicf_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aicf"
)

// syntaxVector is a file and what its lines and sections are. Its header "rule" is the
// requirement. The file stands in "in", or in "quoted" as Go strings that are put
// together; "want" is what syntaxOf renders.
type syntaxVector struct {
	name, rule string
	in         string
	want       string
}

func syntaxVectors(t testing.TB) []syntaxVector {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "syntax", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	var all []syntaxVector
	for _, path := range paths {
		all = append(all, readSyntaxVector(t, path))
	}
	return all
}

func readSyntaxVector(t testing.TB, path string) syntaxVector {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil || len(archive.Files) != 2 || archive.Files[1].Name != "want" {
		t.Fatalf("%s: expected a file and what is wanted: %v", path, err)
	}
	_, rule, _ := strings.Cut(string(archive.Comment), "\nrule: ")
	v := syntaxVector{name: filepath.Base(path), rule: strings.TrimSpace(rule), want: string(archive.Files[1].Data)}
	if v.rule == "" {
		t.Fatalf("%s names no rule", path)
	}
	v.in = string(archive.Files[0].Data)
	if archive.Files[0].Name == "quoted" {
		v.in = unquoted(t, v.in)
	}
	return v
}

func unquoted(t testing.TB, literals string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(literals) {
		text, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		b.WriteString(text)
	}
	return b.String()
}

// syntax is what a [aicf.File] and a [aicf.Scanner] both tell.
type syntax interface {
	Layout() aicf.Layout
	Lines() int
	Findings() []aicf.Finding
}

// syntaxOf renders what was found in a file: its layout, sections and findings.
func syntaxOf(s syntax, sections []aicf.Section) string {
	var b strings.Builder
	layout := s.Layout()
	fmt.Fprintf(&b, "lines %d", s.Lines())
	for _, is := range []struct {
		said string
		so   bool
	}{
		{"unnumbered", layout.Numbering == aicf.NotNumbered}, {"entries numbered", layout.Numbering == aicf.EntryNumbered},
		{"crlf", layout.CRLF}, {"bom", layout.BOM}, {"open end", layout.OpenEnd},
	} {
		if is.so {
			b.WriteString(", " + is.said)
		}
	}
	b.WriteByte('\n')
	for _, section := range sections {
		fmt.Fprintf(&b, "section %d %s %q %q\n", section.Line(), section.Name(), section.ID(), section.Raw())
	}
	for _, f := range s.Findings() {
		severity := map[aicf.Severity]string{aicf.Warning: "warning", aicf.Broken: "broken"}[f.Severity]
		fmt.Fprintf(&b, "%s %d %s %q %s: %s\n", severity, f.Line, f.Code, f.Section, f.Rule, f.Message)
	}
	return b.String()
}

func parse(t testing.TB, text string) *aicf.File {
	t.Helper()
	f, err := aicf.Parse([]byte(text), aicf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sectionsOf(f *aicf.File) []aicf.Section {
	var all []aicf.Section
	for s := range f.Sections() {
		all = append(all, s)
	}
	return all
}

func TestSyntaxVectors(t *testing.T) {
	for _, v := range syntaxVectors(t) {
		t.Run(v.rule+" "+v.name, func(t *testing.T) {
			f := parse(t, v.in)
			if diff := cmp.Diff(v.want, syntaxOf(f, sectionsOf(f))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
