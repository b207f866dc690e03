package cli

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
)

// TracesLeft says what may remain of what was erased, and who clears it away.
func (o *Opened) TracesLeft() string {
	if o.InDatabase() {
		return "traces remain in the pages and logs of the database until its operator runs satchel store scrub"
	}
	return "traces may remain in the files until other processes finish reading; satchel clears them later"
}

// CountMemories counts the memories there are, in whatever state.
func (o *Opened) CountMemories(ctx context.Context) (n int, err error) {
	err = o.Store.View(ctx, o.Owner, func(r store.Reader) error {
		n, err = r.Count(store.Filter{})
		return err
	})
	return n, err
}
