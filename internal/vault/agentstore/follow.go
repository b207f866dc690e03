package agentstore

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// FollowAgents calls look for the newest revisions of agents, each once, nearest first.
// It follows the ids that look returns, and reads all agents as they are at one moment.
// It skips agents that are not kept.
//
// FollowAgents reports whether it saw all of them. It reads at most most agents, with
// definitions of 64 KiB on average, and looks for at most ten times as many ids. If the
// store starts over, look is called again from the beginning.
func (k *Service) FollowAgents(ctx context.Context, c memory.Caller, ids []string, most int, look func(KeptAgent) ([]string, error)) (all bool, err error) {
	const op = "agent get"
	if err := k.mayAgents(op, c, false); err != nil {
		return false, err
	}
	err = k.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all, err = follow(r, ids, most, look)
		return err
	})
	return all, k.agentRefusal(c, op, err)
}

func follow(r store.Reader, ids []string, most int, look func(KeptAgent) ([]string, error)) (all bool, err error) {
	next, seen := slices.Clone(ids), map[string]bool{}
	for found, bytes := 0, 0; len(next) > 0; {
		id := next[0]
		next = next[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		a, err := r.Agents().Agent(id, 0)
		switch {
		case len(seen) > 10*most:
			return false, nil
		case errors.Is(err, store.ErrNotFound):
			continue
		case err != nil:
			return false, err
		}
		if found, bytes = found+1, bytes+len(a.Document); found > most || bytes > most<<16 {
			return false, nil
		}
		more, err := look(a)
		if err != nil {
			return false, err
		}
		next = append(next, slices.DeleteFunc(more, func(id string) bool { return seen[id] })...)
	}
	return true, nil
}
