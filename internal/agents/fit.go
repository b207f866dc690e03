package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// fit judges what a state says: its agent has to be known, the document valid and
// without secrets, and what it remembers of a person that person's. It returns what of
// the state may be kept.
func (s *Service) fit(ctx context.Context, c memory.Caller, read aaif.State, t aaif.Token) (ruled, []string, error) {
	agent, err := s.store.KeptAgent(ctx, c, IDOf(read.AgentID), 0)
	if memory.KindOf(err) == memory.NotFound {
		return ruled{}, nil, told(agentstore.ErrUnknownAgent)
	}
	if err != nil {
		return ruled{}, nil, err
	}
	rules, err := s.inForce(ctx, c, agent, nil)
	if err != nil {
		return ruled{}, nil, err
	}
	j := judgement{service: s, caller: c, doc: aaif.Document{Kind: aaif.StateKind, Value: read.Value}}
	for _, step := range []func() error{
		func() error { return namable("/state_id", "8.1-1", read.ID) },
		func() error { return namable("/run_id", "8.1-1", read.RunID) },
		func() error { return j.take(s.validator.CheckState(j.doc)) },
		func() error { return still(read, &j) },
		j.harmless,
		func() error { return s.personal(c, read, t) },
		func() error { return j.ofVersion(ctx, read, agent) },
		func() error { return lasting(rules, read) },
	} {
		if err := step(); err != nil {
			return ruled{}, nil, err
		}
	}
	j.comesFrom(read, t)
	kept, err := rule(read.Value, agent, rules.PII)
	if kept.masked != "" {
		j.warnings = append([]string{kept.masked}, j.warnings...)
	}
	return kept, j.warnings, err
}

// namable refuses an id that could not be asked for by the path it stands in: with what
// separates paths, or nobody sees. None at all is the schema's to judge.
func namable(pointer, rule, id string) error {
	unfit := func(r rune) bool { return r == '/' || r == '\\' || !unicode.IsPrint(r) }
	switch {
	case len(id) > longestID:
		return fault(aaif.TooLarge, rule, pointer, "longer than %d bytes", longestID)
	case id == ".", id == "..", strings.ContainsFunc(id, unfit):
		return fault(aaif.WrongForm, rule, pointer, "no id that can be asked for: it has a slash, a line break or the like")
	}
	return nil
}

// still warns of a run that went on while its state was captured, and refuses one that is
// over, which nothing can go on with (AAIF-8.1-6, AAIF-8.2-1). One that waits for an
// approval or a tool stands still, too: it keeps its status, without which what it waits
// for would not be known (AAIF-8.1-19).
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

// personal refuses items of memory that belong to a person or a session where the
// state is somebody else's (AAIF-8.2-9, AAIF-U.Q-1, decision R26).
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

// lasting refuses items that outlive sessions and reach other people, of an agent whose
// safety level is strict and that has nothing done to what identifies people (decision
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

// comesFrom warns of a state that says to come from another platform than whose token it
// has. The token is what was verified, and whom lists name (AAIF-12-13).
func (j *judgement) comesFrom(read aaif.State, t aaif.Token) {
	if said := read.Provenance.SourcePlatform; said != "" && said != t.Issuer {
		j.warnings = append([]string{fmt.Sprintf("it says that it comes from %q, and its migration token is of %q, which it counts as [AAIF-12-13]",
			aaif.Shown(said), aaif.Shown(t.Issuer))}, j.warnings...)
	}
}

// ofVersion warns of a state of a version of its agent that is not kept here (AAIF-8.1-3).
func (j *judgement) ofVersion(ctx context.Context, read aaif.State, newest agentstore.KeptAgent) error {
	const most = 50 // revisions that are looked at
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
