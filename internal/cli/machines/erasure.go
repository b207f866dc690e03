package machines

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// notErased returns the names of the selected owner's machines and folders that do not know of
// all erasures on this machine. An owner without machines has none.
func notErased(a *cli.App, o *cli.Session) (names []string, err error) {
	t, err := openThisMachine(a, o, false)
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
	all, err := t.memory.Machines(a.Ctx)
	if err != nil {
		return nil, err
	}
	remotes := s.of(o.Owner).Remotes
	for _, m := range all {
		if !m.Removed.IsZero() || m.ID == t.machine.Key.DID() {
			continue
		}
		status, err := t.statusOf(a.Ctx, m.ID, remotes)
		if err != nil {
			return nil, err
		}
		if status.lacks != "no" {
			names = append(names, m.Name)
		}
	}
	for _, r := range remotes {
		if isPeer(r.Address) {
			continue
		}
		known, err := t.folderKnown(a.Ctx, r)
		if err != nil {
			return nil, err
		}
		marks, _, err := t.memory.Erased(a.Ctx, known.Cleared)
		if err != nil {
			return nil, err
		}
		if len(marks) > 0 && !r.Met.IsZero() { // an erased owner's memory knows no remote any more
			names = append(names, r.Name)
		}
	}
	return names, nil
}

// WarnNotErased warns of the machines and folders that do not know of all erasures on this
// machine, and returns their names. With --json it prints nothing.
func WarnNotErased(a *cli.App, o *cli.Session) []string {
	names, err := notErased(a, o)
	if err != nil {
		a.Warn("which of your machines do not know of the erasure yet could not be found out: %s", cli.Describe(err))
		return nil
	}
	if len(names) > 0 && !a.JSON {
		a.Warn("not erased yet on %s: each is cleared when it meets this machine by satchel sync; satchel sync --status shows them", cli.Clean(strings.Join(names, ", ")))
	}
	return names
}
