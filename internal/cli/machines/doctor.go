package machines

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
)

// Finding is what satchel doctor reports about the owner's machines.
type Finding struct {
	Message string
	Mend    string // what to do; empty: nothing
}

// longAgo is how long a remote may fail before doctor reports it, and how long doctor reports a
// cut audit log.
const longAgo = 30 * 24 * time.Hour

// Examine checks sync.json, the machine's key and the audit logs of other machines. It sends
// nothing.
func Examine(a *cli.App, o *cli.Session) []Finding {
	s, err := readState(o.Home)
	if err != nil {
		return []Finding{{cli.Describe(err), "move the file away, and name your remotes again with satchel sync add"}}
	}
	if !o.Key.IsZero() {
		if _, err := readMachine(o.Home, o.Key); err != nil && !errors.Is(err, errNoMachine) {
			return []Finding{{cli.Describe(err), "satchel pair makes this machine one of the owner's again, and lets others join"}}
		}
	}
	own := s.of(o.Owner)
	var found []Finding
	for _, r := range own.kept() {
		if r.Failed != "" && a.Now().Sub(r.Met) > longAgo {
			met := "this machine never met the others at " + r.Name
			if !r.Met.IsZero() {
				met = fmt.Sprintf("this machine last met the others at %s %s", r.Name, cli.HowOld(r.Met, a.Now()))
			}
			found = append(found, Finding{met + ": " + r.Failed, "satchel sync " + r.Name + " tries again, satchel sync remove " + r.Name + " forgets it"})
		}
	}
	found = append(found, cutLogs(a, o)...)
	if len(found) > 0 || len(own.kept())+len(own.Asking) == 0 {
		return found
	}
	text := "this machine meets the others at " + cli.Plural(len(own.kept()), "remote", "remotes")
	if len(own.Asking) > 0 {
		var names []string
		for _, m := range own.Asking {
			names = append(names, m.Name)
		}
		text += "; " + strings.Join(names, ", ") + " asked to take part, see satchel devices"
	}
	return []Finding{{text, ""}}
}

// cutLogs reports machines whose audit log was found cut not long ago.
func cutLogs(a *cli.App, o *cli.Session) (found []Finding) {
	all, err := replicate.MachinesOf(a.Ctx, o.Vault, o.Owner)
	cut, failed := replicate.LogsCut(a.Ctx, o.Vault, o.Owner)
	if err := errors.Join(err, failed); err != nil {
		return []Finding{{cli.Describe(err), "satchel sync tries again"}}
	}
	for _, m := range all {
		if at := cut[m.ID]; !at.IsZero() && a.Now().Sub(at) < longAgo {
			found = append(found, Finding{fmt.Sprintf("the audit log of %s was found to lack entries that it had, %s: its store was put back to an earlier copy, or the log was cut", cli.Clean(m.Name), cli.HowOld(at, a.Now())),
				"if nobody of yours put it back, look at satchel audit show there, and change your key: satchel owner rekey"})
		}
	}
	return found
}
