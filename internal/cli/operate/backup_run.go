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

// runTables are the files of settings of runs. The switched-on triggers and what is known of
// watched folders are not among them: two stores would start the same agents.
var runTables = [...]string{"run/models.json", "run/tools.json", "run/rules.json", "run/policy.json", "run/telemetry.json", "run/evaluations.json"}

// isRunSetting reports whether a name of an archive is that of a file among the settings of
// runs of agents: a table, a key of a provider, a secret of webhooks, or what definitions may
// read.
func isRunSetting(name string) bool {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	if slices.Contains(runTables[:], name) {
		return true
	}
	for _, flat := range []string{"run/keys/", "run/webhooks/"} {
		if rest, ok := strings.CutPrefix(name, flat); ok {
			return !strings.Contains(rest, "/")
		}
	}
	return strings.HasPrefix(name, "run/context/") || strings.HasPrefix(name, "run/openapi/") || strings.HasPrefix(name, "run/copies/")
}

// whyLeft says why a backup does not hold a file.
func whyLeft(name string) string {
	switch {
	case isRunSetting(name):
		return "it is no plain file, or too long"
	case name == "run/triggers.json", strings.HasPrefix(name, "run/watched/"):
		return "two stores would start the same agents; switch triggers on with satchel agent triggers"
	}
	return "satchel keeps no settings there"
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
