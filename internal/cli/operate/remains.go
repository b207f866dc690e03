package operate

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// restoring is the prefix of the folder in which a restore makes a store.
const restoring = ".satchel-restore-"

// abandoned is the age at which no program uses a temporary file any more.
const abandoned = 24 * time.Hour

// remains lists the files of killed programs: they hold content or keys, and nobody uses
// them any more.
func remains(h cli.Home, now time.Time) []string {
	var found []string
	for _, pattern := range []string{
		filepath.Join(escapeGlob(h.Dir), ".spool-*"), filepath.Join(escapeGlob(h.Dir), ".satchel-*"),
		filepath.Join(escapeGlob(h.Keys()), ".key-*"), filepath.Join(escapeGlob(filepath.Dir(h.Dir)), restoring+"*"),
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			continue // the pattern is ours
		}
		for _, path := range paths {
			info, err := os.Lstat(path)
			if err == nil && info.Mode()&fs.ModeSymlink == 0 && now.Sub(info.ModTime()) > abandoned {
				found = append(found, path)
			}
		}
	}
	return found
}

// escapeGlob makes a folder's name match itself alone.
func escapeGlob(dir string) string {
	var out []rune
	for _, r := range dir {
		if r == '*' || r == '?' || r == '[' {
			out = append(out, '[', r, ']')
			continue
		}
		out = append(out, r)
	}
	return string(out)
}
