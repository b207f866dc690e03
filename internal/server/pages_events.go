package server

import (
	"context"
	"sync"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

// Activity returns what open pages show of the moment.
func (p watchPages) Activity(ctx context.Context, c memory.Caller, after int64) (out pages.Activity, err error) {
	if out.Head, err = p.Head(ctx, c); err != nil {
		return out, err
	}
	if out.Waits, err = p.waits.count(c.Owner, out.Head, func() (int, error) {
		all, err := waiting.New(p.Vault).List(ctx, c, false)
		return len(all), err
	}); err != nil {
		return out, err
	}
	read, err := p.assistants.Readings(ctx, c, assistant.Query{Limit: 1})
	if err != nil {
		return out, err
	}
	if len(read.Readings) > 0 {
		out.Read = read.Readings[0].Place()
	}
	if out.Runs, out.Asks, err = p.runs.stand(ctx, c); err != nil {
		return out, err
	}
	if after >= 0 && after < out.Head {
		out.New, err = p.changed(ctx, c, after)
	}
	return out, err
}

// mostCounts is for how many owners the server remembers what waits. At that number it
// forgets all of them.
const mostCounts = 10_000

// waitCounts remembers how much waits for each owner, and at which change. All that waits is
// in records, so that without a change none is more or less: every page shows the number, and
// would read all of them. The zero value knows nothing. It is safe for concurrent use.
type waitCounts struct {
	mu sync.Mutex
	of map[memory.DID]waitCount
}

type waitCount struct {
	head int64 // the number of the owner's latest change
	n    int
}

// count returns how much waits for an owner whose latest change has the number head. list
// counts anew.
func (k *waitCounts) count(owner memory.DID, head int64, list func() (int, error)) (int, error) {
	k.mu.Lock()
	known, ok := k.of[owner]
	k.mu.Unlock()
	if ok && known.head == head {
		return known.n, nil
	}
	n, err := list()
	if err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) >= mostCounts {
		k.of = map[memory.DID]waitCount{}
	}
	k.of[owner] = waitCount{head, n}
	return n, nil
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
