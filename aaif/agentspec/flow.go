package agentspec

import (
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

func isFlow(p exchange.Place) bool { return p.Get("component_type").Peek() == "Flow" }

// flow takes a flow as an agent without instructions, which has the agents of the flow at
// work: one after the other if the flow is a line of agents, or one of them if it is a router.
func (r *reader) flow() {
	r.identity()
	f := r.agent
	line, why := r.line(f)
	if found, ok := r.router(f); ok {
		r.route(f, found)
	} else {
		r.steps(f, line, why)
	}
	r.orchestrate()
	r.draft.Set(canon.String(format), "provenance", "source_platform")
	r.source.Goal(r.draft, f.Get("description").Peek(), f.Get("name").Peek())
}

// steps takes the agents of a flow: those of a line as a pipeline, and of any other flow,
// which why describes, without an order.
func (r *reader) steps(f exchange.Place, line []exchange.Place, why string) {
	nodes := line
	if why != "" {
		nodes = r.stepsOf(f)
		f.Get("control_flow_connections").Lose("no pipeline, which is a line of agents, and no router: " + why + "; the agents are listed, and in which order they work is not")
	}
	for _, n := range nodes {
		alias, ok := r.subagent(stepAgent(n), "worker")
		n.Get("component_type").Skip()
		n.Get("id").Skip()
		if ok && why == "" {
			r.group.steps = append(r.group.steps, canon.String(alias))
		}
	}
	if why == "" {
		r.settleEdges(f, exchange.Place{})
		f.Get("data_flow_connections").Lose("a pipeline passes the output of each agent on to the next as a whole")
	}
}

// findFlows finds the flows that have an agent in them, or another such flow, down to
// [mostHops] flows within each other.
func (r *reader) findFlows() {
	r.flows = map[string]bool{}
	for range mostHops {
		found := false
		for _, a := range r.agents {
			if isFlow(a) && !r.flows[a.Pointer] && len(r.stepsOf(a)) > 0 {
				r.flows[a.Pointer], found = true, true
			}
		}
		if !found {
			return
		}
	}
}

// stepAgent returns the agent or flow that a node of a flow runs.
func stepAgent(node exchange.Place) exchange.Place {
	if node.Get("component_type").Peek() == "FlowNode" {
		return node.Get("subflow")
	}
	return node.Get("agent")
}

// stepsOf returns the nodes of a flow that run an agent or a flow.
func (r *reader) stepsOf(f exchange.Place) []exchange.Place {
	var steps []exchange.Place
	for _, n := range f.Get("nodes").Items() {
		if n = r.target(n); isStep(n) {
			if agent, ok := r.lead(stepAgent(n)); ok && agent.Pointer != f.Pointer {
				steps = append(steps, n)
			}
		}
	}
	return steps
}

func isStep(node exchange.Place) bool {
	kind := node.Get("component_type").Peek()
	return kind == "AgentNode" || kind == "FlowNode"
}

// otherStep says what a step is that runs no agent.
func otherStep(at exchange.Place, kind string) string {
	switch ref := at.Get("$component_ref").Peek(); {
	case kind != "":
		return "a step is of the kind " + exchange.Printable(kind)
	case ref != "":
		return "a step is named " + exchange.Printable(ref) + ", and $referenced_components has no such component"
	}
	return "a step has no component_type"
}

// line returns the nodes of a flow that run agents, from its start on, or says why they are
// not one after the other.
func (r *reader) line(f exchange.Place) (nodes []exchange.Place, why string) {
	next := r.next(f)
	had := map[string]bool{}
	for at := r.target(f.Get("start_node")); ; {
		if had[at.Pointer] {
			return nil, "it leads back to a step"
		}
		had[at.Pointer] = true
		switch kind := at.Get("component_type").Peek(); {
		case isStep(at):
			if _, ok := r.lead(stepAgent(at)); !ok {
				return nil, "an agent of it has no definition here"
			}
			nodes = append(nodes, at)
		case kind == "EndNode":
			return nodes, emptyLine(nodes)
		case kind == "BranchingNode":
			return nil, "it branches"
		case kind != "StartNode":
			return nil, otherStep(at, kind)
		}
		switch edges := next[at.Pointer]; len(edges) {
		case 0:
			return nodes, emptyLine(nodes)
		case 1:
			if branch := edges[0].Get("from_branch"); branch.Has() && branch.Peek() != "next" {
				return nil, "it branches"
			}
			at = r.target(edges[0].Get("to_node"))
		default:
			return nil, "it branches"
		}
	}
}

func emptyLine(nodes []exchange.Place) string {
	if len(nodes) == 0 {
		return "no agent is in it"
	}
	return ""
}

// next returns the edges of a flow by the nodes that they begin at.
func (r *reader) next(f exchange.Place) map[string][]exchange.Place {
	all := map[string][]exchange.Place{}
	for _, e := range f.Get("control_flow_connections").Items() {
		e = r.target(e)
		from := r.target(e.Get("from_node")).Pointer
		all[from] = append(all[from], e)
	}
	return all
}

// settleEdges settles the nodes and edges of a flow that a definition says as well. choice
// is the node of a router.
func (r *reader) settleEdges(f, choice exchange.Place) {
	r.settle(f.Get("start_node"))
	for _, n := range f.Get("nodes").Items() {
		r.settle(n)
		n = r.target(n)
		kind := n.Get("component_type")
		if n.Pointer == choice.Pointer || kind.Peek() == "StartNode" || kind.Peek() == "EndNode" {
			kind.Skip()
			n.Get("id").Skip()
		}
	}
	for _, e := range f.Get("control_flow_connections").Items() {
		r.settle(e)
		e = r.target(e)
		e.Get("id").Skip()
		e.Get("from_branch").Skip()
		if kind := e.Get("component_type"); kind.Peek() == "ControlFlowEdge" {
			kind.Skip()
		}
		r.settle(e.Get("from_node"))
		r.settle(e.Get("to_node"))
	}
}
