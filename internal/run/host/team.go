package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/topology"
	"github.com/satchel-memory/satchel/memory"
)

// mostPinned is how many agents may come to work in a run.
const mostPinned = 100

// staff finds the agents that may come to work in a run: those that its definition names,
// those that they name, and so on (section 4.3).
type staff struct {
	h       *Host
	ctx     context.Context
	caller  memory.Caller
	set     Settings
	pins    []run.Pin
	kept    map[string]aaif.Definition // by the id under which an agent is kept
	reasons []error
}

// staffOf returns the agents that may come to work in a run, whether one of them wants what it
// stores sealed, and the reasons why one of them cannot work.
func staffOf(ctx context.Context, h *Host, c memory.Caller, d aaif.Definition, set Settings) (pins []run.Pin, seal bool, err error) {
	s := &staff{h: h, ctx: ctx, caller: c, set: set, kept: map[string]aaif.Definition{d.ID: d}}
	if err := s.of(d, nil); err != nil {
		return s.pins, false, err
	}
	for _, d := range s.kept {
		seal = seal || policy.NewPersonal(d).Seal()
	}
	return s.pins, seal, errors.Join(s.reasons...)
}

// of adds the agents that a definition names. over are the agents that its agent works for.
func (s *staff) of(d aaif.Definition, over []aaif.Definition) error {
	if _, err := teamOf(d, named(s.ctx, s.h, s.caller, d)); err != nil {
		s.reasons = append(s.reasons, err)
	}
	over = append(slices.Clip(over), d)
	for _, one := range topology.Members(d) {
		if slices.ContainsFunc(s.pins, func(p run.Pin) bool { return p.Ref == one.Ref }) {
			continue
		}
		if len(s.pins) == mostPinned {
			s.refuse(one, "more than %d agents belong together", mostPinned)
			return nil
		}
		if remote(one.Ref) {
			s.remote(one, over)
			continue
		}
		if err := s.add(one, over); err != nil {
			return err
		}
	}
	return nil
}

// named returns the definitions by the names of the members of a team, as far as they are kept.
func named(ctx context.Context, h *Host, c memory.Caller, d aaif.Definition) func(string) (aaif.Definition, bool) {
	return func(name string) (aaif.Definition, bool) {
		for _, one := range topology.Members(d) {
			if one.Alias == name && !remote(one.Ref) {
				found, _, err := h.agent(ctx, c, agents.IDOf(one.Ref), 0)
				return found, err == nil
			}
		}
		return aaif.Definition{}, false
	}
}

func (s *staff) refuse(one aaif.Subagent, why string, args ...any) {
	s.reasons = append(s.reasons, aaif.Violation("aaif", aaif.SubagentUnresolved, "4.3-2", "/agent/orchestration", "%s: "+why, append([]any{aaif.Shown(one.Ref)}, args...)...))
}

// add adds a kept agent, and those that it names.
func (s *staff) add(one aaif.Subagent, over []aaif.Definition) error {
	d, kept, err := s.h.agent(s.ctx, s.caller, agents.IDOf(one.Ref), 0)
	if memory.KindOf(err) == memory.NotFound {
		s.refuse(one, "no definition of this agent is kept here: take it in first")
		return nil
	}
	if err != nil {
		return err
	}
	p := run.Pin{Ref: one.Ref, Agent: kept.AgentID, Revision: kept.Revision, Digest: kept.Digest, Limits: s.set.Limits.Of(d.Agent)}
	team, err := teamOf(d, named(s.ctx, s.h, s.caller, d))
	p.Leads = team != nil
	s.pins = append(s.pins, p)
	if _, known := s.kept[kept.AgentID]; known || err != nil {
		if err != nil {
			s.reasons = append(s.reasons, fmt.Errorf("%s: %w", aaif.Shown(one.Alias), err))
		}
		return nil
	}
	d = s.set.library.whole(d)
	s.kept[kept.AgentID] = d
	_, err = s.h.ready(d, over, kept, s.set, team)
	s.reasons = append(s.reasons, ofAgent(one.Alias, err)...)
	return s.of(d, over)
}

// ofAgent returns the violations in why an agent cannot run, each with the name of the agent.
func ofAgent(alias string, why error) (all []error) {
	joined, ok := why.(interface{ Unwrap() []error })
	var p *codec.ParseError
	switch {
	case ok:
		for _, one := range joined.Unwrap() {
			all = append(all, ofAgent(alias, one)...)
		}
	case errors.As(why, &p):
		named := *p
		named.Err = fmt.Errorf("the agent %s: %w", aaif.Shown(alias), p.Err)
		all = append(all, &named)
	case why != nil:
		all = append(all, fmt.Errorf("the agent %s: %w", aaif.Shown(alias), why))
	}
	return all
}

