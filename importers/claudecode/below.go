package claudecode

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// rulesBelow lists the files of rules in the folders of a project. It does not enter hidden
// folders and those of what the project depends on.
func (f *folder) rulesBelow() (names []string, err error) {
	if f.src.Tree == nil {
		return nil, nil
	}
	err = fs.WalkDir(f.src.Tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil && entry == nil:
			return err
		case err != nil, entry.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "vendor"):
			return fs.SkipDir
		case !entry.IsDir() && base != name && slices.Contains(ruleFiles(), base):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// tellBelow reports the files of rules in folders that no import named.
func (r *reader) tellBelow() {
	for _, name := range r.below {
		if !r.read[name] {
			r.lose(name, lossBelow)
		}
	}
	r.below = nil
}
