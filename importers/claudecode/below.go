package claudecode

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/notebook"
)

// rulesBelow lists the files of rules in the folders of a project, and the folder from which
// on there were too many files to look at.
func (f *folder) rulesBelow() (names []string) {
	if f.src.Tree == nil {
		return nil
	}
	stopped := notebook.Walk(f.src.Tree, ".", func(name string, isDir bool) bool {
		if !isDir && strings.Contains(name, "/") && slices.Contains(ruleFiles(), path.Base(name)) {
			names = append(names, name)
		}
		return !notebook.IsForeign(path.Base(name))
	})
	slices.Sort(names)
	if stopped != "" {
		names = append(names, stopped)
	}
	return names
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
