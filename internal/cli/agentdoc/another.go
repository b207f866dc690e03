package agentdoc

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

// documentIdentity says which agent a document belongs to.
type documentIdentity struct {
	keys  []string // identifying values in an order that depends on the kind; an empty one is unknown
	words string   // describes the document in a refusal to overwrite it
}

// identityOf returns the identity of a document of any format: the agent_id of a
// definition, the ids of a checkpoint, the name and address of a card.
func identityOf(v canon.Value) documentIdentity {
	v = aaif.FromJSONLD(v)
	switch aaif.KindOf(v) {
	case aaif.AgentKind:
		return ownedByID(v, "the definition of another agent")
	case aaif.StateKind:
		id, of := v.Get("state_id").Text(), v.Get("agent_id").Text()
		return documentIdentity{[]string{id, of}, "another checkpoint, " + cli.OneLine(id, 80) + " of agent " + cli.OneLine(of, 80)}
	}
	if edition := a2a.Edition(v); edition != "" {
		name, at := v.Get("name").Text(), v.Get("url").Text()
		if edition == a2a.V1 {
			at = firstOf(v.Get("supportedInterfaces")).Get("url").Text()
		}
		return documentIdentity{[]string{name, at}, "the card of another agent, " + cli.OneLine(name, 60) + " (" + cli.OneLine(at, 200) + ")"}
	}
	if assistants.IsAssistant(v) {
		if d, _, err := assistants.From(v, exchange.Options{}); err == nil {
			return ownedByID(d.Document(), "the assistant of another agent")
		}
	}
	return documentIdentity{}
}

func ownedByID(v canon.Value, what string) documentIdentity {
	id := v.Get("agent_id").Text()
	return documentIdentity{[]string{id}, what + ", " + cli.OneLine(v.Get("agent").Get("name").Text(), 60) + " (" + cli.OneLine(id, 80) + ")"}
}

// firstOf returns the first item of a list, if any.
func firstOf(list canon.Value) canon.Value {
	if list.Len() == 0 || list.Type() != canon.TypeArray {
		return canon.Value{}
	}
	return list.Items()[0]
}

// isAnother reports whether two documents are known to belong to different agents.
func (o documentIdentity) isAnother(than documentIdentity) bool {
	return len(o.keys) == len(than.keys) && slices.ContainsFunc(o.pairs(than), func(p [2]string) bool {
		return p[0] != "" && p[1] != "" && !strings.EqualFold(p[0], p[1])
	})
}

func (o documentIdentity) pairs(with documentIdentity) [][2]string {
	pairs := make([][2]string, len(o.keys))
	for i, mark := range o.keys {
		pairs[i] = [2]string{mark, with.keys[i]}
	}
	return pairs
}

// mayGiveWay refuses to overwrite a document of another agent, which would be lost.
func (f OverFlags) MayGiveWay(a *cli.App, path string, v canon.Value) error {
	if f.Force || !hasContent(path) {
		return nil
	}
	raw, err := BytesOf(a, path, maxForeign)
	if err != nil {
		return nil // the identity is unknown; writing reports other errors
	}
	there, err := AnyTree(raw)
	if err != nil {
		return nil
	}
	if was := identityOf(there); was.isAnother(identityOf(v)) {
		return cli.Refusedf("%s is there and holds %s: remove it, or name another file; --force replaces it", cli.Clean(path), was.words)
	}
	return nil
}
