package agentspec

import (
	"slices"
	"strings"

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

// Agents returns the names of the agents and flows of a document, in order. The first is the
// default of a conversion.
func Agents(v canon.Value) []string {
	s, err := exchange.Open(format, v, exchange.Options{})
	if err != nil {
		return nil
	}
	r := &reader{root: s.Root(), components: map[string]exchange.Place{}}
	if r.gather(r.root) != nil || r.choose("") != nil {
		return nil
	}
	names := []string{r.agent.Get("name").Peek()}
	for _, a := range r.agents {
		if a.Pointer != r.agent.Pointer {
			names = append(names, a.Get("name").Peek())
		}
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
		if r.agent.Pointer != "" {
			kind.Lose("of what is more than an agent, one agent is taken")
		}
	}
	r.root.Get("agentspec_version").Skip()
	if isFlow(r.agent) {
		r.flow()
	} else {
		r.all()
	}
	r.loseOthers()
	return s.Finish(r.draft)
}

// reader reads an agent into a draft.
type reader struct {
	source     *exchange.Source
	draft      *exchange.Draft
	root       exchange.Place
	components map[string]exchange.Place // by the names in references
	agents     []exchange.Place          // agents, and flows of agents
	teams      []exchange.Place          // managers with workers, and swarms
	agent      exchange.Place            // the one that becomes the definition
	special    exchange.Place            // additions to the agent, if any
	approve    []string                  // tools that need a person's approval
	servers    bool                      // so do all tools of MCP servers
	group      group                     // the agents that it works with
	flows      map[string]bool           // pointers of the flows that have an agent in them
}

// gather finds the agents, and the components that references name.
func (r *reader) gather(p exchange.Place) error {
	switch p.Get("component_type").Peek() {
	case "Agent", "Flow":
		r.agents = append(r.agents, p)
	case "ManagerWorkers", "Swarm":
		r.teams = append(r.teams, p)
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

// follow takes a reference and returns its target, and any other value as it is.
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

// target is follow without taking the reference.
func (r *reader) target(p exchange.Place) exchange.Place {
	for range mostHops {
		next, ok := r.components[p.Get("$component_ref").Peek()]
		if !ok {
			return p
		}
		p = next
	}
	return exchange.Place{}
}

// choose finds the wanted agent.
func (r *reader) choose(wanted string) error {
	r.findFlows()
	r.agents = slices.DeleteFunc(r.agents, func(a exchange.Place) bool { return isFlow(a) && !r.flows[a.Pointer] })
	if wanted != "" {
		return r.chooseNamed(wanted)
	}
	preferred, found := r.lead(r.root)
	if r.root.Get("component_type").Peek() == "SpecializedAgent" {
		preferred, found = r.follow(r.root.Get("agent")), true
	}
	at := slices.IndexFunc(r.agents, func(a exchange.Place) bool { return a.Pointer == preferred.Pointer && preferred.Has() })
	switch {
	case at < 0 && (len(r.agents) == 0 || !found && !isFlow(r.root)):
		return exchange.Refuse(format, "11-4", preferred.Pointer, aaif.AgentUnknown, "%s", elsewhere(preferred))
	case at < 0:
		at = 0
	}
	r.take(r.agents[at])
	return nil
}

// chooseNamed finds the agent with an id or a name.
func (r *reader) chooseNamed(wanted string) error {
	has := func(member string) func(exchange.Place) bool {
		return func(a exchange.Place) bool { return a.Get(member).Peek() == wanted }
	}
	at := slices.IndexFunc(r.agents, has("id"))
	if at < 0 {
		at = slices.IndexFunc(r.agents, has("name"))
		if at >= 0 && slices.ContainsFunc(r.agents[at+1:], has("name")) {
			return exchange.Refuse(format, "11-4", "", aaif.AgentUnknown, "several agents of the document have this name: take one by its id")
		}
	}
	if at < 0 {
		return exchange.Refuse(format, "11-4", "", aaif.AgentUnknown, "no such agent in the document")
	}
	r.take(r.agents[at])
	return nil
}

// take converts an agent from here on. A document that specialises the agent adds to it.
func (r *reader) take(agent exchange.Place) {
	r.agent = agent
	if r.root.Get("component_type").Peek() != "SpecializedAgent" {
		return
	}
	if r.target(r.root.Get("agent")).Pointer == agent.Pointer {
		r.follow(r.root.Get("agent"))
		r.special = r.follow(r.root.Get("agent_specialization_parameters"))
	}
}

// loseOthers lists the other agents of the document.
func (r *reader) loseOthers() {
	for _, a := range r.agents {
		switch around := r.agent.Pointer == a.Pointer || strings.HasPrefix(r.agent.Pointer, a.Pointer+"/"); {
		case around:
		case r.group.refers[a.Pointer]:
			a.Lose("an agent of its own, to which the definition refers by its id: name it to convert it")
		default:
			a.Lose("another agent of the document: name it to convert it")
		}
	}
}
