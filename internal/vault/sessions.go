package vault

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Sessions selects conversations.
type Sessions struct {
	Session string // this one; empty: all
	Import  int64  // those of this import; 0: all
}

// Spoken passes the records of each stored conversation to do, in the order of their
// creation: the episodic records of one session. It holds one conversation in memory at
// a time. Only the owner may call it.
func (v *Vault) Spoken(ctx context.Context, c memory.Caller, q Sessions, do func(session string, records []memory.Record) error) error {
	const op = "spoken"
	if err := v.mayOwn(op, c); err != nil {
		return err
	}
	return v.refusal(c, op, "", v.store.View(ctx, c.Owner, func(r store.Reader) error {
		sessions, ids, err := v.spokenIn(ctx, r, q)
		if err != nil {
			return err
		}
		for _, session := range sessions {
			records := make([]memory.Record, 0, len(ids[session]))
			for _, id := range ids[session] {
				row, err := r.Row(id)
				if err != nil {
					return err
				}
				rec, err := v.record(r, row)
				if err != nil {
					return err
				}
				records = append(records, rec)
			}
			if err := do(session, records); err != nil {
				return err
			}
		}
		return ctx.Err()
	}))
}

// spokenIn finds the selected conversations and the ids of their records, in order.
func (v *verifier) spokenIn(ctx context.Context, r store.Reader, q Sessions) (sessions []string, ids map[string][]memory.ID, err error) {
	ids = map[string][]memory.ID{}
	f := store.Filter{Kinds: []memory.Kind{memory.Episodic}, Statuses: []memory.Status{memory.Active}, Import: q.Import}
	now := Instant(v.now())
	err = EachPage(ctx, r, f, func(rows []store.Row) error {
		for _, row := range rows {
			if row.Columns.Staged {
				continue
			}
			rec, damage, err := v.read(r, row)
			if err != nil {
				return err
			}
			said := rec.Scope.Session
			if damage != nil || Foreign(rec, r.Owner()) || said == "" || q.Session != "" && said != q.Session || len(rec.SupersededBy) > 0 ||
				v.ownersGate(rec.Scope.Owner, now).status(rec) != memory.Active {
				continue
			}
			if len(ids[said]) == 0 {
				sessions = append(sessions, said)
			}
			ids[said] = append(ids[said], rec.ID)
		}
		return nil
	})
	slices.Sort(sessions)
	return sessions, ids, err
}
