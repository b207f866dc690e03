package sqlite

import (
	"context"
	"errors"
	"io"
	"path/filepath"
)

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

// CopyAsIs writes a copy of the store at path to w, in the schema that the store has. Others
// may use the store meanwhile.
func CopyAsIs(ctx context.Context, path string, w io.Writer) error {
	s, err := asIs(path)
	if err != nil {
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
	return errors.Join(copied.send(ctx, w), copied.remove())
}

// asIs describes a store that is not opened.
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
