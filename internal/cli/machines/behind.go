package machines

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// behind names the machines and the folders of the selected owner that do not know yet what
// was erased here. An owner without machines has none.
func behind(a *cli.App, o *cli.Session) (names []string, err error) {
	f, err := enter(a, o, false)
	if errors.Is(err, errNoMachine) || o.Key.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := readState(o.Home)
	if err != nil {
		return nil, err
	}
	all, err := f.memory.Machines(a.Ctx)
	if err != nil {
		return nil, err
	}
	remotes := s.of(o.Owner).Remotes
	for _, m := range all {
		if !m.Removed.IsZero() || m.ID == f.machine.Key.DID() {
			continue
		}
		seen, err := f.sightOf(a.Ctx, m.ID, remotes)
		if err != nil {
			return nil, err
		}
		if seen.lacks != "no" {
			names = append(names, m.Name)
		}
	}
	for _, r := range remotes {
		if isPeer(r.Address) {
			continue
		}
		known, err := f.folderKnown(a.Ctx, r)
		if err != nil {
			return nil, err
		}
		marks, _, err := f.memory.Erased(a.Ctx, known.Cleared)
		if err != nil {
			return nil, err
		}
		if len(marks) > 0 && !r.Met.IsZero() { // an erased owner's memory knows no remote any more
			names = append(names, r.Name)
		}
	}
	return names, nil
}

// TellBehind says who does not know yet what was erased here.
func TellBehind(a *cli.App, o *cli.Session) []string {
	names, err := behind(a, o)
	if err != nil {
		a.Warn("which of your machines do not know of the erasure yet could not be found out: %s", cli.Describe(err))
		return nil
	}
	if len(names) > 0 && !a.JSON {
		a.Warn("not erased yet on %s: each is cleared when it meets this machine by satchel sync; satchel sync --status shows them", cli.Clean(strings.Join(names, ", ")))
	}
	return names
}
