package aicf

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// dialectFile is a file of another version or dialect, and what it becomes. Its headers are rule,
// dialect (its number), from (the version) and names (words of the file that only say what
// something is, and become a place); its files in.aicf, migrated.aicf and report.
type dialectFile struct {
	meaning
	in []byte
}

func dialectFiles(t testing.TB) []dialectFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "dialects", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no dialects: %v", err)
	}
	var all []dialectFile
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil || len(archive.Files) == 0 {
			t.Fatalf("%s: %v", path, err)
		}
		for len(archive.Files) < 3 {
			archive.Files = append(archive.Files, txtar.File{Name: []string{"", "migrated.aicf", "report"}[len(archive.Files)]})
		}
		s := dialectFile{meaning{path: path, header: map[string]string{}, ar: archive}, archive.Files[0].Data}
		for line := range strings.Lines(string(archive.Comment)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				s.header[key] = value
			}
		}
		all = append(all, s)
	}
	return all
}

func migrated(t *testing.T, data []byte) (string, Report) {
	t.Helper()
	c, report, err := Migrate(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, losses, err := Encode(c, WriteOptions{})
	if err != nil || len(losses) > 0 {
		t.Fatalf("%v %v", losses, err)
	}
	return string(out), report
}

func TestMigrate(t *testing.T) {
	for _, s := range dialectFiles(t) {
		t.Run(s.header["rule"]+" "+filepath.Base(s.path), func(t *testing.T) {
			before := bytes.Clone(s.in)
			if d := Detect(s.in); strconv.Itoa(int(d)) != s.header["dialect"] {
				t.Errorf("AICF-REF-1 told to be in dialect %d, want %s", d, s.header["dialect"])
			}
			out, report := migrated(t, s.in)
			if got := report.From.String(); got != s.header["from"] {
				t.Errorf("AICF-COMPAT-7 told to be of %s, want %s", got, s.header["from"])
			}
			s.is(t, 1, out)
			s.is(t, 2, shownReport(report))
			keeps(t, string(s.in), out, strings.Split(s.header["names"], ", "))
			if !bytes.Equal(before, s.in) {
				t.Error("AICF-COMPAT-8 the file was changed")
			}
			if origin := migratedFrom + "=" + report.From.String(); report.From < V31 && !strings.Contains(out, origin) {
				t.Errorf("AICF-COMPAT-8 no %s", origin)
			}
			if again, _ := migrated(t, []byte(out)); again != out {
				t.Errorf("AICF-COMPAT-6 migrated once more it is\n%s", again)
			}
			isAllowed(t, out)
		})
	}
}

func shownReport(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", r.Dialect, r.From)
	for _, part := range []struct {
		title   string
		changes []Change
	}{{"changed", r.Changes}, {"kept", r.Kept}, {"assumed", r.Assumed}} {
		for _, c := range part.changes {
			fmt.Fprintf(&b, "%s %s\n", part.title, c)
		}
	}
	var counts []string
	for kind, n := range r.Counts {
		counts = append(counts, fmt.Sprintf("%d %s\n", n, kind))
	}
	slices.Sort(counts)
	for _, c := range counts {
		b.WriteString(c)
	}
	for _, f := range r.Findings {
		if f.Severity != Notice {
			fmt.Fprintf(&b, "%s %s\n", f.Severity, f)
		}
	}
	return b.String()
}

// isAllowed fails unless what was written is valid, but for times that nothing says.
func isAllowed(t *testing.T, out string) {
	t.Helper()
	found, err := Validate([]byte(out), Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Severity == Broken && f.Rule != "AICF-CONV-2" && f.Rule != "AICF-CONV-3" {
			t.Errorf("AICF-COMPAT-4 %s", f)
		}
	}
}

// keeps fails unless every word of a file occurs in what it became (AICF-COMPAT-6): times
// as instants, and but for names that only say what a line or a member is.
func keeps(t *testing.T, in, out string, names []string) {
	t.Helper()
	decoded, _ := Unescape(out)
	decoded += strings.ReplaceAll(out, `\\`, `\`)
	for _, word := range sourceWords(in, names) {
		if strings.Contains(out, word) || strings.Contains(decoded, word) {
			continue
		}
		if s, _ := parseStampOrText(word); s.said() && strings.Contains(out, FormatInstant(s.Time)) {
			continue
		}
		t.Errorf("AICF-COMPAT-6 %q is lost", word)
	}
}

// sourceWords returns what stands between the signs of all dialects.
func sourceWords(text string, names []string) []string {
	var all []string
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(text, "->", " "), between("|=,;@{}[]\"\\ \n<>()")) {
		if s, _ := parseStampOrText(word); s.said() {
			all = append(all, word)
			continue
		}
		all = append(all, strings.FieldsFunc(word, between(":"))...)
	}
	return slices.DeleteFunc(all, func(w string) bool { return slices.Contains(names, w) })
}

func between(signs string) func(rune) bool {
	return func(r rune) bool { return strings.ContainsRune(signs, r) }
}

func FuzzMigrate(f *testing.F) {
	for _, s := range dialectFiles(f) {
		f.Add(s.in)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := Migrate(data, Options{})
		if err != nil {
			return
		}
		out, _, err := Encode(c, WriteOptions{})
		if err != nil {
			if bytes.Contains(data, []byte("\r")) {
				return // in a key, which has no line ends
			}
			t.Fatal(err)
		}
		again, _, err := Migrate(out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if second, _, err := Encode(again, WriteOptions{}); err != nil || !bytes.Equal(second, out) {
			t.Fatalf("%v; migrated once more\n%q\nof\n%q", err, second, out)
		}
	})
}
