package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

// Pulse returns what open pages show of the moment.
func (p watchPages) Pulse(ctx context.Context, c memory.Caller, after int64) (out pages.Pulse, err error) {
	if out.Head, err = p.Head(ctx, c); err != nil {
		return out, err
	}
	waits, err := waiting.New(p.Vault).List(ctx, c, false)
	if err != nil {
		return out, err
	}
	out.Waits = len(waits)
	read, err := p.assistants.Readings(ctx, c, assistant.Query{Limit: 1})
	if err != nil {
		return out, err
	}
	if len(read.Readings) > 0 {
		out.Read = read.Readings[0].Place()
	}
	if after >= 0 && after < out.Head {
		out.New, err = p.changed(ctx, c, after)
	}
	return out, err
}

// changed counts the memories that were made or changed after a change, without those that
// wait.
func (p watchPages) changed(ctx context.Context, c memory.Caller, after int64) (n int, err error) {
	for n < pages.MostNew {
		events, next, err := p.Changes(ctx, c, memory.Subscription{After: after, Max: pages.MostNew})
		if err != nil || next == after {
			return n, err
		}
		for _, e := range events {
			if (e.Type == memory.WasCreated || e.Type == memory.WasRevised) && e.Record != nil && e.Record.Lifecycle.Status.Or() == memory.Active {
				n++
			}
		}
		after = next
	}
	return pages.MostNew, nil
}
