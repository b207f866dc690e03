package aicffile

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf"
)

func TestExtension(t *testing.T) {
	t.Run("AICF-FILE-1 files of a folder are called .aicf, and are found by that", func(t *testing.T) {
		folder := t.TempDir()
		c := &aicf.Contents{Dialect: aicf.Spec, Entries: []aicf.Entry{insight("one"), &aicf.State{Pairs: []aicf.Pair{{Key: "a", Value: "b"}}}}}
		if _, err := WriteSplit(folder, c, Options{}); err != nil {
			t.Fatal(err)
		}
		names, _ := filepath.Glob(filepath.Join(folder, "*"))
		if len(names) != 2 {
			t.Fatalf("%q", names)
		}
		for _, name := range names {
			if _, err := Read(name, partial()); err != nil || !strings.HasSuffix(name, ".aicf") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
