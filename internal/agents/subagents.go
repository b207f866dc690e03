package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// team describes the kept subagents of an agent.
type team struct {
	whole   bool                  // these are all of them
	rules   map[string]aaif.Rules // of its subagents, by id
	leadsTo map[string][]string   // the subagents of each of them, and of theirs
}

// team follows the subagents of an agent by their newest definitions.
func (s *Service) team(ctx context.Context, c memory.Caller, self string, own []aaif.Subagent) (team, error) {
	t := team{whole: true, rules: map[string]aaif.Rules{}, leadsTo: map[string][]string{}}
	direct := map[string]bool{}
	for _, sub := range own {
		direct[IDOf(sub.Ref)] = true
	}
	var err error
	t.whole, err = s.store.FollowAgents(ctx, c, spellings(own, self), s.opt.Limits.Agents, func(a agentstore.KeptAgent) ([]string, error) {
		v, err := documentOf(a.Document)
		read, id := aaif.ReadDefinition(v).Agent, IDOf(a.ID)
		if direct[id] {
			t.rules[id] = aaif.RulesOf(read)
		}
		for _, sub := range read.Orchestration.Subagents {
			t.leadsTo[id] = append(t.leadsTo[id], IDOf(sub.Ref))
		}
		return spellings(read.Orchestration.Subagents, self), err
	})
	return t, err
}

// together judges an agent's subagents, by their kept definitions.
func (j *judgement) together(ctx context.Context, o aaif.IntakeOptions) error {
	self, own := IDOf(j.definition.ID), j.definition.Agent.Orchestration.Subagents
	if len(own) == 0 {
		return nil
	}
	t, err := j.service.team(ctx, j.caller, self, own)
	if err != nil {
		return err
	}
	strict := j.definition.Agent.Compliance.Safety.IsStrict()
	var refused []error
	for _, p := range t.unresolved(self, own, strict, j.service.opt) {
		if strict && !o.Keep {
			refused = append(refused, p)
			continue
		}
		j.warn(p.Error())
	}
	j.circular(self, own, t)
	j.stricter(own, t)
	return notRunnable(refused)
}

// scheme matches the beginning of a URI.
var scheme = pattern.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// unresolved reports every subagent that is not kept here, and whose Agent Card is not among
// those that the options name (AAIF-4.3-2). Nothing is fetched. If only some of the subagents
// were searched, it reports the others as missing only at a strict level.
func (t team) unresolved(self string, own []aaif.Subagent, strict bool, o Options) (found []error) {
	for i, sub := range own {
		id := IDOf(sub.Ref)
		_, kept := t.rules[id]
		why := "no definition of this agent is kept here: take it in first"
		switch {
		case kept, id == self, slices.Contains(o.Cards, sub.Ref):
			continue
		case !t.whole && !strict:
			continue
		case !t.whole:
			why = fmt.Sprintf("this agent is not among those that are looked at (%d)", o.Limits.Agents)
		case scheme.MatchString(id):
			why = "an address, where nobody looks, as the table of tools lists no agent there: take its definition in, and refer to it by agent_id"
		}
		found = append(found, fault(aaif.SubagentUnresolved, "4.3-2", fmt.Sprintf("/agent/orchestration/subagents/%d/ref", i), "%s: %s", aaif.Shown(sub.Ref), why))
		if len(found) > mostWarnings {
			break
		}
	}
	return found
}

// mostHeld is how many subagents a warning names.
const mostHeld = 5

// stricter warns of subagents that get stricter rules from this agent than from their
// own definitions (AAIF-4.3-26).
func (j *judgement) stricter(own []aaif.Subagent, t team) {
	above := aaif.RulesOf(j.definition.Agent)
	judged := map[string][]string{} // by id: many agents may refer to it
	var held []string
	more := 0
	for _, sub := range own {
		id := IDOf(sub.Ref)
		rules, kept := t.rules[id]
		if !kept {
			continue
		}
		beyond, known := judged[id]
		if !known {
			beyond = rules.WithParent(above).StricterThan(rules)
			judged[id] = beyond
		}
		switch {
		case len(beyond) == 0:
		case len(held) == mostHeld:
			more++
		default:
			held = append(held, fmt.Sprintf("%s (%s)", nameOf(sub), strings.Join(beyond, ", ")))
		}
	}
	if more > 0 {
		held = append(held, fmt.Sprintf("%d more", more))
	}
	if len(held) > 0 {
		j.warn(fault(aaif.HeldToMore, "4.3-26", "/agent/orchestration/subagents",
			"held to more here than by their own definitions: %s", strings.Join(held, ", ")).Error())
	}
}

// nameOf returns the name of a subagent.
func nameOf(s aaif.Subagent) string {
	if s.Alias != "" {
		return aaif.Shown(s.Alias)
	}
	return aaif.Shown(s.Ref)
}

// missing lists the functions and subagents that a kept definition at a strict level
// needs and that are not here (AAIF-4.4-5, AAIF-4.3-2).
func (s *Service) missing(ctx context.Context, c memory.Caller, d aaif.Definition) (lacks []string, err error) {
	if !d.Agent.Compliance.Safety.IsStrict() {
		return nil, nil
	}
	for _, i := range s.unbound(d) {
		lacks = append(lacks, unboundAt(i)+": "+unboundText(d, i))
	}
	own := d.Agent.Orchestration.Subagents
	if len(own) == 0 {
		return lacks, nil
	}
	t := team{rules: map[string]aaif.Rules{}}
	t.whole, err = s.store.FollowAgents(ctx, c, spellings(own, IDOf(d.ID)), s.opt.Limits.Agents, func(a agentstore.KeptAgent) ([]string, error) {
		t.rules[IDOf(a.ID)] = aaif.Rules{}
		return nil, nil
	})
	for _, p := range t.unresolved(IDOf(d.ID), own, true, s.opt) {
		lacks = append(lacks, p.Error())
	}
	return lacks, err
}
