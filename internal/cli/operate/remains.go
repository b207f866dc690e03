package operate

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// restoring is how the folder begins in which a restore makes a store.
const restoring = ".satchel-restore-"

// abandoned is the age at which a temporary file is no longer somebody's at work.
const abandoned = 24 * time.Hour

// remains lists what programs left that were killed: files that hold content or
// keys and that nobody uses any more.
func remains(h cli.Home, now time.Time) []string {
	var found []string
	for _, pattern := range []string{
		filepath.Join(escaped(h.Dir), ".spool-*"), filepath.Join(escaped(h.Dir), ".satchel-*"),
		filepath.Join(escaped(h.Keys()), ".key-*"), filepath.Join(escaped(filepath.Dir(h.Dir)), restoring+"*"),
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

// escaped makes a folder's name match itself alone.
func escaped(dir string) string {
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
