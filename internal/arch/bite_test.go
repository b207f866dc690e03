package arch

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// sound is a small module that keeps every rule.
func sound() map[string]string {
	return map[string]string{
		"go.mod":                   "module example.org/m\n",
		"memory/memory.go":         "// Package memory is the model.\npackage memory\n\nimport \"time\"\n\n// Span is a span.\ntype Span = time.Duration\n",
		"canon/canon.go":           "// Package canon is canonical.\npackage canon\n",
		"ump/ump.go":               "// Package ump is a room.\npackage ump\n\nimport (\n\t\"regexp\"\n\n\t\"example.org/m/memory\"\n)\n\nvar word = regexp.MustCompile(`a`)\n\n// Of tells.\nfunc Of(s memory.Span) bool { return word.MatchString(s.String()) }\n",
		"ump/umphttp/http.go":      "// Package umphttp is a binding.\npackage umphttp\n\nimport (\n\t_ \"net/http\"\n\n\t_ \"example.org/m/ump\"\n)\n",
		"internal/vault/v.go":      serviceOf("store.Keep(store.Held{})"),
		"aimem/aimem.go":           "// Package aimem is another room.\npackage aimem\n",
		"cmd/m/main.go":            "// Command m is the program.\npackage main\n\nimport (\n\t\"os\"\n\n\t_ \"example.org/m/internal/vault\"\n\t_ \"example.org/m/ump/umphttp\"\n)\n\nvar version string\n\nfunc main() { os.Exit(len(version)) }\n",
		"ump/ump_test.go":          "package ump_test\n\nimport (\n\t_ \"os\"\n\t_ \"testing\"\n\n\t_ \"example.com/cmp\"\n\t_ \"example.org/m/ump\"\n\t_ \"example.org/m/umpsuite\"\n)\n",
		"internal/store/s.go":      "// Package store keeps rows.\npackage store\n\n// Held is kept.\ntype Held struct{}\n\n// Keep keeps.\nfunc Keep(Held) {}\n",
		"internal/store/s_test.go": "package store_test\n\nimport \"example.org/m/internal/store\"\n\nfunc f() { store.Keep(store.Held{}) }\n",
		"umpsuite/suite.go":        "// Package umpsuite is a suite.\npackage umpsuite\n\nimport _ \"testing\"\n",
		"ump/constant.go":          constants,
		"testdata/x/x.go":          "package broken; func init() {}",
	}
}

// serviceOf is a service that does one thing with the store.
func serviceOf(statement string) string {
	return "// Package vault is the service.\npackage vault\n\nimport (\n\t\"example.org/m/internal/store\"\n\t_ \"example.org/m/ump\"\n)\n\nfunc f() { " + statement + " }\n"
}

// methods is the source of n methods.
func methods(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func (%s) m%d() {}\n", name, i)
	}
	return b.String()
}

// constants has the package variables that are allowed, and local ones that only
// look like them.
const constants = `package ump

import (
	"embed"
	"errors"
	"time"
)

var _ error = (*fault)(nil)

// ErrMissing is returned for what is not there.
var ErrMissing = errors.New("missing")

var names = map[string]int{"a": 1}

//go:embed *.sql
var migrations embed.FS

type fault struct{ now func() time.Time }

// Error is documented, though it need not be.
func (f *fault) Error() string {
	time, names := f.now(), map[string]int{}
	names["b"] = time.Now()
	return ""
}

func (f *fault) Count() int { return names["a"] }
`

func soundTables() ([]Package, []Library) {
	return []Package{
			{Path: "memory", Layer: Model},
			{Path: "canon", Layer: Model},
			{Path: "umpsuite", Layer: Suite, Can: Testing},
			{Path: "ump", Layer: Room, Uses: []string{"memory", "canon"}},
			{Path: "ump/umphttp", Layer: Binding, Uses: []string{"memory", "ump"}, Can: Net},
			{Path: "aimem", Layer: Room, Uses: []string{"memory"}},
			{Path: "importers/*", Layer: Room, Uses: []string{"memory"}},
			{Path: "internal/store", Layer: Engine, Only: []string{"internal/vault"}},
			{Path: "internal/vault", Layer: Engine, Uses: []string{"memory", "ump", "internal/store"}},
			{Path: "cmd/m", Layer: Whole, Uses: []string{everything}, Can: Files | Process},
		}, []Library{
			{Module: "example.com/json", Users: []string{"canon"}},
			{Module: "example.com/cmp", Tests: true},
		}
}

