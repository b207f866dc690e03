package agent

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/assistants"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
)

// owned says of a document which agent it is of.
type owned struct {
	marks []string // in an order of its kind; an empty one is not known
	words string   // what the document is where another is to be written
}

// ownedBy returns which agent a document is of, in whatever form: a definition by its
// agent_id, a checkpoint by that and its own, a card by its name and address.
func ownedBy(v canon.Value) owned {
	v = aaif.FromJSONLD(v)
	switch aaif.KindOf(v) {
	case aaif.AgentKind:
		return ownedByID(v, "the definition of another agent")
	case aaif.StateKind:
		id, of := v.Get("state_id").Text(), v.Get("agent_id").Text()
		return owned{[]string{id, of}, "another checkpoint, " + cli.OneLine(id, 80) + " of agent " + cli.OneLine(of, 80)}
	}
	if edition := a2a.Edition(v); edition != "" {
		name, at := v.Get("name").Text(), v.Get("url").Text()
		if edition == a2a.V1 {
			at = firstOf(v.Get("supportedInterfaces")).Get("url").Text()
		}
		return owned{[]string{name, at}, "the card of another agent, " + cli.OneLine(name, 60) + " (" + cli.OneLine(at, 200) + ")"}
	}
	if assistants.IsAssistant(v) {
		if d, _, err := assistants.From(v, exchange.Options{}); err == nil {
			return ownedByID(d.Document(), "the assistant of another agent")
		}
	}
	return owned{}
}

func ownedByID(v canon.Value, what string) owned {
	id := v.Get("agent_id").Text()
	return owned{[]string{id}, what + ", " + cli.OneLine(v.Get("agent").Get("name").Text(), 60) + " (" + cli.OneLine(id, 80) + ")"}
}

// firstOf returns the first item of a list, if there is one.
func firstOf(list canon.Value) canon.Value {
	if list.Len() == 0 || list.Type() != canon.TypeArray {
		return canon.Value{}
	}
	return list.Items()[0]
}

// isAnother reports whether both are known to be of agents that are not the same.
func (o owned) isAnother(than owned) bool {
	return len(o.marks) == len(than.marks) && slices.ContainsFunc(o.pairs(than), func(p [2]string) bool {
		return p[0] != "" && p[1] != "" && !strings.EqualFold(p[0], p[1])
	})
}

func (o owned) pairs(with owned) [][2]string {
	pairs := make([][2]string, len(o.marks))
	for i, mark := range o.marks {
		pairs[i] = [2]string{mark, with.marks[i]}
	}
	return pairs
}

// mayGiveWay refuses to write a document over one of another agent: what is replaced
// cannot be had back.
func (f overFlags) mayGiveWay(a *cli.App, path string, v canon.Value) error {
	if f.Force || !inTheWay(path) {
		return nil
	}
	raw, err := BytesOf(a, path, maxForeign)
	if err != nil {
		return nil // of nobody that could be known, and writing says why it cannot
	}
	there, err := anyTree(raw)
	if err != nil {
		return nil
	}
	if was := ownedBy(there); was.isAnother(ownedBy(v)) {
		return cli.Refusedf("%s is there and holds %s: remove it, or name another file; --force replaces it", cli.Clean(path), was.words)
	}
	return nil
}
