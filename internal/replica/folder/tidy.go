package folder

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// tidy deletes this machine's files that its head does not list, the files of removed machines,
// and packs of any machine that hold something erased.
func (s *syncRun) tidy(ctx context.Context) error {
	drop := s.toDelete
	own := s.partOf(s.self.ID)
	for name, f := range own.files {
		if isOurs(name) && !s.isUsed(name) {
			drop = append(drop, f.Name)
		}
	}
	for _, p := range s.parts {
		known, ok := s.machine(p.machine)
		if ok && !known.Removed.IsZero() && s.membersHaveEverything() {
			for name, f := range p.files {
				if isOurs(name) {
					drop = append(drop, f.Name)
				}
			}
		}
	}
	slices.Sort(drop)
	for _, name := range slices.Compact(drop) {
		if err := s.Storage.Delete(ctx, name); err != nil {
			return fmt.Errorf("delete %s: %w", path.Base(name), err)
		}
	}
	s.state.Cleared, s.state.Checked = s.cleared, map[string]filter{}
	for _, p := range s.parts {
		for name := range p.files {
			if f, checked := s.checked[p.checkedKey(name)]; checked {
				s.state.Checked[p.checkedKey(name)] = f
			}
		}
	}
	return nil
}

// isOurs reports whether a file has a name that machines give, or that sync services give to
// copies of such files. tidy leaves all other files alone.
func isOurs(name string) bool {
	age := strings.HasSuffix(name, ".age")
	return isPack(name) || isCopy(name) || isTemporary(name) || age && (strings.HasPrefix(name, "head") || strings.HasPrefix(name, "request"))
}

// isUsed reports whether this machine still needs a file of its part.
func (s *syncRun) isUsed(name string) bool {
	return name == "head.age" || name == "request.age" && s.result.Waiting ||
		slices.ContainsFunc(s.next.Packs, func(r packRef) bool { return r.Name == name }) ||
		slices.ContainsFunc(s.next.Instead, func(i replacement) bool { return i.Rest != nil && i.Rest.Name == name })
}

// membersHaveEverything reports whether the packs of the machines that take part hold the
// owner's whole memory.
func (s *syncRun) membersHaveEverything() bool {
	return s.next.Everything && slices.Equal(s.next.Readers, dids(s.members())) || s.anotherHasEverything()
}

// checkedKey returns the key of a file in checked. A file of another size has another key.
func (p *part) checkedKey(name string) string {
	return fmt.Sprintf("%s/%s:%d", p.tag, name, p.files[name].Size)
}
