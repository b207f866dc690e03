package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Backup writes a copy of the store to w. It holds one snapshot while other callers
// read and write. It first makes the copy beside the store, in a file that only its
// owner can read. The file is gone when Backup returns.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	select {
	case <-s.closing:
		return closed("backup")
	default:
	}
	if err := errors.Join(ctx.Err(), s.eraserSignal.give(ctx)); err != nil {
		return err
	}
	c, err := dialPatiently(ctx, s.copying, s.opt.BusyTimeout)
	if err != nil {
		return err
	}
	copied, err := copyInto(ctx, c, s.path)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	err = errors.Join(copied.send(ctx, w), copied.remove())
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}
