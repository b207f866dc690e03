package notes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// keyOf returns the key of an entry of a definition. One without a key gets its place as key.
func keyOf(e aaif.MemoryEntry, i int) string { return cmp.Or(e.Key, fmt.Sprintf("memory-%d", i)) }

// begin writes what the checkpoint brings, and then what the definition declares: each once, and
// never over what is there (AAIF-4.5-15, AAIF-8.1-15).
func (m *Memory) begin(ctx context.Context) error {
	if m.personal.Seal() {
		if err := m.o.Store.SealAll(ctx, m.o.Caller, m.agent()); err != nil {
			return err
		}
	}
	if err := m.arrive(ctx); err != nil {
		return err
	}
	for i, e := range m.o.Definition.Agent.Memory {
		if e.Content == "" || !known(e.Scope) {
			continue
		}
		if err := m.seed(ctx, fmt.Sprintf("/agent/memory/%d", i), draft{scope: e.Scope, key: keyOf(e, i), text: e.Content}); err != nil {
			return err
		}
	}
	return nil
}

// arrive writes the memory of the checkpoint that the run goes on from. Times to live count from
// its arrival.
func (m *Memory) arrive(ctx context.Context) error {
	now := m.o.Now()
	for i, it := range m.o.State.Memory {
		if it.Content == "" || it.TTL < 0 || !known(it.Scope) {
			continue
		}
		d := draft{scope: it.Scope, key: cmp.Or(it.Key, fmt.Sprintf("item-%d", i)), text: it.Content}
		if it.TTL > 0 {
			if d.ends = m.o.Came.Add(time.Duration(min(it.TTL, longestTTL)) * time.Second); !now.Before(d.ends) {
				continue
			}
		}
		if lasts(it.Scope) {
			one := m.o.State
			one.Memory = []aaif.MemoryItem{it}
			one.Provenance.SourcePlatform = cmp.Or(one.Provenance.SourcePlatform, "another platform")
			drafts, _, err := one.Memories(aaif.MemoryOptions{Now: now, Owner: m.o.Caller.Owner, SameUser: true, User: m.o.User})
			if err != nil {
				return err
			}
			if len(drafts) == 1 {
				d.as = &drafts[0]
			}
		}
		if err := m.seed(ctx, fmt.Sprintf("/memory_snapshot/%d", i), d); err != nil {
			return err
		}
	}
	return nil
}

// longestTTL is the longest time to live in seconds: a hundred years.
const longestTTL = 100 * 365 * 24 * 60 * 60

// seed writes content that no model wrote. A run goes on without what may not be kept.
func (m *Memory) seed(ctx context.Context, pointer string, d draft) error {
	d.seed = true
	_, err := m.write(ctx, d)
	if why, ok := errors.AsType[*tool.Error](err); ok {
		m.note(eventRejected, fmt.Sprintf("%s: %s: %s", pointer, why.Code, why.Text))
		return nil
	}
	return err
}
