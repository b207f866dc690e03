package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// EditionStatus says which edition a memory speaks, and how far a change to 1.0 is
// that has begun and not ended.
type EditionStatus struct {
	Speaks    string
	GoingOver bool // a change to 1.0 is under way, or was cut off
	Left      int  // records of the owner's that it has still to sign; 0 unless GoingOver
}

// EditionStatus returns what is known of the edition of the caller's memory. Only
// whoever speaks for the owner may ask. Counting reads every record while a change is
// not done.
func (v *Vault) EditionStatus(ctx context.Context, c memory.Caller) (s EditionStatus, err error) {
	const op = "edition"
	if err := v.mayOwn(op, c); err != nil {
		return s, err
	}
	err = v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		if s.Speaks, err = editionOf(r); err != nil {
			return err
		}
		_, err = r.Attached(EditionSpace, goingOver, 0)
		if s.Speaks == ump.LaterEdition || errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s.GoingOver = true
		return EachPage(ctx, r, store.Filter{}, func(rows []store.Row) error {
			for _, row := range rows {
				rec, err := v.checked(row, c.Owner)
				if err == nil && rec.Version != ump.LaterEdition && !Foreign(rec, c.Owner) {
					s.Left++
				}
			}
			return nil
		})
	})
	return s, v.refusal(c, op, "", err)
}
