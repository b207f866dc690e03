package rules_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/rules"
)

// TestOwnFolders: the folders of a tool are known by themselves, whatever their files are
// called, and the files in them are written where the tool has them.
func TestOwnFolders(t *testing.T) {
	for _, test := range []struct {
		format codec.Format
		name   string
		files  map[string]string
		homes  []string
	}{
		{rules.Cline(), ".clinerules", map[string]string{"01-sails.md": "Reef early.", "ropes.txt": "Coil them."}, []string{".clinerules/01-sails.md", ".clinerules/ropes.txt"}},
		{rules.Cline(), "memory-bank", map[string]string{"projectbrief.md": "A harbour.", "piers/east.md": "It is long."}, []string{"memory-bank/piers/east.md", "memory-bank/projectbrief.md"}},
		{rules.Cursor(), "rules", map[string]string{"plain.mdc": "Sails are red.", "react/RULE.md": "Functions only."}, []string{".cursor/rules/plain.mdc", ".cursor/rules/react/RULE.md"}},
		{rules.Cursor(), "react", map[string]string{"RULE.md": "---\nalwaysApply: false\n---\nFunctions only."}, []string{".cursor/rules/RULE.md"}},
	} {
		src := importtest.Folder(test.name, test.files)
		if test.format.Detect(src) == codec.No {
			t.Errorf("%s: %s does not know it", test.name, test.format.Name)
		}
		records, losses, err := importtest.Read(test.format, src, importtest.Options())
		if err != nil || len(records) != len(test.homes) || len(losses) > 0 {
			t.Errorf("%s: %d records, %v, %v", test.name, len(records), losses, err)
			continue
		}
		var homes []string
		for _, r := range records {
			residue, _ := codec.Residue(r, test.format.Name)
			homes = append(homes, residue.Get("path").Text())
		}
		if slices.Sort(homes); !slices.Equal(homes, test.homes) {
			t.Errorf("%s: %q, want %q", test.name, homes, test.homes)
		}
	}
	for name, files := range map[string]map[string]string{
		"harbour": {"01-sails.md": "Reef early."}, "react": {"RULE.md": "Functions only."}, "rules": {"a.md": "Reef early."}, "memory-bank": {"a.md": "Reef early."},
	} {
		for _, format := range []codec.Format{rules.Cline(), rules.Cursor()} {
			if format.Detect(importtest.Folder(name, files)) != codec.No {
				t.Errorf("%s takes the folder %s", format.Name, name)
			}
		}
	}
}
