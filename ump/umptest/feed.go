package umptest

import (
	"cmp"
	"context"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var _ ump.Watcher = (*Vault)(nil)

// loggedEvent is an event with the record as it was then, which decides who sees it.
type loggedEvent struct {
	sequence int64
	kind     memory.EventType
	record   memory.Record
}

// logEvent adds an event and wakes all waiting calls.
func (v *Vault) logEvent(kind memory.EventType, r memory.Record) {
	v.events = append(v.events, loggedEvent{sequence: int64(len(v.events)) + 1, kind: kind, record: r})
	close(v.nextEvent)
	v.nextEvent = make(chan struct{})
}

// checkLevel refuses an operation of level 3 below that level.
func (v *Vault) checkLevel(ctx context.Context, operation string, c memory.Caller) error {
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
	if err := v.checkLevel(ctx, "head", c); err != nil {
		return 0, err
	}
	if _, err := authorize(c, memory.ReadVerb, memory.Scope{}); err != nil {
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

// Changes returns events with their present records.
func (v *Vault) Changes(ctx context.Context, c memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	if err := v.checkLevel(ctx, "changes", c); err != nil {
		return nil, s.After, err
	}
	scope, err := authorize(c, memory.ReadVerb, memory.Scope{Project: s.Project, Agent: s.Agent})
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

func (v *Vault) event(h loggedEvent) memory.Event {
	e := memory.Event{Sequence: h.sequence, Type: h.kind, ID: h.record.ID}
	if r, ok := v.records[h.record.ID]; ok {
		e.Record = &r
	}
	return e
}

// Await returns once the owner's latest event is later than after.
func (v *Vault) Await(ctx context.Context, c memory.Caller, after int64) error {
	if err := v.checkLevel(ctx, "await", c); err != nil {
		return err
	}
	for {
		v.mu.Lock()
		head, stirred := v.head(c.Owner), v.nextEvent
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
