package notebook

import (
	"io/fs"
	"path"
	"strings"
)

// mostWalked is how many files and folders Walk visits.
const mostWalked = 100_000

// Walk visits the files and folders in a folder, and those in the folders for which visit
// returns true. Folders that cannot be opened are empty. Walk follows links to folders only
// in dir itself, so that a circle of links ends. stopped is the folder at which it gave up,
// since there are too many files; empty: it visited all.
func Walk(tree fs.FS, dir string, visit func(name string, isDir bool) bool) (stopped string) {
	visited, folders := 0, []string{dir}
	for len(folders) > 0 {
		next := folders[0]
		folders = folders[1:]
		entries, err := fs.ReadDir(tree, next)
		if err != nil {
			continue
		}
		if visited += len(entries); visited > mostWalked {
			return next
		}
		for _, entry := range entries {
			name, isDir := path.Join(next, entry.Name()), entry.IsDir()
			if next == dir && entry.Type()&fs.ModeSymlink != 0 {
				info, err := fs.Stat(tree, name)
				isDir = err == nil && info.IsDir()
			}
			if visit(name, isDir) && isDir {
				folders = append(folders, name)
			}
		}
	}
	return ""
}

// IsForeign reports whether a folder of a project holds no files of the project's own: what
// it depends on, or the settings of a program.
func IsForeign(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor"
}
