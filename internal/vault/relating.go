package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// mostRelating is how many records Relating returns.
const mostRelating = 200

// Relating returns the caller's records that relate to a record or an entity, in no
// particular order and at most mostRelating of them. Versions that a record replaces do not
// count as related.
func (e *editor) Relating(ctx context.Context, c memory.Caller, target string) ([]memory.Record, error) {
	const op = "get"
	if err := e.may(op, c, memory.ReadVerb); err != nil {
		return nil, err
	}
	var out []memory.Record
	err := e.store.View(ctx, c.Owner, func(r store.Reader) error {
		g, err := e.gate(r, c)
		if err != nil {
			return err
		}
		ids, err := r.Relating(target)
		if err != nil {
			return err
		}
		var rows []store.Row
		for _, id := range ids[:min(len(ids), mostRelating)] {
			row, err := r.Row(id)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		found, err := e.shown(g, rows, nil)
		for _, rec := range found {
			if namesIn(rec, target) {
				out = append(out, rec)
			}
		}
		return err
	})
	if err == nil {
		e.noteGiven(c, inquiry{way: op}, idsOf(out)...)
	}
	return out, e.refusal(c, op, "", err)
}

// namesIn reports whether a record names a target in one of its relations.
func namesIn(rec memory.Record, target string) bool {
	for _, rel := range rec.Relations {
		if rel.Target == target {
			return true
		}
	}
	return false
}
