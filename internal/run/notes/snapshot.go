package notes

import (
	"context"
	"math"

	"github.com/satchel-memory/satchel/aaif"
)

// Snapshot returns what the run remembers as items of memory_snapshot: all that it may read, and
// nothing of other people, sessions or runs. What has expired is left out, and times to live are
// what is left of them (AAIF-8.1-13, AAIF-8.1-15).
func (m *Memory) Snapshot(ctx context.Context) ([]aaif.MemoryItem, error) {
	all, err := m.list(ctx)
	if err != nil {
		return nil, err
	}
	now := m.o.Now().UTC()
	var items []aaif.MemoryItem
	for _, n := range all {
		if n.Agent != m.agent() {
			continue // another agent's, who has it in its own state
		}
		it := aaif.MemoryItem{Scope: aaif.Scope(n.Scope), Key: n.Key, Content: n.Text, CapturedAt: now}
		if !n.Ends.IsZero() {
			it.TTL = max(int(math.Ceil(n.Ends.Sub(now).Seconds())), 1)
		}
		items = append(items, it)
	}
	return items, nil
}
