package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Backup writes a copy of the store to w. It holds one snapshot while others
// read and write. The copy is made beside the store first, in a file that only
// its owner can read and that is gone when Backup returns.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	select {
	case <-s.closing:
		return closed("backup")
	default:
	}
	if err := ctx.Err(); err != nil {
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

// syncFolder makes new names in a folder survive the loss of power.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it keeps names by itself, and refuses
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
