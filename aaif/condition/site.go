package condition

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Site is the decision that a condition makes (AAIF-5-1).
type Site = aaif.Gate

// The four places of conditions.
const (
	When     = aaif.SelectGate   // orchestration.subagents[].when: whether a subagent takes part
	Handoff  = aaif.HandoffGate  // orchestration.handoff[].condition: whether the run is handed over
	Filter   = aaif.FilterGate   // events.triggers[].filter: whether an event starts a run
	Approval = aaif.ApprovalGate // compliance.human_in_the_loop.trigger: whether a write needs approval
)

// namesAt returns the possible members of a site's payload, nil if it may have any.
func namesAt(s Site) []string {
	switch s {
	case When:
		return []string{"input", "task", "outputs", "variables"}
	case Handoff:
		return []string{"input", "output", "message", "intent", "variables"}
	case Approval:
		return []string{"tool", "args", "confidence", "variables"}
	}
	return nil
}

// ForWhen is the payload of [When]. Undefined members are left out.
type ForWhen struct {
	Input     canon.Value // the run's
	Task      canon.Value // as the caller describes it
	Outputs   canon.Value // object: the results of subagents, by alias
	Variables canon.Value // object: the run's
}

// Value returns the payload as an object.
func (p ForWhen) Value() canon.Value {
	return objectOf(When, p.Input, p.Task, p.Outputs, p.Variables)
}

// ForHandoff is the payload of [Handoff]. Undefined members are left out.
type ForHandoff struct {
	Input     canon.Value // the run's
	Output    canon.Value // the turn's
	Message   canon.Value // the message that the turn answered
	Intent    canon.Value // string; undefined if no intent was found
	Variables canon.Value // object
}

// Value returns the payload as an object.
func (p ForHandoff) Value() canon.Value {
	return objectOf(Handoff, p.Input, p.Output, p.Message, p.Intent, p.Variables)
}

// ForApproval is the payload of [Approval]. Undefined members are left out.
type ForApproval struct {
	Tool       string      // the tool's name
	Protocol   string      // function, mcp, http, openapi
	Args       canon.Value // object: the arguments of the call
	Confidence canon.Value // number from 0 to 1; undefined if the model gave none
	Variables  canon.Value // object
}

// Value returns the payload as an object.
func (p ForApproval) Value() canon.Value {
	tool := canon.Object(canon.Member{Name: "name", Value: canon.String(p.Tool)}, canon.Member{Name: "protocol", Value: canon.String(p.Protocol)})
	return objectOf(Approval, tool, p.Args, p.Confidence, p.Variables)
}

// objectOf puts values under the names of a site, in order.
func objectOf(s Site, values ...canon.Value) canon.Value {
	var members []canon.Member
	for i, name := range namesAt(s) {
		if values[i].Type() != canon.TypeUndefined {
			members = append(members, canon.Member{Name: name, Value: values[i]})
		}
	}
	return canon.Object(members...)
}

// scope says which parts of a payload an expression reads.
type scope struct {
	names    []string // the members it names
	open     bool     // may read members without naming them
	listed   bool     // treats the payload as a list
	filtered bool     // tests the members of the payload one by one
	bare     bool     // only asks whether a value exists
	fixed    bool     // reads nothing, so that its result is fixed
}

// unknown returns the names that the payload of a site never has.
func (s scope) unknown(site Site, lang Language) []string {
	known := namesAt(site)
	if known == nil {
		return nil
	}
	if lang == CEL {
		known = append(known, wholePayload)
	}
	var names []string
	for _, name := range s.names {
		if !slices.Contains(known, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