func check(t *testing.T, files map[string]string, packages []Package, libraries []Library) []Violation {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	found, err := Check(fsys, packages, libraries)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestASoundTreeIsLeftAlone(t *testing.T) {
	packages, libraries := soundTables()
	for _, v := range check(t, sound(), packages, libraries) {
		t.Error(v)
	}
}

// bites lists trees that break one rule each: one more file, and the one
// violation it must give.
func bites() []struct{ name, file, text, want string } {
	room := "// Package ump is a room.\npackage ump\n"
	plain := "package ump\n"
	return []struct{ name, file, text, want string }{
		{"a package without a row", "util/u.go", "// Package util is anything.\npackage util\n", "util:0: package has no row in the table of packages (internal/arch/table.go) [listed]"},
		{"the model imports a room", "memory/m.go", "package memory\n\nimport _ \"example.org/m/ump\"\n", "memory/m.go:3: memory may not import ump; its row in internal/arch/table.go says what it may [edge]"},
		{"a room imports another", "ump/m.go", plain + "import _ \"example.org/m/aimem\"\n", "ump/m.go:2: ump may not import aimem; * [edge]"},
		{"an importer imports a room", "importers/paste/p.go", "// Package paste reads text.\npackage paste\n\nimport _ \"example.org/m/ump\"\n", "importers/paste/p.go:4: importers/paste may not import ump; * [edge]"},
		{"a room imports the service", "ump/m.go", plain + "import _ \"example.org/m/internal/vault\"\n", "ump/m.go:2: ump may not import internal/vault; * [edge]"},
		{"a binding imports the service", "ump/umphttp/m.go", "package umphttp\n\nimport _ \"example.org/m/internal/vault\"\n", "ump/umphttp/m.go:3: ump/umphttp may not import internal/vault; * [edge]"},
		{"the service imports a binding", "internal/vault/m.go", "package vault\n\nimport _ \"example.org/m/ump/umphttp\"\n", "internal/vault/m.go:3: internal/vault may not import ump/umphttp; * [edge]"},
		{"a way around the gate", "cmd/m/m.go", "package main\n\nimport _ \"example.org/m/internal/store\"\n", "cmd/m/m.go:3: cmd/m may not import internal/store; only those may whom its row in internal/arch/table.go names [edge]"},
		{"the program imports a suite", "cmd/m/m.go", "package main\n\nimport _ \"example.org/m/umpsuite\"\n", "cmd/m/m.go:3: cmd/m may not import umpsuite; * [edge]"},
		{"a test imports what its row does not say", "ump/m_test.go", plain + "import _ \"example.org/m/aimem\"\n", "ump/m_test.go:2: ump may not import aimem; * [edge]"},
		{"a library where it does not belong", "ump/m.go", plain + "import _ \"example.com/json/jsontext\"\n", "ump/m.go:2: ump may not import example.com/json/jsontext; the policy is internal/arch/library.go [library]"},
		{"a library nobody listed", "canon/m.go", "package canon\n\nimport _ \"example.com/gin\"\n", "canon/m.go:3: canon may not import example.com/gin; * [library]"},
		{"a library of tests outside a test", "ump/m.go", plain + "import _ \"example.com/cmp\"\n", "ump/m.go:2: ump may not import example.com/cmp; * [library]"},
		{"a room reads the clock", "ump/m.go", plain + "import \"time\"\n\nfunc f() time.Time { return time.Now() }\n", "ump/m.go:4: ump may not use time.Now; take a Now func() time.Time [purity]"},
		{"a room reads the clock by another name", "ump/m.go", plain + "import clock \"time\"\n\nfunc f() { clock.Sleep(1) }\n", "ump/m.go:4: ump may not use time.Sleep; * [purity]"},
		{"a room draws", "ump/m.go", plain + "import _ \"crypto/rand\"\n", "ump/m.go:2: ump may not use crypto/rand; * [purity]"},
		{"a room draws cheaply", "ump/m.go", plain + "import _ \"math/rand/v2\"\n", "ump/m.go:2: ump may not use math/rand/v2; * [purity]"},
		{"a room opens files", "ump/m.go", plain + "import _ \"os\"\n", "ump/m.go:2: ump may not use os; * [purity]"},
		{"a room logs", "ump/m.go", plain + "import \"log/slog\"\n\nfunc f() { slog.Info(\"\") }\n", "ump/m.go:4: ump may not use log/slog.Info; return an error [purity]"},
		{"a room speaks to a network", "ump/m.go", plain + "import _ \"net\"\n", "ump/m.go:2: ump may not use net; * [purity]"},
		{"a room speaks to a database", "ump/m.go", plain + "import _ \"database/sql\"\n", "ump/m.go:2: ump may not use database/sql; * [purity]"},
		{"the service reads flags", "internal/vault/m.go", "package vault\n\nimport _ \"flag\"\n", "internal/vault/m.go:3: internal/vault may not use flag; * [purity]"},
		{"a room prints", "ump/m.go", plain + "import \"fmt\"\n\nfunc f() { fmt.Println() }\n", "ump/m.go:4: ump may not use fmt.Println; take an io.Writer [purity]"},
		{"a room carries tests", "ump/m.go", plain + "import _ \"testing\"\n", "ump/m.go:2: ump may not use testing; keep it in a test [purity]"},
		{"a room starts programs", "ump/m.go", plain + "import _ \"os/exec\"\n", "ump/m.go:2: ump may not use os/exec; leave it to cmd [purity]"},
		{"init", "ump/m.go", plain + "func init() {}\n", "ump/m.go:2: no init: * [init]"},
		{"init in a test", "ump/m_test.go", plain + "func init() {}\n", "ump/m_test.go:2: no init: * [init]"},
		{"a variable others can set", "ump/m.go", plain + "// Limit is set.\nvar Limit = 5\n", "ump/m.go:3: Limit can be set from outside: * [variables]"},
		{"a variable without a value", "ump/m.go", plain + "var cache map[string]int\n", "ump/m.go:2: cache has no value: * [variables]"},
		{"a lock", "ump/m.go", plain + "import \"sync\"\n\nvar mu = &sync.Mutex{}\n", "ump/m.go:4: mu holds state: * [variables]"},
		{"a table that is filled", "ump/m.go", plain + "var seen = map[string]int{}\n\nfunc f(word string) { seen[word]++ }\n", "ump/m.go:4: package variable seen is changed here: * [variables]"},
		{"a variable of another package", "ump/m.go", plain + "import \"time\"\n\nfunc f() { time.Local = time.UTC }\n", "ump/m.go:4: time.Local belongs to another package: * [variables]"},
		{"601 lines", "ump/m.go", plain + strings.Repeat("\n", 600), "ump/m.go:601: 601 lines; * [length]"},
		{"601 lines of tests", "ump/m_test.go", plain + strings.Repeat("\n", 600), "ump/m_test.go:601: 601 lines; * [length]"},
		{"a name that nobody else uses", "internal/store/m.go", "package store\n\n// Row is kept.\ntype Row struct{}\n", "internal/store/m.go:4: Row is exported, and no other package uses it [exports]"},
		{"a name that its own tests alone use", "internal/vault/v.go", serviceOf("_ = store.Held{}"), "internal/store/s.go:8: Keep is exported, and no other package uses it [exports]"},
		{"a method that nobody else calls", "internal/store/m.go", "package store\n\n// Fold folds.\nfunc (Held) Fold() {}\n", "internal/store/m.go:4: Held.Fold is exported, and no other package uses it [exports]"},
		{"65 methods", "ump/m.go", plain + "type t int\n" + methods("t", 65), "ump/m.go:67: t has more than 64 methods; * [sizes]"},
		{"no package comment", "ump/ump.go", "package ump\n", "ump:0: no comment says what package ump is for; * [comments]"},
		{"a comment about something else", "ump/ump.go", "// Ump umps.\npackage ump\n", "ump:0: no comment says * [comments]"},
		{"an undocumented function", "ump/m.go", plain + "func Encode() {}\n", "ump/m.go:2: Encode is exported and has no comment [comments]"},
		{"an undocumented method", "ump/m.go", plain + "// T is.\ntype T[X any] struct{}\n\nfunc (t *T[X]) Close() {}\n", "ump/m.go:5: Close is exported * [comments]"},
		{"an undocumented type", "ump/m.go", plain + "type T int\n", "ump/m.go:2: T is exported * [comments]"},
		{"an undocumented type in a group", "ump/m.go", plain + "// Types.\ntype (\n\tT int\n)\n", "ump/m.go:4: T is exported * [comments]"},
		{"an undocumented constant", "ump/m.go", plain + "const C = 1\n", "ump/m.go:2: C is exported * [comments]"},
		{"an undocumented method of an interface", "ump/m.go", plain + "// I is.\ntype I interface{ Do() }\n", "ump/m.go:3: Do is exported * [comments]"},
		{"a room instead of the room", "ump/ump.go", room + "import _ \"example.org/m/umpsuite\"\n", "ump/ump.go:3: ump may not import umpsuite; * [edge]"},
	}
}

func TestTheCheckerBites(t *testing.T) {
	for _, bite := range bites() {
		t.Run(bite.name, func(t *testing.T) {
			files := maps.Clone(sound())
			files[bite.file] = bite.text
			packages, libraries := soundTables()
			found := check(t, files, packages, libraries)
			if len(found) != 1 || !alike(bite.want, found[0].String()) {
				t.Errorf("found %q, want one %q", found, bite.want)
			}
		})
	}
}

// alike compares a line with a pattern in which * stands for anything.
func alike(pattern, line string) bool {
	before, after, open := strings.Cut(pattern, "*")
	return pattern == line || open && strings.HasPrefix(line, before) && strings.HasSuffix(line, after)
}

func TestABindingSeesThePurePartsOfItsRoom(t *testing.T) {
	for _, test := range []struct {
		part Package
		want bool
	}{
		{Package{Path: "ump/lines", Layer: Engine}, true},
		{Package{Path: "ump/file", Layer: Engine, Can: Files}, false},
		{Package{Path: "aimem/lines", Layer: Engine}, false},
		{Package{Path: "umplines", Layer: Engine}, false},
	} {
		if got := Binding.allows("ump/umphttp", test.part); got != test.want {
			t.Errorf("%+v: %v", test.part, got)
		}
	}
}

func TestTheTableIsHeldToItsLaws(t *testing.T) {
	tests := []struct {
		name string
		row  Package
		want string
	}{
		{"an import that points down", Package{Path: "memory", Layer: Model, Uses: []string{"ump"}}, "uses ump, which does not stand further up"},
		{"a room that sees the service", Package{Path: "x", Layer: Room, Uses: []string{"internal/vault"}}, "uses internal/vault, which layer room must not see"},
		{"a room that sees a room", Package{Path: "x", Layer: Room, Uses: []string{"ump"}}, "uses ump, which layer room must not see"},
		{"a binding of another room", Package{Path: "aimem/aimemhttp", Layer: Binding, Uses: []string{"ump"}}, "uses ump, which layer binding must not see"},
		{"a binding that sees the service", Package{Path: "ump/x", Layer: Binding, Uses: []string{"internal/vault"}}, "uses internal/vault, which layer binding must not see"},
		{"the service sees a binding", Package{Path: "x", Layer: Engine, Uses: []string{"ump/umphttp"}}, "uses ump/umphttp, which layer engine must not see"},
		{"a room with a clock", Package{Path: "x", Layer: Room, Can: Clock}, "model, canon, codec and rooms are pure: its row must grant no power"},
		{"a binding with files", Package{Path: "ump/x", Layer: Binding, Can: Files}, "a binding may speak to the network and no more"},
		{"a room that sees everything", Package{Path: "x", Layer: Room, Uses: []string{everything}}, "uses *, which does not stand further up"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, _ := soundTables()
			if test.row.Path == "memory" {
				rows = append([]Package{test.row}, rows...)
			} else {
				rows = append(rows, test.row)
			}
			found := fmt.Sprint(checkTable(rows))
			if !strings.Contains(found, test.want) || strings.Count(found, "[table]") != 1 {
				t.Errorf("found %s, want one %q", found, test.want)
			}
		})
	}
}

