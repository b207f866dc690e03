package claudecode_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/importers/claudecode"
	"github.com/satchel-memory/satchel/importers/importtest"
)

// TestOwnFolder reads the rules of the folder .claude itself, and no folder of that name
// anywhere else.
func TestOwnFolder(t *testing.T) {
	files := map[string]string{"CLAUDE.md": "Use tabs.", "rules/a.md": "Use uv.", "rules/web/b.md": "No eval."}
	for name, want := range map[string][]string{".claude": {"Use tabs.", "Use uv.", "No eval."}, "app": {"Use tabs."}} {
		records, _, err := importtest.Read(claudecode.Format(), importtest.Folder(name, files), importtest.Options())
		var got []string
		for _, r := range records {
			got = append(got, r.Body.Text)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}
