package operate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// The bounds of the settings of runs in a backup.
const (
	mostRunFiles = 1000
	mostRunFile  = 4 << 20  // bytes of a file: a description of OpenAPI may be long
	mostRunBytes = 64 << 20 // of all files
)

// isRunSetting reports whether a name of an archive is that of a file among the settings of
// runs of agents: a table, a key of a provider, or what definitions may read.
func isRunSetting(name string) bool {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	if slices.Contains([]string{"run/models.json", "run/tools.json", "run/rules.json"}, name) {
		return true
	}
	key, ok := strings.CutPrefix(name, "run/keys/")
	return ok && !strings.Contains(key, "/") || strings.HasPrefix(name, "run/context/") || strings.HasPrefix(name, "run/openapi/")
}

// mostOf returns the most bytes that a file of a backup may have, the database excepted.
func mostOf(name string) int64 {
	if isRunSetting(name) {
		return mostRunFile
	}
	return cli.MaxSmall
}

// runSettings lists the settings of runs as a backup names them, and those that it leaves out.
func runSettings(h cli.Home) (names, left []string, err error) {
	size := int64(0)
	err = fs.WalkDir(os.DirFS(h.Dir), "run", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() || strings.HasPrefix(entry.Name(), "."):
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !isRunSetting(name) || !info.Mode().IsRegular() || info.Size() > mostRunFile || len(names) == mostRunFiles || size+info.Size() > mostRunBytes {
			left = append(left, name)
			return nil
		}
		names, size = append(names, name), size+info.Size()
		return nil
	})
	return names, left, err
}
