package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestClaims(t *testing.T) {
	const table = "package x\n\ntype row struct{ id, name string }\n\nfunc TestX(t *testing.T) {\n\tfor k, c := range TABLE {\n\t\tt.Run(c.name, nil)\n\t}\n}\n"
	const helper = "package x\n\ntype row struct{ id string }\n\nfunc lints(t *testing.T, s string, rows []row) {\n\tfor _, r := range rows {\n\t\tt.Run(r.id, nil)\n\t}\n}\n\n"
	for _, test := range []struct{ name, file, text, want string }{
		{"the name of a subtest", "x/x_test.go", "package x\n\nfunc TestX(t *testing.T) { t.Run(\"UMP-1-1 UMP-1-2 both\", nil) }\n", "UMP-1-1 UMP-1-2"},
		{"a name put together", "x/x_test.go", "package x\n\nfunc TestX(t *testing.T) { t.Run(fmt.Sprintf(\"UMP-1-1 %s\", s)+\" UMP-1-2\", nil) }\n", "UMP-1-1 UMP-1-2"},
		{"the name of a test", "x/x_test.go", "package x\n\nfunc TestUMP_2_1_3(t *testing.T) {}\n\nfunc helpUMP_2_1_4() {}\n", "UMP-2.1-3"},
		{"the value of a row at the place of its name", "x/x_test.go", strings.Replace(table, "TABLE", "[]row{{\"UMP-1-2\", \"UMP-1-1 a\"}}", 1), "UMP-1-1"},
		{"a field called name", "x/x_test.go", strings.Replace(table, "TABLE", "[]row{{rule: \"UMP-1-2\", name: \"UMP-1-1 a\"}}", 1), "UMP-1-1"},
		{"a field that names no subtest", "x/x_test.go", strings.Replace(table, "TABLE", "[]row{{id: \"UMP-1-1\", want: \"UMP-1-2\"}}", 1), ""},
		{"a table of a function", "x/x_test.go", strings.Replace(table, "TABLE", "slices.Concat(rows(), rows())", 1) + "\nfunc rows() []row { return []row{{name: \"UMP-1-1 a\"}} }\n", "UMP-1-1"},
		{"a table in a variable", "x/x_test.go", strings.Replace(table, "TABLE", "rows", 1) + "\nvar rows = []row{{name: \"UMP-1-1 a\"}}\n", "UMP-1-1"},
		{"a name that a method makes", "x/x_test.go", strings.Replace(strings.Replace(table, "TABLE", "[]row{{id: \"UMP-1-1\"}}", 1), "c.name", "c.called()", 1) + "\nfunc (r row) called() string { return r.id + r.name }\n", "UMP-1-1"},
		{"a table of mutants", "x/x_test.go", strings.Replace(strings.Replace(table, "TABLE", "[]row{{name: \"UMP-1-1 a\"}}", 1), "TestX", "TestMutants", 1), ""},
		{"a table in a file of mutants", "x/mutants_test.go", strings.Replace(table, "TABLE", "[]row{{name: \"UMP-1-1 a\"}}", 1), ""},
		{"keys of a table whose subtests have other names", "x/x_test.go", strings.Replace(table, "TABLE", "map[string]row{\"UMP-1-1\": {}}", 1), ""},
		{"the rows that a run passes", "x/testdata/TestX.passed", "UMP-1-1\nUMP-1-2\n", "UMP-1-1 UMP-1-2"},
		{"a name with underscores, and ids of AAIF", "x/x_test.go", "package x\n\nfunc TestX(t *testing.T) { t.Run(\"AAIF-8.2-8_twice AAIF-U.W-1 AAIF-U.context.jsonld-1 AAIF-4-23\", nil) }\n", "AAIF-4-23 AAIF-8.2-8 AAIF-U.W-1 AAIF-U.context.jsonld-1"},
		{"the keys of a table", "x/x_test.go", strings.Replace(strings.Replace(table, "TABLE", "map[string]string{\"UMP-1-1 a\": \"UMP-1-2\"}", 1), "c.name", "k", 1), "UMP-1-1"},
		{"an id that does not begin a row's name", "x/x_test.go", strings.Replace(table, "TABLE", "[]row{{\"not UMP-1-1\"}}", 1), ""},
		{"a table for a helper", "x/x_test.go", helper + "func TestX(t *testing.T) { lints(t, \"x\", []row{{id: \"UMP-1-1\"}}) }\n", "UMP-1-1"},
		{"a table for anything else", "x/x_test.go", helper + "func TestX(t *testing.T) { sort(x, []row{{id: \"UMP-1-1\"}}) }\n", ""},
		{"a table of no subtests", "x/x_test.go", "package x\n\nvar rows = []row{{\"UMP-1-1 a\"}}\n", ""},
		{"the text of a failure", "x/x_test.go", "package x\n\nfunc TestX(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Errorf(\"UMP-1-1: %v\", err) }) }\n", ""},
		{"a rule that is expected", "x/x_test.go", "package x\n\nfunc TestX(t *testing.T) { t.Run(name, func(t *testing.T) { refuse(t, \"UMP-1-1\") }) }\n", ""},
		{"a program that is no test", "x/x.go", "package x\n\nfunc F() { t.Run(\"UMP-1-1\", nil) }\n", ""},
		{"a suite", "x/x.go", "package x\n\nimport \"testing\"\n\nfunc F(t *testing.T) { t.Run(\"UMP-1-1\", nil) }\n", "UMP-1-1"},
		{"fields of a vector", "x/testdata/a.json", "{\n  \"requirement\": \"UMP-1-1\",\n  \"rule\": \"UMP-1-2\",\n  \"text\": \"UMP-1-3\"\n}\n", "UMP-1-1 UMP-1-2"},
		{"lines of a vector", "x/testdata/a.txt", "says: UMP-1-2\nrule: UMP-1-1\n", "UMP-1-1"},
		{"lines of a script's archive", "x/testdata/a.txtar", "says: UMP-1-2\nrule: AICF-STR-1\n-- in --\n1|@X AICF-STR-2\n", "AICF-STR-1"},
		{"what an answer is compared with", "x/testdata/a.golden", "\"rule\": \"UMP-1-1\"\n", ""},
		{"sections of a script", "x/testdata/script/a.txt", "# UMP-1-1 one; UMP-1-2 two\nexec x\nstderr 'rule: UMP-1-3'\n  # UMP-1-4\n# see UMP-1-5\nrule: UMP-1-6\n", "UMP-1-1 UMP-1-2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, _, _, err := claims(fstest.MapFS{test.file: {Data: []byte(test.text)}})
			if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); err != nil || got != test.want {
				t.Errorf("claimed are %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestScriptsAreNamed(t *testing.T) {
	fsys := small()
	fsys["cmd/testdata/script/a.txt"] = &fstest.MapFile{Data: []byte("# UMP-3-4 four\n")}
	report, err := Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if row := "| UMP-3-4 | MUST | L2 | four | script `cmd/testdata/script/a.txt` |\n"; !strings.Contains(string(report.Markdown()), row) {
		t.Errorf("no line %q", row)
	}
}
