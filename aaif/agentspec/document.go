package agentspec

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// format is the name of this format in errors.
const format = "agentspec"

// Options choose an agent of a document.
type Options struct {
	Agent string // name or id; empty: see the package comment
	exchange.Options
}

// mostHops bounds a chain of references.
const mostHops = 16

// IsDocument reports whether a tree is a document of the Open Agent Specification.
func IsDocument(v canon.Value) bool { return v.Get("component_type").Type() == canon.TypeString }

// Agents returns the names of the agents of a document in order.
func Agents(v canon.Value) []string {
	s, err := exchange.Open(format, v, exchange.Options{})
	if err != nil {
		return nil
	}
	r := &reader{components: map[string]exchange.Place{}}
	if r.gather(s.Root()) != nil {
		return nil
	}
	var names []string
	for _, a := range r.agents {
		names = append(names, a.Get("name").Peek())
	}
	return names
}

// From returns the definition that an agent of a document describes, and its losses by
// pointers into the document. It refuses other documents, and unknown agents, with a
// [codec.ParseError].
func From(v canon.Value, o Options) (aaif.Definition, []codec.Loss, error) {
	s, err := exchange.Open(format, v, o.Options)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	r := &reader{source: s, draft: exchange.NewDraft(), root: s.Root(), components: map[string]exchange.Place{}}
	if !IsDocument(r.root.Value) {
		return aaif.Definition{}, nil, s.Refuse(r.root, "11-4", "not of the Open Agent Specification: it has no component_type")
	}
	if err := r.gather(r.root); err != nil {
		return aaif.Definition{}, nil, err
	}
	if err := r.choose(o.Agent); err != nil {
		return aaif.Definition{}, nil, err
	}
	if r.agent.Get("name").Peek() == "" {
		return aaif.Definition{}, nil, s.Refuse(r.agent.Get("name"), "4-7", "an agent wants a name")
	}
	switch kind := r.root.Get("component_type"); kind.Peek() {
	case "Agent", "SpecializedAgent":
		kind.Skip()
	default:
		kind.Lose("of what is more than an agent, one agent is taken")
	}
	r.root.Get("agentspec_version").Skip()
	r.all()
	return s.Finish(r.draft)
}

// reader reads an agent into a draft.
type reader struct {
	source     *exchange.Source
	draft      *exchange.Draft
	root       exchange.Place
	components map[string]exchange.Place // by the names in references
	agents     []exchange.Place
	agent      exchange.Place
	special    exchange.Place // additions to the agent, if any
	approve    []string       // tools that need a person's approval
}

// gather finds the agents, and the components that references name.
func (r *reader) gather(p exchange.Place) error {
	if p.Get("component_type").Peek() == "Agent" {
		r.agents = append(r.agents, p)
	}
	const referenced = "$referenced_components"
	for i, c := range p.Get(referenced).Members() {
		name := p.Get(referenced).Value.Members()[i].Name
		if _, twice := r.components[name]; twice {
			return exchange.Refuse(format, "4-1", c.Pointer, aaif.Duplicated, "two components have one name for references")
		}
		r.components[name] = c
	}
	for _, inner := range append(p.Items(), p.Members()...) {
		if err := r.gather(inner); err != nil {
			return err
		}
	}
	return nil
}

// follow returns the target of a reference, and any other value as it is.
func (r *reader) follow(p exchange.Place) exchange.Place {
	for range mostHops {
		ref := p.Get("$component_ref")
		target, ok := r.components[ref.Peek()]
		if !ok {
			if ref.Has() {
				ref.Lose("refers to what is not in the document")
			}
			return p
		}
		ref.Skip()
		p = target
	}
	p.Lose("refers to what leads back to it")
	return exchange.Place{}
}

// choose finds the wanted agent, and lists the others as lost.
func (r *reader) choose(wanted string) error {
	var preferred exchange.Place
	switch r.root.Get("component_type").Peek() {
	case "Agent":
		preferred = r.root
	case "SpecializedAgent":
		preferred = r.follow(r.root.Get("agent"))
		r.special = r.follow(r.root.Get("agent_specialization_parameters"))
	case "ManagerWorkers":
		preferred = r.follow(r.root.Get("group_manager"))
	}
	at := -1
	for i, a := range r.agents {
		same := wanted == a.Get("name").Peek() || wanted == a.Get("id").Peek()
		if wanted != "" && same && at < 0 || wanted == "" && a.Pointer == preferred.Pointer && preferred.Has() {
			at = i
		}
	}
	switch {
	case at < 0 && wanted == "" && len(r.agents) > 0:
		at = 0
	case at < 0:
		return exchange.Refuse(format, "11-4", "", aaif.AgentUnknown, "no such agent in the document")
	}
	r.agent = r.agents[at]
	if r.agent.Pointer != preferred.Pointer {
		r.special = exchange.Place{}
	}
	for i, a := range r.agents {
		if i != at && a.Pointer != "" {
			a.Lose("another agent of the document: name it to convert it")
		}
	}
	return nil
}
