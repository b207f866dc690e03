package umptest

import (
	"cmp"
	"context"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var _ ump.Watcher = (*Vault)(nil)

// happening is an event with the record as it was then, which decides who hears
// of it.
type happening struct {
	sequence int64
	kind     memory.EventType
	record   memory.Record
}

// tell adds an event and wakes whoever waits.
func (v *Vault) tell(kind memory.EventType, r memory.Record) {
	v.events = append(v.events, happening{sequence: int64(len(v.events)) + 1, kind: kind, record: r})
	close(v.stirred)
	v.stirred = make(chan struct{})
}

// full refuses an operation of level 3.
func (v *Vault) full(ctx context.Context, operation string, c memory.Caller) error {
	if err := v.before(ctx, operation, c); err != nil {
		return err
	}
	if v.level() != "L3" {
		return refusal(memory.Unsupported, "", operation+" is not offered at "+v.level())
	}
	return nil
}

// Head returns the number of the owner's latest event.
func (v *Vault) Head(ctx context.Context, c memory.Caller) (int64, error) {
	if err := v.full(ctx, "head", c); err != nil {
		return 0, err
	}
	if _, err := may(c, memory.ReadVerb, memory.Scope{}); err != nil {
		return 0, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.head(c.Owner), nil
}

func (v *Vault) head(owner memory.DID) int64 {
	for i := len(v.events) - 1; i >= 0; i-- {
		if v.events[i].record.Scope.Owner == owner {
			return v.events[i].sequence
		}
	}
	return 0
}

// Changes returns events with their records as they are now.
func (v *Vault) Changes(ctx context.Context, c memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	if err := v.full(ctx, "changes", c); err != nil {
		return nil, s.After, err
	}
	scope, err := may(c, memory.ReadVerb, memory.Scope{Project: s.Project, Agent: s.Agent})
	if err != nil {
		return nil, s.After, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	events, next := []memory.Event{}, s.After
	for _, h := range v.events {
		switch {
		case h.sequence <= s.After || h.record.Scope.Owner != c.Owner:
			continue
		case len(events) == cmp.Or(s.Max, 100):
			return events, next, nil
		case sees(c, h.record) && covers(scope, h.record.Scope):
			events = append(events, v.event(h))
		}
		next = h.sequence
	}
	return events, next, nil
}

func (v *Vault) event(h happening) memory.Event {
	e := memory.Event{Sequence: h.sequence, Type: h.kind, ID: h.record.ID}
	if r, ok := v.records[h.record.ID]; ok {
		e.Record = &r
	}
	return e
}

// Await returns once the owner's latest event is later than after.
func (v *Vault) Await(ctx context.Context, c memory.Caller, after int64) error {
	if err := v.full(ctx, "await", c); err != nil {
		return err
	}
	for {
		v.mu.Lock()
		head, stirred := v.head(c.Owner), v.stirred
		v.mu.Unlock()
		if head > after {
			return nil
		}
		select {
		case <-stirred:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
