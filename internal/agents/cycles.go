package agents

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
)

// circular warns of subagents that lead back to the agent itself (AAIF-4.3-25), by
// their newest kept definitions. Where a reference leads to an agent that is not
// kept, the search ends. An agent without an id cannot be led back to.
func (j *judgement) circular(self string, own []aaif.Subagent, t team) {
	if self == "" {
		return
	}
	back := backTo(self, t.leadsTo)
	for i, s := range own {
		if back[IDOf(s.Ref)] {
			j.warn(fault(aaif.Circular, "4.3-25", fmt.Sprintf("/agent/orchestration/subagents/%d/ref", i),
				"a cycle: this subagent leads back to the agent itself").Error())
		}
	}
	if !t.whole {
		j.warn(fault(aaif.Circular, "4.3-25", "/agent/orchestration/subagents",
			"it has more subagents, and these have, than are looked at (%d): whether all of them end somewhere is not known", j.service.opt.Limits.Agents).Error())
	}
}

// spellings returns the ids under which subagents may be kept, as references spell
// them and in their usual form. It leaves out the agent itself.
func spellings(agents []aaif.Subagent, self string) []string {
	var ids []string
	for _, s := range agents {
		id := IDOf(s.Ref)
		if id == self {
			continue
		}
		if ids = append(ids, id); s.Ref != id {
			ids = append(ids, s.Ref)
		}
	}
	return ids
}

// IDOf returns the id in a reference to an agent or a checkpoint, in its usual form.
// The store and the audit log use that form. A reference may be a URI (AAIF-4.3-2),
// and a UUID may have capital letters (AAIF-8.1-2).
func IDOf(ref string) string {
	const urn, uuid = "urn:uuid:", 36
	if len(ref) == len(urn)+uuid && strings.EqualFold(ref[:len(urn)], urn) {
		ref = ref[len(urn):]
	}
	if len(ref) == uuid && strings.Count(ref, "-") == 4 {
		return strings.ToLower(ref)
	}
	return ref
}

// backTo returns all agents from which references lead to an agent, that agent
// included.
func backTo(self string, leadsTo map[string][]string) map[string]bool {
	from := map[string][]string{}
	for agent, refs := range leadsTo {
		for _, ref := range refs {
			from[ref] = append(from[ref], agent)
		}
	}
	back, next := map[string]bool{self: true}, []string{self}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		for _, agent := range from[at] {
			if !back[agent] {
				back[agent] = true
				next = append(next, agent)
			}
		}
	}
	return back
}
