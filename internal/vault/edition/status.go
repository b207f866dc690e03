package edition

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Status is the edition of a memory, and the progress of an unfinished change to 1.0.
type Status struct {
	Speaks    string
	GoingOver bool // a change to 1.0 is running, or was cut off
	Left      int  // the owner's records that the change must still sign; 0 unless GoingOver
}

// EditionStatus returns the edition of the caller's memory. Only the owner in person
// may ask. While a change is unfinished, it reads every record to count them.
func (s *Service) EditionStatus(ctx context.Context, c memory.Caller) (st Status, err error) {
	const op = "edition"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return st, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		if st.Speaks, err = vault.EditionOf(r); err != nil {
			return err
		}
		_, err = r.Attached(vault.EditionSpace, vault.GoingOver, 0)
		if st.Speaks == ump.LaterEdition || errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		st.GoingOver = true
		return vault.EachPage(ctx, r, store.Filter{}, func(rows []store.Row) error {
			records, damage := s.kernel.CheckedAll(rows, c.Owner)
			for i, rec := range records {
				if damage[i] == nil && rec.Version != ump.LaterEdition && !vault.Foreign(rec, c.Owner) {
					st.Left++
				}
			}
			return nil
		})
	})
	return st, s.kernel.Refusal(c, op, "", err)
}
