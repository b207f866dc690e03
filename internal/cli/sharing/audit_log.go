package sharing

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ownersLog is the audit log of the selected owner, possibly a former one, with the known
// names in it.
type ownersLog struct {
	*cli.Session
	caller memory.Caller
	called map[string]string   // tokens by jti
	runs   map[string]namedRun // runs that entries name, by mark
}

// log finds the log.
func log(o *cli.Session, a *cli.App) (ownersLog, error) {
	grants, err := o.Tokens(a.Ctx, o.Caller())
	return ownersLog{Session: o, caller: o.Caller(), called: TokenNames(grants)}, err
}

// TokenNames returns the names of tokens, by jti.
func TokenNames(grants []store.Grant) map[string]string {
	called := make(map[string]string, len(grants))
	for _, g := range grants {
		called[g.ID] = calledBy(g)
	}
	return called
}

// marksOf returns the marks that may stand for an argument in the log: of a memory, and of
// an agent or a checkpoint with this id.
func (l ownersLog) marksOf(a *cli.App, arg string) ([]string, error) {
	id, err := l.FindID(a.Ctx, arg)
	if memory.KindOf(err) == memory.NotFound { // erased, perhaps: the log remembers whole IDs
		id, err = memory.ID("urn:ump:"+strings.TrimPrefix(arg, "urn:ump:")), nil
	}
	if err != nil {
		return nil, err
	}
	marks := []string{l.AuditMark(l.caller, string(id)), l.AuditMark(l.caller, arg), l.AuditMark(l.caller, agents.IDOf(arg))}
	if marks[0] == "" {
		return nil, errors.New("the key of the owner whose log it is is not at hand, without which the log does not tell memories apart")
	}
	return marks, nil
}

// idsOf finds the store's memories in entries, by their marks. It finds none if the key of
// the log's owner does not open.
func (l ownersLog) idsOf(a *cli.App, entries []audit.Entry) (map[string]memory.ID, error) {
	sought := map[string]bool{}
	for _, e := range entries {
		for _, mark := range e.Records {
			sought[mark] = true
		}
	}
	if len(sought) == 0 || l.AuditMark(l.caller, "x") == "" {
		return nil, nil
	}
	found := map[string]memory.ID{}
	for _, owner := range slices.Compact([]memory.DID{l.Owner, l.Config.Owner}) { // a former owner's memories are the present one's
		err := l.Store.View(a.Ctx, owner, func(r store.Reader) error {
			return documents.EachRow(a.Ctx, r, store.Filter{}, func(row store.Row) {
				if mark := l.AuditMark(l.caller, string(row.ID)); sought[mark] {
					found[mark] = row.ID
				}
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// mostNamed is how many memories of an entry are named to people.
const mostNamed = 5

// which names the memories of an entry that still exist. Without the key ids is nil.
func (l ownersLog) which(e audit.Entry, ids map[string]memory.ID) string {
	if ids == nil || len(e.Records) == 0 {
		return ""
	}
	var named []string
	erased := 0
	for _, mark := range e.Records {
		if id, ok := ids[mark]; ok {
			named = append(named, cli.ShortID(id))
		} else {
			erased++
		}
	}
	if more := len(named) - mostNamed; more > 0 {
		named = append(named[:mostNamed], cli.Plural(more, "other", "others"))
	}
	switch {
	case erased == len(e.Records):
		named = []string{"erased"}
	case erased > 0:
		named = append(named, cli.Plural(erased, "erased", "erased"))
	}
	return " (" + strings.Join(named, " ") + ")"
}

// machineEntry returns an entry for machines, with the names that are known here.
func (l ownersLog) machineEntry(e audit.Entry, ids map[string]memory.ID) audit.Line {
	out := e.Line()
	out.Name = l.called[cmp.Or(e.Token, bearer(e))]
	for _, mark := range e.Records {
		if id, ok := ids[mark]; ok {
			out.IDs = append(out.IDs, id)
		}
	}
	named, step := l.runOf(e)
	out.Run, out.Call, out.Tool, out.Model = named.id, step.call, step.tool, step.model
	return out
}