func TestLargePackagesNeedAReason(t *testing.T) {
	many, long := sound(), sound()
	for i := range maxFiles {
		many[fmt.Sprintf("aimem/m%d.go", i)] = "package aimem\n"
	}
	for i := range 16 {
		long[fmt.Sprintf("aimem/m%d.go", i)] = fmt.Sprintf("package aimem\n\n/*\n\n*/\nvar text%d = `%s`\n", i, strings.Repeat("\n", 500))
	}
	for name, test := range map[string]struct {
		files  map[string]string
		reason string
		want   string
	}{
		"many files":               {many, "", "aimem:0: 61 files and 61 lines of code; 60 and 8000 are the most: * [sizes]"},
		"much code":                {long, "", "aimem:0: 17 files and 8033 lines of code; * [sizes]"},
		"many files with a reason": {many, "one table", ""},
		"a reason without a need":  {sound(), "one table", "aimem:0: 1 files and 1 lines of code need no reason; * [sizes]"},
	} {
		t.Run(name, func(t *testing.T) {
			packages, libraries := soundTables()
			for i := range packages {
				if packages[i].Path == "aimem" {
					packages[i].Large = test.reason
				}
			}
			found := check(t, test.files, packages, libraries)
			if test.want == "" && len(found) == 0 {
				return
			}
			if len(found) != 1 || !alike(test.want, found[0].String()) {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
	rows, _ := soundTables()
	for i := range maxLarge + 1 {
		rows[i].Large = "so"
	}
	if found := fmt.Sprint(checkTable(rows)); !strings.Contains(found, "4 rows say why their package is large; 3 may") {
		t.Errorf("found %s", found)
	}
}
