package agentspec

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// router is a flow that gives its input to one of several agents, by one value of it
// (section 4.3: the router).
type router struct {
	node    exchange.Place // of the choice
	key     string         // the value's name
	source  exchange.Place // the edge that brings it
	choices []choice
}

// choice is an agent of a router.
type choice struct {
	node   exchange.Place
	branch string
}

// elseBranch is the branch for all values that a choice does not name.
const elseBranch = "default"

// router reads a flow as a router. ok is false for any other flow.
func (r *reader) router(f exchange.Place) (found router, ok bool) {
	next := r.next(f)
	start := r.target(f.Get("start_node"))
	first := next[start.Pointer]
	if start.Get("component_type").Peek() != "StartNode" || len(first) != 1 {
		return router{}, false
	}
	if found.node = r.target(first[0].Get("to_node")); found.node.Get("component_type").Peek() != "BranchingNode" {
		return router{}, false
	}
	had := map[string]bool{}
	for _, e := range next[found.node.Pointer] {
		n := r.target(e.Get("to_node"))
		if n.Get("component_type").Peek() == "EndNode" {
			continue
		}
		agent, known := r.lead(stepAgent(n))
		if !isStep(n) || !known || had[agent.Pointer] || !r.ends(next[n.Pointer]) {
			return router{}, false
		}
		had[agent.Pointer] = true
		found.choices = append(found.choices, choice{n, e.Get("from_branch").Peek()})
	}
	found.key, found.source = r.chosenBy(f, found.node, start)
	return found, found.key != "" && len(found.choices) > 0
}

// ends reports whether edges lead to the end of a flow, or nowhere.
func (r *reader) ends(edges []exchange.Place) bool {
	return len(edges) == 0 || len(edges) == 1 && r.target(edges[0].Get("to_node")).Get("component_type").Peek() == "EndNode"
}

// chosenBy returns the name of the input by which a node chooses, and the edge that brings
// it; "" if it is none of the flow's inputs.
func (r *reader) chosenBy(f, node, start exchange.Place) (name string, edge exchange.Place) {
	for _, e := range f.Get("data_flow_connections").Items() {
		e = r.target(e)
		if r.target(e.Get("destination_node")).Pointer != node.Pointer {
			continue
		}
		if name != "" || r.target(e.Get("source_node")).Pointer != start.Pointer {
			return "", e
		}
		name, edge = e.Get("source_output").Peek(), e
	}
	if strings.Contains(name, ".") { // a path in JsonLogic
		return "", edge
	}
	return name, edge
}

// route takes the agents of a router, each with the condition under which it is chosen.
func (r *reader) route(f exchange.Place, found router) {
	mapping := found.node.Get("mapping")
	var all []string
	values := map[string][]string{} // by branch
	for i, branch := range mapping.Members() {
		value := mapping.Value.Members()[i].Name
		all = append(all, value)
		values[branch.Peek()] = append(values[branch.Peek()], value)
	}
	for _, c := range found.choices {
		c.node.Get("component_type").Skip()
		c.node.Get("id").Skip()
		if _, ok := r.subagent(stepAgent(c.node), "worker"); !ok {
			continue
		}
		last := len(r.group.subagents) - 1
		r.group.subagents[last] = r.group.subagents[last].With("when", chosen(found.key, values[c.branch], all, c.branch == elseBranch))
	}
	r.group.role = "router"
	mapping.Skip()
	r.settleEdges(f, found.node)
	for _, e := range f.Get("data_flow_connections").Items() {
		if r.target(e).Pointer != found.source.Pointer {
			e.Lose("a router passes its input on as a whole")
			continue
		}
		r.settle(e)
		e = r.target(e)
		e.Get("id").Skip()
		e.Get("source_output").Skip()
		for name, known := range map[string]string{"component_type": "DataFlowEdge", "destination_input": "branching_mapping_key"} {
			if p := e.Get(name); p.Peek() == known {
				p.Skip()
			}
		}
		r.settle(e.Get("source_node"))
		r.settle(e.Get("destination_node"))
	}
}

// chosen returns the condition that an input has one of some values, or, for all others,
// none of all.
func chosen(key string, values, all []string, others bool) canon.Value {
	if !others {
		return exchange.Condition(exchange.OneOf("input."+key, values), "the input's "+key+" is one of: "+strings.Join(values, ", "))
	}
	named := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return slices.Contains(values, v) })
	return exchange.Condition(exchange.Not(exchange.OneOf("input."+key, named)), "the input's "+key+" is none of: "+strings.Join(named, ", "))
}