// remote adds an agent elsewhere. over are the agents that it works for.
func (s *staff) remote(one aaif.Subagent, over []aaif.Definition) {
	if s.h.opt.Remote == nil {
		s.refuse(one, "an address, and agents elsewhere are not asked here: take its definition in, and refer to it by agent_id")
		return
	}
	if _, ok := s.set.listed(one.Ref); !ok && s.h.test == nil {
		s.refuse(one, "an address, and no agent with a card there is listed in the table of tools, under agents")
		return
	}
	for _, d := range over {
		if why := s.set.farFrom(d, one.Ref); why != "" {
			s.reasons = append(s.reasons, aaif.Violation("aaif", aaif.Code(route.ResidencyUnsatisfied), "4.9-6", "/agent/orchestration", "%s", why))
			return
		}
	}
	s.pins = append(s.pins, run.Pin{Ref: one.Ref, Agent: one.Ref, Remote: one.Ref, Limits: s.set.Limits})
}

// remote reports whether a reference is the address of an agent elsewhere.
func remote(ref string) bool {
	lower := strings.ToLower(ref)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// teamOf returns the team of a definition; nil if its agent works alone.
func teamOf(d aaif.Definition, of func(string) (aaif.Definition, bool)) (*topology.Team, error) {
	return topology.New(condition.NewCompiler(condition.Options{}), d, of)
}

// over returns the definitions whose rules hold for a thread besides those of its agent
// (AAIF-4.3-26, AAIF-12-6): of the agents that it works for, and of those that handed it over.
func over(ctx context.Context, h *Host, c memory.Caller, r *run.Run, t *run.Thread) (all []aaif.Definition, err error) {
	type revision struct {
		agent  string
		number int
	}
	known := map[revision]bool{{t.Worker().Agent, t.Worker().Revision}: true}
	add := func(w run.Worker) error {
		at := revision{w.Agent, w.Revision}
		if known[at] || w.Remote != "" {
			return nil
		}
		known[at] = true
		d, err := h.pinned(ctx, c, w)
		all = append(all, d)
		return err
	}
	for _, w := range t.Agents[:len(t.Agents)-1] {
		if err := add(w); err != nil {
			return nil, err
		}
	}
	for _, above := range r.Over(t) {
		for _, w := range above.Agents {
			if err := add(w); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// pinned returns the definition of an agent that works in a run.
func (h *Host) pinned(ctx context.Context, c memory.Caller, w run.Worker) (aaif.Definition, error) {
	d, kept, err := h.agent(ctx, c, w.Agent, w.Revision)
	if err == nil && w.Digest != "" && kept.Digest != w.Digest {
		err = &aaif.Fault{Code: settingsDiffer, Text: "the definition of " + aaif.Shown(w.Agent) + " is not the one that the run began with"}
	}
	return d, err
}

// complete completes what a thread works with by the agents that its agent leads, and by its handoffs.
func complete(ctx context.Context, h *Host, c memory.Caller, r *run.Run, m *run.Setup) (err error) {
	pins := map[string]run.Pin{}
	for _, p := range r.Start.Agents {
		pins[p.Ref] = p
	}
	m.Team, err = teamOf(m.Definition, func(name string) (aaif.Definition, bool) {
		for _, one := range topology.Members(m.Definition) {
			if p, ok := pins[one.Ref]; ok && one.Alias == name && p.Remote == "" {
				d, _, err := h.agent(ctx, c, p.Agent, p.Revision)
				return d, err == nil
			}
		}
		return aaif.Definition{}, false
	})
	if err == nil && len(m.Definition.Agent.Orchestration.Handoffs) > 0 {
		m.Handoffs, err = topology.NewHandoffs(condition.NewCompiler(condition.Options{}), m.Definition)
	}
	return err
}

// notices returns what there is to report of a subagent before its first turn.
func notices(d aaif.Definition, over []aaif.Definition, s Settings) (all []run.Note) {
	_, judged := judgeOf(d, over, s.operator(judgedBy(d, over).Agent))
	_, found := policy.Preflight(d, policy.PreflightOptions{Over: over, Rules: s.Rules, Judge: judged, Context: s.prompter(), Hook: s.Tools.HasHook})
	for _, n := range found {
		all = append(all, run.Note{Code: n.Event, Text: n.String()})
	}
	return all
}
