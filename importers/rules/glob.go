package rules

import (
	"io/fs"
	"path"
	"strings"
)

// anyDepth is the part of a pattern that stands for any number of folders, also for none.
const anyDepth = "**"

// glob is [fs.Glob] for patterns that may have one part ** for folders at any depth. With **
// it lists files only, those of a folder before those of the folders in it.
func glob(tree fs.FS, pattern string) ([]string, error) {
	above, below, deep := strings.Cut(pattern, anyDepth)
	if !deep {
		return fs.Glob(tree, pattern)
	}
	below = strings.TrimPrefix(below, "/")
	var all []string
	walk(tree, path.Clean(above+"."), func(name string, isDir bool) bool {
		fits, err := path.Match(below, path.Base(name))
		if !isDir && (below == "" || err == nil && fits) {
			all = append(all, name)
		}
		return true
	})
	return all, nil
}

// match is [path.Match] for the patterns of glob.
func match(pattern, name string) bool {
	above, below, deep := strings.Cut(pattern, anyDepth)
	if deep {
		if !strings.HasPrefix(name, above) {
			return false
		}
		pattern, name = strings.TrimPrefix(below, "/"), path.Base(name)
	}
	fits, err := path.Match(pattern, name)
	return err == nil && fits
}

// nested returns the files of a pattern with ** in the folders of a project, without those
// of the project's own folder.
func nested(tree fs.FS, pattern string) ([]string, error) {
	folder, _, _ := strings.Cut(pattern, "/")
	var homes, all []string
	walk(tree, ".", func(name string, isDir bool) bool {
		if isDir && path.Base(name) == folder && name != folder {
			homes = append(homes, path.Dir(name))
		}
		return !isForeign(path.Base(name))
	})
	for _, home := range homes {
		found, err := glob(tree, home+"/"+pattern)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// isForeign reports whether a folder holds no files of the project's own: what it depends
// on, or the settings of a program.
func isForeign(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor"
}

// walk visits the files and folders in a folder, and those in the folders for which visit
// returns true. Folders that cannot be opened are empty. walk follows links to folders only
// in dir itself, so that a circle of links ends.
func walk(tree fs.FS, dir string, visit func(name string, isDir bool) bool) {
	folders := []string{dir}
	for len(folders) > 0 {
		next := folders[0]
		folders = folders[1:]
		entries, err := fs.ReadDir(tree, next)
		if err != nil {
			continue
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
}
