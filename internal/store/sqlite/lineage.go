package sqlite

import (
	"context"
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
)

var _ store.Rooted = (*Store)(nil)

// NewLineage gives the store another marker, see [store.Rooted].
func (s *Store) NewLineage(ctx context.Context) error {
	return s.transact(ctx, func(w *writeTx) error {
		_, err := w.exec(renewMarker)
		return err
	})
}

// identityOf words what tells a file from a copy of it: its number in the file system, and
// when it was made. Where the file system does not say when, it is the file system's number,
// which may change when the machine starts.
func identityOf(file, system uint64, made int64) string {
	if made == 0 {
		return fmt.Sprintf("file %d of %d", file, system)
	}
	return fmt.Sprintf("file %d made %d", file, made)
}
