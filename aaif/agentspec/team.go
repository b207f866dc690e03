package agentspec

import (
	"cmp"
	"net/url"
	"strconv"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// group is how the definition's agent works with others.
type group struct {
	role                string // empty: by what there is
	subagents, handoffs []canon.Value
	steps               []canon.Value
	alias               map[string]string // by the pointer of an agent
	used                map[string]int    // aliases, with how many agents asked for each
	refers              map[string]bool   // pointers of agents that the definition names
}

// lead returns the agent or flow whose definition stands for a component: of a team the one
// that is asked first. ok is false for an agent that is described elsewhere, and for what is
// no agent; p is then that component.
func (r *reader) lead(p exchange.Place) (agent exchange.Place, ok bool) {
	for range mostHops {
		p = r.target(p)
		switch p.Get("component_type").Peek() {
		case "Agent":
			return p, true
		case "Flow":
			return p, r.flows[p.Pointer]
		case "ManagerWorkers":
			p = p.Get("group_manager")
		case "Swarm":
			p = p.Get("first_agent")
		default:
			return p, false
		}
	}
	return exchange.Place{}, false
}

// elsewhere says why a component has no definition here, and what can be done.
func elsewhere(p exchange.Place) string {
	switch kind := p.Get("component_type").Peek(); kind {
	case "":
		return "no agent is there: what is referred to is not in the document, or leads back to itself"
	case "A2AAgent":
		return "an A2AAgent runs on another server and is asked over A2A: the document says where it is, and not what it is; fetch its Agent Card (" +
			cardAddress(p.Get("agent_url").Peek()) + ") and convert that"
	case "OciAgent":
		return "an OciAgent is kept by Oracle (OCI Generative AI Agents): the document says by which endpoint it is reached; its instructions, model and tools are in the OCI console: write a definition of what stands there"
	case "Flow", "ManagerWorkers", "Swarm":
		return "no agent in it that a definition could be made of"
	case "SpecializedAgent":
		return "a specialised agent is converted from a document of its own"
	default:
		return "of the kind " + exchange.Printable(kind) + ", of which no definition can be made"
	}
}

// cardAddress returns where the Agent Card of an agent is.
func cardAddress(agent string) string {
	const path = "/.well-known/agent-card.json"
	if u, err := url.Parse(agent); err == nil && exchange.IsHTTP(agent) {
		return exchange.Printable(u.Scheme+"://"+u.Host) + path
	}
	return path + " at its address"
}

// isTeam reports whether the document is of several agents that name each other.
func (r *reader) isTeam() bool {
	switch r.root.Get("component_type").Peek() {
	case "Agent", "SpecializedAgent":
		return false
	}
	return true
}

// idOf returns the id by which definitions name an agent: its own, or one that is made of
// the document and the agent. Ids of components are unique in a document, names are not.
func (r *reader) idOf(agent exchange.Place) string {
	id := agent.Get("id").Peek()
	switch document := cmp.Or(r.root.Get("id").Peek(), r.root.Get("name").Peek()); {
	case exchange.IsID(id):
		return id
	case id != "":
		return exchange.IDOf(format, document, id)
	default:
		return exchange.IDOf(format, document, agent.Get("name").Peek(), agent.Pointer)
	}
}

// member takes an agent that another works with, and returns its alias. A component without
// a definition is listed as lost.
func (r *reader) member(p exchange.Place) (agent exchange.Place, alias string, ok bool) {
	agent, ok = r.lead(p)
	switch {
	case !ok:
		agent.Lose(elsewhere(agent))
		return agent, "", false
	case agent.Pointer == r.agent.Pointer:
		p.Lose("is the agent itself")
		return agent, "", false
	}
	r.settle(p)
	g := &r.group
	if g.alias == nil {
		g.alias, g.used, g.refers = map[string]string{}, map[string]int{}, map[string]bool{}
	}
	g.refers[agent.Pointer] = true
	if had := g.alias[agent.Pointer]; had != "" {
		return agent, had, true
	}
	name := agent.Get("name").Peek()
	if name == "" {
		name = "agent"
	}
	for alias = name; g.used[alias] > 0; alias = name + "_" + strconv.Itoa(g.used[name]) {
		g.used[name]++
	}
	g.used[alias]++
	g.alias[agent.Pointer] = alias
	return agent, alias, true
}

// settle takes a reference. What is written out is listed as an agent of its own.
func (r *reader) settle(p exchange.Place) {
	if p.Get("$component_ref").Has() {
		r.follow(p)
	}
}

// subagent adds an agent that works for the definition's, once.
func (r *reader) subagent(p exchange.Place, role string) (alias string, ok bool) {
	had := len(r.group.alias)
	agent, alias, ok := r.member(p)
	if ok && len(r.group.alias) > had {
		r.group.subagents = append(r.group.subagents, canon.Object(
			canon.Member{Name: "ref", Value: canon.String(r.idOf(agent))},
			canon.Member{Name: "alias", Value: canon.String(alias)},
			canon.Member{Name: "role", Value: canon.String(role)}))
	}
	return alias, ok
}

// teamwork takes the teams that the agent leads or takes part in.
func (r *reader) teamwork() {
	for _, t := range r.teams {
		if t.Get("component_type").Peek() == "Swarm" {
			r.swarm(t)
			continue
		}
		manager := t.Get("group_manager")
		if lead, ok := r.lead(manager); !ok || lead.Pointer != r.agent.Pointer {
			continue
		}
		r.settle(manager)
		r.settleTeam(t)
		for _, w := range t.Get("workers").Items() {
			r.subagent(w, "worker")
		}
	}
	r.orchestrate()
}

// settleTeam settles what marks a team as one.
func (r *reader) settleTeam(t exchange.Place) {
	if t.Pointer != "" {
		t.Get("component_type").Skip()
	}
	t.Get("id").Skip()
}

// swarm takes the relationships in which the agent asks others, or hands over to them.
func (r *reader) swarm(t exchange.Place) {
	ask, hand := handover(t.Get("handoff"))
	part := false
	for _, pair := range t.Get("relationships").Items() {
		two := pair.Items()
		if len(two) != 2 {
			continue
		}
		if caller, ok := r.lead(two[0]); !ok || caller.Pointer != r.agent.Pointer {
			pair.Lose("between other agents: the definition of the one that asks has it")
			continue
		}
		part = true
		r.settle(two[0])
		if ask {
			r.subagent(two[1], "specialist")
		}
		if hand {
			r.handoff(two[1])
		}
	}
	if !part {
		return
	}
	r.settleTeam(t)
	r.settle(t.Get("first_agent"))
	t.Get("handoff").Skip()
	if hand {
		r.source.Lose(t.Get("relationships").Pointer, "whom a run is handed over to is the model's decision: the conditions ask for an intent that has the name of the other agent, which the platform has to set")
	}
}

// handover says whether agents of a swarm ask each other, and hand over to each other.
func handover(p exchange.Place) (ask, hand bool) {
	switch {
	case !p.Has() || p.Value.True() || p.Peek() == "optional":
		return true, true
	case p.Peek() == "always":
		return false, true
	case p.Value.Type() != canon.TypeBool && p.Peek() != "never":
		p.Lose("in a form that is not known: nobody hands over")
	}
	return true, false
}

// handoff adds an agent that takes over.
func (r *reader) handoff(p exchange.Place) {
	agent, alias, ok := r.member(p)
	if !ok {
		return
	}
	r.group.handoffs = append(r.group.handoffs, canon.Object(
		canon.Member{Name: "condition", Value: exchange.Condition(exchange.Equals("intent", alias), "the agent decides that "+alias+" takes over")},
		canon.Member{Name: "target_agent", Value: canon.String(r.idOf(agent))}))
}

// orchestrate sets how the agent works with others, if it does.
func (r *reader) orchestrate() {
	g := r.group
	if len(g.subagents)+len(g.handoffs) == 0 {
		return
	}
	set := func(list []canon.Value, name string) {
		if len(list) > 0 {
			r.draft.Set(canon.Array(list...), "agent", "orchestration", name)
		}
	}
	role := "orchestrator"
	if g.role != "" {
		role = g.role
	} else if len(g.subagents) == 0 {
		role = "router"
	}
	r.draft.Set(canon.String(role), "agent", "orchestration", "role")
	set(g.subagents, "subagents")
	set(g.handoffs, "handoff")
	set(g.steps, "pipeline")
}
