package claudecode_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/importers/claudecode"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

// TestDeclared: every declared loss occurs in some test, in the declared words.
func TestDeclared(t *testing.T) {
	opt := importtest.Options()
	shut := importtest.Folder("f", map[string]string{"CLAUDE.md": "- a\n", "memory/MEMORY.md": ""})
	shut.Tree = closed{shut.Tree, "memory"}
	_, given, err := importtest.Read(claudecode.Format(), shut, opt)
	if err != nil {
		t.Fatal(err)
	}
	binary := importtest.Folder("f", map[string]string{"CLAUDE.md": "@a.md\n", "a.md": "\xff"})
	_, losses, err := importtest.Read(claudecode.Format(), binary, opt)
	if err != nil {
		t.Fatal(err)
	}
	given = append(given, losses...)
	ended, taken := record(memory.Semantic, "Was."), record(memory.Episodic, " Taken. ")
	ended.Time.ValidTo = opt.Now()
	taken.Scope.Project = "github.com/ada/app"
	taken.Body.Structured = []byte(`{"claudecode":{"file":"taken.md"}}`)
	records := []memory.Record{ended, record(memory.Semantic, " "), taken, record(memory.Semantic, strings.Repeat("x", 1<<20+1))}
	given = append(given, into(t, importtest.Files{}, records...)...)
	given = append(given, into(t, importtest.Files{}, record(memory.Semantic, "Twice."), record(memory.Semantic, "Twice."))...)
	given = append(given, into(t, importtest.Files{"taken.md": "Taken by another.", "MEMORY.md": strings.Repeat("- a\n", 201) + "- b"}, append(records, record(memory.Semantic, "One more."))...)...)
	_, losses = amend(t, "", records...)
	importtest.Declared(t, claudecode.Format(), "testdata", append(given, losses...)...)
}
