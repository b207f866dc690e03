// Package aaiftest provides a platform in memory to test AAIF code with, and states and
// tokens for it.
package aaiftest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Platform keeps agents and states in maps, and has a settable clock. It is safe for
// concurrent use.
type Platform struct {
	Name string // the platform's, and the audience of its tokens
	Now  func() time.Time
	// Trusted holds the keys of trusted issuers by name.
	Trusted map[string]keys.Private
	// Offer is the platform's manifest.
	Offer aaif.Manifest
	// Before, if set, is called before each operation with its name. If it returns an
	// error, that is the result.
	Before func(operation string) error

	mu      sync.Mutex
	agents  map[string][]aaif.KeptAgent
	given   map[string]string // agent ids by the digests of documents without an id
	states  []aaif.KeptState
	spent   map[string]bool
	callers []memory.Caller

	confirmed []string // ids of states
}

var _ aaif.Backend = (*Platform)(nil)

// New returns a platform without trusted issuers or content.
func New(name string, now func() time.Time) *Platform {
	return &Platform{Name: name, Now: now, Trusted: map[string]keys.Private{}, Offer: Manifest(name),
		agents: map[string][]aaif.KeptAgent{}, given: map[string]string{}, spent: map[string]bool{}}
}

// Kept counts revisions of agents, states and spent tokens.
func (p *Platform) Kept() (agents, states, spent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, revisions := range p.agents {
		agents += len(revisions)
	}
	return agents, len(p.states), len(p.spent)
}

// Callers returns the callers so far.
func (p *Platform) Callers() []memory.Caller {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.callers)
}

func (p *Platform) before(operation string) error {
	if p.Before == nil {
		return nil
	}
	return p.Before(operation)
}

// Manifest returns the Offer.
func (p *Platform) Manifest(context.Context) (aaif.Manifest, error) {
	return p.Offer, p.before("manifest")
}

// Report returns an empty report.
func (p *Platform) Report(context.Context) (aaif.Report, error) {
	return aaif.Report{Standard: "SC-006", Report: aaif.ReportHead{GeneratedAt: p.Now(), Versions: []string{"3.4.0"}},
		Platform: aaif.ReportPlatform{Name: p.Name},
		Claims:   []aaif.Claim{{Level: "Core", Direction: "consumer", Suite: aaif.Suite{Corpus: "own", Passed: 1, Total: 1}}}}, p.before("report")
}

// Intake validates, looks for secrets, negotiates and keeps the definition.
func (p *Platform) Intake(_ context.Context, c memory.Caller, raw []byte, o aaif.IntakeOptions) (aaif.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	if err := p.before("intake"); err != nil {
		return aaif.Receipt{}, err
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{})
	if err != nil {
		return aaif.Receipt{}, err
	}
	if err := check(d); err != nil {
		return aaif.Receipt{}, err
	}
	definition := aaif.ReadDefinition(d.Value)
	if definition.Status == aaif.Deprecated && !o.Deprecated {
		return aaif.Receipt{}, &aaif.Fault{Code: aaif.AgentDeprecated, Text: "deprecated agents are not taken in"}
	}
	n := aaif.Negotiate(definition, p.Offer, aaif.NegotiateOptions{})
	if err := n.Err(); err != nil && !o.Keep {
		return aaif.Receipt{}, err
	}
	r := aaif.Receipt{Level: []aaif.Level{"Core"}, Negotiation: n, Warnings: n.Words(), Disabled: n.Disabled()}
	r.Kept, r.Unchanged = p.keep(definition, o.DryRun)
	r.Kept.CannotRun = n.Refusals()
	return r, nil
}

// check returns all that is wrong with a definition.
func check(d aaif.Document) error {
	if d.Kind != aaif.AgentKind {
		return &aaif.Fault{Code: aaif.UnknownType, Text: "not a definition"}
	}
	v, err := aaif.NewValidator(nil)
	if err != nil {
		return err
	}
	var wrong []error
	for _, one := range append(v.Validate(d), privacy.Secrets(d, privacy.SecretOptions{})...) {
		if !one.Warning {
			wrong = append(wrong, one)
		}
	}
	return errors.Join(wrong...)
}

// keep keeps a definition, unless it is there already or this is a trial.
func (p *Platform) keep(d aaif.Definition, trial bool) (kept aaif.KeptAgent, unchanged bool) {
	sum := sha256.Sum256(d.Value.AppendCanonical(nil))
	kept = aaif.KeptAgent{AgentID: d.ID, Revision: 1, Version: d.Agent.Version, Name: d.Agent.Name, Status: d.Status,
		Digest: hex.EncodeToString(sum[:]), Received: p.Now().UTC(), Document: d.Value}
	if kept.AgentID == "" {
		id, ok := p.given[kept.Digest]
		if !ok {
			id = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(p.given)+1)
		}
		if !trial {
			p.given[kept.Digest] = id
		}
		kept.AgentID = id
	}
	before := p.agents[kept.AgentID]
	if len(before) > 0 && before[len(before)-1].Digest == kept.Digest {
		return before[len(before)-1], true
	}
	kept.Revision = len(before) + 1
	if !trial {
		p.agents[kept.AgentID] = append(before, kept)
	}
	return kept, false
}

// Agents yields the newest revisions.
func (p *Platform) Agents(_ context.Context, c memory.Caller, after string, limit int) ([]aaif.KeptAgent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	var list []aaif.KeptAgent
	for id, revisions := range p.agents {
		if id > after {
			k := revisions[len(revisions)-1]
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b aaif.KeptAgent) int { return strings.Compare(a.AgentID, b.AgentID) })
	return page(list, limit), p.before("agents")
}

// page cuts a list to one page.
func page[T any](list []T, limit int) []T {
	if limit <= 0 {
		limit = aaif.MostListed
	}
	return list[:min(limit, aaif.MostListed, len(list))]
}

// Agent returns a revision.
func (p *Platform) Agent(_ context.Context, c memory.Caller, agentID string, revision int) (aaif.KeptAgent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	revisions := p.agents[agentID]
	if revision == 0 {
		revision = len(revisions)
	}
	if revision == 0 || revision > len(revisions) {
		return aaif.KeptAgent{}, &memory.Error{Kind: memory.NotFound, Message: "there is no such agent"}
	}
	return revisions[revision-1], p.before("agent")
}

// RemoveAgent removes an agent and its states.
func (p *Platform) RemoveAgent(_ context.Context, c memory.Caller, agentID string) (aaif.Removal, error) {
	return p.remove(c, "remove agent", agentID, func(l aaif.KeptState) bool { return l.AgentID == agentID })
}

// RemoveState removes a state.
func (p *Platform) RemoveState(_ context.Context, c memory.Caller, stateID string) (aaif.Removal, error) {
	return p.remove(c, "remove state", "", func(l aaif.KeptState) bool { return l.StateID == stateID })
}

func (p *Platform) remove(c memory.Caller, operation, agentID string, doomed func(aaif.KeptState) bool) (aaif.Removal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	if err := p.before(operation); err != nil {
		return aaif.Removal{}, err
	}
	before := len(p.states)
	p.states = slices.DeleteFunc(p.states, doomed)
	done := aaif.Removal{Revisions: len(p.agents[agentID]), States: before - len(p.states)}
	delete(p.agents, agentID)
	if done == (aaif.Removal{}) {
		return done, &memory.Error{Kind: memory.NotFound, Message: "there is no such agent or state"}
	}
	return done, nil
}
