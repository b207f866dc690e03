package aicf

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what vectors expect anew")

// meaning is a file and what it says. Its headers:
//
//	rule: AICF-CONV-2        the requirement
//	expect: ok               or notice, warning or error: the worst that is found
//	fragment: yes            a part of a file: what is found of the file as a whole does not count
//	partial, force: yes      the options of that name
//
// Its files are in.aicf, entries (but for gaps) and findings.
type meaning struct {
	path   string
	header map[string]string
	ar     *txtar.Archive
}

func meanings(t testing.TB) []meaning {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "read", "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	var all []meaning
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil || len(archive.Files) != 3 {
			t.Fatalf("%s: %v", path, err)
		}
		m := meaning{path: path, header: map[string]string{}, ar: archive}
		for line := range strings.Lines(string(archive.Comment)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.Contains(key, " ") {
				m.header[key] = value
			}
		}
		if m.header["rule"] == "" || m.header["expect"] == "" {
			t.Fatalf("%s names no rule or no expectation", path)
		}
		all = append(all, m)
	}
	return all
}

func (m meaning) options() Options {
	return Options{Partial: m.header["partial"] == "yes", Force: m.header["force"] == "yes"}
}

func TestRead(t *testing.T) {
	for _, m := range meanings(t) {
		t.Run(m.header["rule"]+" "+filepath.Base(m.path), func(t *testing.T) {
			data := m.ar.Files[0].Data
			f, err := Parse(data, m.options())
			if err != nil {
				t.Fatal(err)
			}
			c, _ := Read(f, m.options())
			found, err := Validate(data, m.options())
			if err != nil {
				t.Fatal(err)
			}
			if m.header["fragment"] == "yes" {
				found = slices.DeleteFunc(found, func(f Finding) bool { return f.Line == 0 })
			}
			m.is(t, 1, shownEntries(c))
			m.is(t, 2, shownFindings(found))
			if got := worst(found); got != m.header["expect"] {
				t.Errorf("the worst that is found is %s, want %s", got, m.header["expect"])
			}
			keepsLines(t, f, c)
		})
	}
}

// is compares what came out with a file of the vector.
func (m meaning) is(t *testing.T, file int, got string) {
	t.Helper()
	if *update {
		m.ar.Files[file].Data = []byte(got)
		if err := os.WriteFile(m.path, txtar.Format(m.ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(m.ar.Files[file].Data); got != want {
		t.Errorf("%s:\n%swant:\n%s", m.ar.Files[file].Name, got, want)
	}
}

// keepsLines holds contents to what all contents promise: their lines are those of the
// file, and each entry is read again from its own.
func keepsLines(t *testing.T, f *File, c *Contents) {
	t.Helper()
	var lines, raws []string
	for s := range f.Sections() {
		lines = append(lines, s.Raw())
	}
	for _, e := range c.Entries {
		raws = append(raws, e.Place().Raw)
		if !unchanged(c.Dialect, e) {
			t.Errorf("line %d, read again, is not the same %T", e.Place().Line, e)
		}
	}
	if got, want := strings.Join(raws, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("the entries have the lines %q, want %q", got, want)
	}
}

func worst(found []Finding) string {
	for _, s := range []Severity{Broken, Warning, Notice} {
		if slices.ContainsFunc(found, func(f Finding) bool { return f.Severity == s }) {
			return s.String()
		}
	}
	return "ok"
}

func shownFindings(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Severity, f.Code, f)
	}
	return b.String()
}

func shownEntries(c *Contents) string {
	var b strings.Builder
	for _, e := range c.Entries {
		if _, ok := e.(*Gap); !ok {
			v := reflect.ValueOf(e).Elem()
			fmt.Fprintf(&b, "%d %s\n", e.Place().Line, v.Type().Name())
			for i := 1; i < v.NumField(); i++ {
				showField(&b, v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	return b.String()
}

// showField shows a member that is not zero. A list that is there and empty is shown.
func showField(b *strings.Builder, name string, v reflect.Value) {
	if v.IsZero() {
		return
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case Stamp:
		fmt.Fprintf(b, "  %s %s %s\n", name, FormatInstant(value.Time), value.Text)
	case []Field, []Pair:
		for i := range v.Len() {
			fmt.Fprintf(b, "  %s %q\n", name, v.Index(i).Interface())
		}
	case bool, int64:
		fmt.Fprintf(b, "  %s %v\n", name, value)
	default:
		fmt.Fprintf(b, "  %s %q\n", name, value)
	}
}
