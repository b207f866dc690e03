package cli

import (
	"context"
	"errors"
	"io"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// errNotAlone: the store holds other owners too, or is no file.
var errNotAlone = errors.New("the store holds other owners too, or is no file")

// CopyAlone writes a copy of the store's file. It writes nothing and fails as
// [Session.RequireAlone] does if another owner has come since that was called.
func (o *Session) CopyAlone(ctx context.Context, w io.Writer) error {
	from, ok := o.Store.(store.Backuper)
	if !ok {
		return errNotAlone
	}
	return from.Backup(ctx, &gatedWriter{w, func() error { return o.RequireAlone(ctx) }})
}

// RequireAlone fails with [errNotAlone] unless the store is a file that holds the home folder's
// owner alone, who is not going over to another key.
func (o *Session) RequireAlone(ctx context.Context) error {
	_, isFile := o.Store.(store.Backuper)
	_, rekeys, err := o.ReadJournal()
	switch {
	case err != nil:
		return err
	case !isFile || rekeys:
		return errNotAlone
	}
	owners, err := o.Store.Owners(ctx)
	if err != nil {
		return err
	}
	var arriving []memory.DID
	if c, ok := o.Store.(store.Carrier); ok {
		if arriving, err = c.Arriving(ctx); err != nil {
			return err
		}
	}
	if len(owners) != 1 || owners[0] != o.Config.Owner || len(arriving) > 0 {
		return errNotAlone
	}
	return nil
}

// gatedWriter calls open before the first byte. The copy is made then, so that no owner is in it
// whom open does not see.
type gatedWriter struct {
	io.Writer
	open func() error // nil: it was called
}

// Write fails if open does.
func (g *gatedWriter) Write(p []byte) (int, error) {
	if g.open != nil {
		if err := g.open(); err != nil {
			return 0, err
		}
		g.open = nil
	}
	return g.Writer.Write(p)
}
