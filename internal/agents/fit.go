package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// fit judges the contents of a state. Its agent must be known, the document valid and
// without secrets, and its memory of a person must belong to that person. It returns
// the parts of the state that may be kept.
func (s *Service) fit(ctx context.Context, c memory.Caller, read aaif.State, t aaif.Token) (keptForm, []string, error) {
	agent, err := s.store.KeptAgent(ctx, c, IDOf(read.AgentID), 0)
	if memory.KindOf(err) == memory.NotFound {
		return keptForm{}, nil, told(agentstore.ErrUnknownAgent)
	}
	if err != nil {
		return keptForm{}, nil, err
	}
	rules, err := s.inForce(ctx, c, agent, nil)
	if err != nil {
		return keptForm{}, nil, err
	}
	j := judgement{service: s, caller: c, doc: aaif.Document{Kind: aaif.StateKind, Value: read.Value}}
	for _, step := range []func() error{
		func() error { return namable("/state_id", "8.1-1", read.ID) },
		func() error { return namable("/run_id", "8.1-1", read.RunID) },
		func() error { return j.take(s.validator.CheckState(j.doc)) },
		func() error { return s.below(c, read, t, rules) },
		func() error { return still(read, &j) },
		j.harmless,
		func() error { return s.personal(c, read, t) },
		func() error { return j.ofVersion(ctx, read, agent) },
		func() error { return lasting(rules, read) },
	} {
		if err := step(); err != nil {
			return keptForm{}, nil, err
		}
	}
	j.comesFrom(read, t)
	kept, err := rule(read.Value, agent, rules.PII)
	if kept.masked != "" {
		j.warnings = append([]string{kept.masked}, j.warnings...)
	}
	return kept, j.warnings, err
}

// below judges the checkpoints of subagents in a state as the state itself: they are valid, and
// their memory of a person is that person's.
func (s *Service) below(c memory.Caller, read aaif.State, t aaif.Token, rules aaif.Compliance) error {
	for _, one := range read.Below() {
		for _, p := range s.validator.CheckState(aaif.Document{Kind: aaif.StateKind, Value: one.Value}) {
			if !p.Warning {
				return fault(aaif.CodeOf(p), "8.1-17", "/subagent_states", "the checkpoint of a subagent: %v", p)
			}
		}
		if err := errors.Join(s.personal(c, one, t), lasting(rules, one)); err != nil {
			return err
		}
	}
	return nil
}

// namable refuses an id that cannot stand in a path. The schema judges an empty id.
func namable(pointer, rule, id string) error {
	if unfit := aaif.Namable(pointer, rule, id); unfit != nil {
		return unfit
	}
	return nil
}

// still warns of a run that went on while its state was captured. It refuses a run
// that is over, since nothing can continue it (AAIF-8.1-6, AAIF-8.2-1). A run that
// waits for an approval or a tool stands still, too. It keeps its status, which shows
// what it waits for (AAIF-8.1-19).
func still(read aaif.State, j *judgement) error {
	switch {
	case read.ID == "":
		return fault(aaif.SchemaViolation, "8.1-1", "/state_id", "empty")
	case read.Status.Ended():
		return fault(aaif.StateTransition, "8.1-6", "/status", "the run is over: there is nothing to go on with")
	case read.Status == aaif.Running:
		j.warn("the state was not captured while the run stood still, as its status says [AAIF-8.2-1]")
	}
	return nil
}

// personal refuses items of memory that belong to a person or a session if the state
// belongs to another person (AAIF-8.2-9, AAIF-U.Q-1, decision R26).
func (s *Service) personal(c memory.Caller, read aaif.State, t aaif.Token) error {
	if aaif.SamePrincipal(t.Principal, s.opt.Principal(c)) {
		return nil
	}
	var refused []error
	for _, p := range read.PrincipalMismatches() {
		refused = append(refused, p)
		if len(refused) == mostWarnings {
			break
		}
	}
	return errors.Join(refused...)
}

// lasting refuses items that outlive sessions and reach other people. It does so if the
// agent's safety level is strict and its policy leaves personal data as it is (decision
// R45).
func lasting(rules aaif.Compliance, read aaif.State) error {
	if aaif.KeepsLongTerm(rules.Safety, rules.PII) {
		return nil
	}
	i := slices.IndexFunc(read.Memory, func(item aaif.MemoryItem) bool { return item.Scope == aaif.LongTermScope })
	if i < 0 {
		return nil
	}
	return fault(aaif.PIIRejected, "4.9-7", fmt.Sprintf("/memory_snapshot/%d", i),
		"memory of scope long_term, of an agent of safety level %s that neither anonymizes nor encrypts", rules.Safety)
}

// comesFrom warns of a state that names another platform than its token does. The
// token was verified, and lists name its platform (AAIF-12-13).
func (j *judgement) comesFrom(read aaif.State, t aaif.Token) {
	if said := read.Provenance.SourcePlatform; said != "" && said != t.Issuer {
		j.warnings = append([]string{fmt.Sprintf("it says that it comes from %q, and its migration token is of %q, which it counts as [AAIF-12-13]",
			aaif.Shown(said), aaif.Shown(t.Issuer))}, j.warnings...)
	}
}

// ofVersion warns of a state whose version of its agent is not kept here
// (AAIF-8.1-3).
func (j *judgement) ofVersion(ctx context.Context, read aaif.State, newest agentstore.KeptAgent) error {
	const most = 50 // the most revisions to look at
	if read.AgentVersion == "" || read.AgentVersion == newest.Version {
		return nil
	}
	for revision := newest.Revision - 1; revision > 0 && revision >= newest.Revision-most; revision-- {
		a, err := j.service.store.KeptAgent(ctx, j.caller, newest.ID, revision)
		if err != nil && memory.KindOf(err) != memory.NotFound {
			return err
		}
		if err == nil && a.Version == read.AgentVersion {
			j.warn(unversioned("the definition that is in force here is of another version than the state").Error())
			return nil
		}
	}
	j.warn(unversioned("no definition of this version is kept here").Error())
	return nil
}

func unversioned(text string) *codec.ParseError {
	return fault(aaif.VersionUnsupported, "8.1-3", "/agent_version", "%s", text)
}
