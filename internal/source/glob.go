package source

import (
	"io/fs"
	"path"
	"strings"
)

// glob works like [fs.Glob], but opens only entries that are listed as folders: a folder
// may hold a hundred thousand files, and a dozen formats ask for the content of its
// folders.
func glob(tree fs.ReadDirFS, pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	return matches(tree, ".", strings.Split(pattern, "/")), nil
}

// matches returns the entries of a folder that match the parts of a pattern. A folder that
// cannot be listed matches nothing.
func matches(tree fs.ReadDirFS, folder string, parts []string) (found []string) {
	if !strings.ContainsAny(parts[0], `*?[\`) {
		name := path.Join(folder, parts[0])
		if len(parts) > 1 {
			return matches(tree, name, parts[1:])
		}
		if _, err := fs.Stat(tree, name); err != nil {
			return nil
		}
		return []string{name}
	}
	entries, err := tree.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		fits, err := path.Match(parts[0], e.Name())
		switch {
		case err != nil || !fits:
		case len(parts) == 1:
			found = append(found, path.Join(folder, e.Name()))
		case e.IsDir():
			found = append(found, matches(tree, path.Join(folder, e.Name()), parts[1:])...)
		}
	}
	return found
}
