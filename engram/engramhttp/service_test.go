package engramhttp_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// service is a memory in a list, with a count of how often it was read.
type service struct {
	mu     sync.Mutex
	memory engram.Memory
	cases  []engram.Case
	rules  []engram.Constraint // that wait
	hooks  []engram.Subscription
	state  int64
	until  time.Time
	reads  int
	fails  error
	query  engram.Query
	since  time.Time
	slow   chan struct{} // reads wait for it
	began  chan struct{} // and say so here
}

func (s *service) State(context.Context, memory.Caller) (int64, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.until, s.fails
}

func (s *service) Context(_ context.Context, c memory.Caller, q engram.Query) (engram.View, error) {
	if s.slow != nil {
		s.began <- struct{}{}
		<-s.slow
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.fails != nil {
		return engram.View{}, s.fails
	}
	if g := c.Grant; g != nil {
		switch wanted := q.Scope; {
		case wanted == "":
			q.Scope = engram.Scope(g.Runtime.Scope)
		case wanted != engram.Scope(g.Runtime.Scope):
			return engram.View{}, &engram.Fault{Code: engram.Forbidden, Detail: "the token is for another scope"}
		}
	}
	s.query = q
	m, d, err := engram.Select(s.memory, q)
	return engram.View{
		Subject: engram.Subject{ID: engram.SubjectID(c.Owner)}, Scope: q.ScopeName(), Definition: d, Memory: m, State: s.state, Until: s.until,
	}, err
}

func (s *service) Diff(_ context.Context, _ memory.Caller, q engram.Query, since time.Time) (engram.Delta, error) {
	s.query, s.since = q, since
	return engram.Delta{Since: since, GeneratedAt: noon, NewConstraints: []engram.Constraint{{ID: "k"}}}, s.fails
}

func (s *service) Propose(_ context.Context, _ memory.Caller, p engram.Proposal) (engram.Correction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return engram.Correction{}, s.fails
	}
	if !slices.ContainsFunc(s.memory.Beliefs, func(b engram.Belief) bool { return b.ID == p.Belief }) {
		return engram.Correction{}, &memory.Error{Kind: memory.NotFound}
	}
	c := engram.Correction{
		ID: engram.IDFrom(p.Belief, p.New), Belief: p.Belief, By: engram.ByRuntime, CorrectedAt: noon, New: p.New, Method: engram.Implicit,
		Status: engram.Pending, Runtime: p.Runtime, ObservedAt: p.ObservedAt,
	}
	s.state++
	s.cases = append(s.cases, engram.Case{Correction: c, Key: "email_style", Category: engram.Communication, Now: "short", Context: p.Context})
	return c, nil
}

func (s *service) Corrections(_ context.Context, _ memory.Caller, waiting bool) ([]engram.Case, error) {
	return slices.DeleteFunc(slices.Clone(s.cases), func(c engram.Case) bool { return waiting && c.Status != engram.Pending }), s.fails
}

func (s *service) Resolve(_ context.Context, _ memory.Caller, id string, confirm bool, note string) (engram.Case, error) {
	at := slices.IndexFunc(s.cases, func(c engram.Case) bool { return c.ID == id })
	switch {
	case at < 0:
		return engram.Case{}, &memory.Error{Kind: memory.NotFound}
	case s.cases[at].Status != engram.Pending:
		return engram.Case{}, &memory.Error{Kind: memory.InvalidRecord, Message: "already resolved"}
	}
	s.cases[at].Status, s.cases[at].Note = engram.Rejected, note
	if confirm {
		s.cases[at].Status = engram.Confirmed
	}
	return s.cases[at], nil
}

func (s *service) ProposeAll(ctx context.Context, c memory.Caller, list []engram.Proposal, atomic bool) ([]engram.ProposalResult, error) {
	out := make([]engram.ProposalResult, len(list))
	for i, p := range list {
		if out[i].Correction, out[i].Err = s.Propose(ctx, c, p); out[i].Err != nil && atomic {
			refused := make([]engram.ProposalResult, len(list))
			refused[i].Err = out[i].Err
			s.cases = nil
			return refused, nil
		}
	}
	return out, s.fails
}

func (s *service) Constrain(_ context.Context, _ memory.Caller, k engram.Constraint) (engram.Constraint, error) {
	k.ID, k.CreatedAt, k.Status = engram.IDFrom(k.Rule), noon, "active"
	s.memory.Constraints = append(s.memory.Constraints, k)
	return k, s.fails
}

func (s *service) ProposeConstraint(_ context.Context, _ memory.Caller, k engram.Constraint) (engram.Constraint, error) {
	k.ID, k.CreatedAt, k.Status = engram.IDFrom(k.Rule), noon, string(engram.Pending)
	s.rules = append(s.rules, k)
	return k, s.fails
}

func (s *service) Unconstrain(_ context.Context, _ memory.Caller, id string) (engram.Tombstone, error) {
	if !slices.ContainsFunc(s.memory.Constraints, func(k engram.Constraint) bool { return k.ID == id }) {
		return engram.Tombstone{}, &memory.Error{Kind: memory.NotFound}
	}
	return engram.Tombstone{ID: id, DeletedAt: noon}, s.fails
}

func (s *service) Constraints(_ context.Context, _ memory.Caller, waiting bool) ([]engram.Constraint, error) {
	if waiting {
		return s.rules, s.fails
	}
	return append(slices.Clone(s.memory.Constraints), s.rules...), s.fails
}

func (s *service) ResolveConstraint(_ context.Context, _ memory.Caller, id string, confirm bool) (engram.Constraint, error) {
	for _, k := range s.rules {
		if k.ID == id {
			if k.Status = "rejected"; confirm {
				k.Status = "active"
			}
			return k, s.fails
		}
	}
	return engram.Constraint{}, &memory.Error{Kind: memory.NotFound}
}

func (s *service) Subscribe(_ context.Context, c memory.Caller, x engram.Subscription) (engram.Subscription, error) {
	x.ID, x.CreatedAt = engram.IDFrom(x.URL), noon
	s.hooks = append(s.hooks, x)
	return x, s.fails
}

func (s *service) Unsubscribe(_ context.Context, _ memory.Caller, id string) error {
	if !slices.ContainsFunc(s.hooks, func(x engram.Subscription) bool { return x.ID == id }) {
		return &memory.Error{Kind: memory.NotFound}
	}
	return s.fails
}

func (s *service) Subscriptions(context.Context, memory.Caller) ([]engram.Subscription, error) {
	return s.hooks, s.fails
}

func remembered() *service {
	belief := func(id string, c engram.Category, key, text string) engram.Belief {
		return engram.Belief{ID: id, Category: c, Key: key, Text: text, Confidence: 1, Source: engram.UserStated, Status: engram.Active, CreatedAt: noon}
	}
	return &service{memory: engram.Memory{
		Identity:    engram.Identity{DisplayName: "Ana", Timezone: "UTC", Role: "gardener"},
		Beliefs:     []engram.Belief{belief(style, engram.Communication, "email_style", "short"), belief(diet, engram.Health, "diet", "no nuts")},
		Constraints: []engram.Constraint{{ID: engram.IDFrom("k"), Rule: "never", Category: "safety", CreatedAt: noon, SetBy: "user_stated", Status: "active"}},
	}}
}
