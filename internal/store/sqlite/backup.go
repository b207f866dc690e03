package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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
	if err := s.copyTo(ctx, w); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// copyTo writes a copy of the store to w, by way of a file beside the store.
func (s *Store) copyTo(ctx context.Context, w io.Writer) error {
	c, err := dialPatiently(ctx, s.copying, s.opt.BusyTimeout)
	if err != nil {
		return err
	}
	copied, err := copyInto(ctx, c, s.path)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	return errors.Join(copied.send(ctx, w), copied.remove())
}

// Schemas returns the schema of the store at path and the one that this release writes. It
// changes nothing, and fails as [Open] does for a file that this release cannot use.
func Schemas(ctx context.Context, path string) (found, known int, err error) {
	s, err := asIs(path)
	if err != nil {
		return 0, 0, err
	}
	h, err := s.look(ctx, s.copying)
	if err == nil {
		err = h.acceptable(s.schema)
	}
	return h.version, s.schema, err
}

// CopyAsIs writes a copy of the store at path to w, and keeps the store's schema. Other
// programs may use the store meanwhile.
func CopyAsIs(ctx context.Context, path string, w io.Writer) error {
	s, err := asIs(path)
	if err != nil {
		return err
	}
	return s.copyTo(ctx, w)
}

// asIs describes a store without opening it.
func asIs(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, opt: Options{}.withDefaults()}
	s.copying = source(path, s.opt.BusyTimeout, "mode=rw")
	s.schema, err = latest(s.opt.migrations)
	return s, err
}
