package rules

import (
	"io/fs"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/text/notebook"
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
	notebook.Walk(tree, path.Clean(above+"."), func(name string, isDir bool) bool {
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
// of the project's own folder. stopped is as [notebook.Walk] returns it.
func nested(tree fs.FS, pattern string) (all []string, stopped string, err error) {
	folder, _, _ := strings.Cut(pattern, "/")
	var homes []string
	stopped = notebook.Walk(tree, ".", func(name string, isDir bool) bool {
		if isDir && path.Base(name) == folder && name != folder {
			homes = append(homes, path.Dir(name))
		}
		return !notebook.IsForeign(path.Base(name))
	})
	for _, home := range homes {
		found, err := glob(tree, home+"/"+pattern)
		if err != nil {
			return nil, "", err
		}
		all = append(all, found...)
	}
	return all, stopped, nil
}
