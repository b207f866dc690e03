package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// engine is what every kind of store can do.
type engine interface {
	store.Store
	store.Compacter
	store.Watcher
	// Unchecked lists the owners whose rows were sealed with a secret that is not at
	// hand.
	Unchecked(context.Context) ([]memory.DID, error)
}

var (
	_ engine = (*sqlite.Store)(nil)
	_ engine = (*postgres.Store)(nil)
)

// openStore opens the store, which must be there.
func (h home) openStore(a *app, seal func(memory.DID) []byte) (engine, error) {
	if h.remote() {
		return h.openDatabase(a, seal)
	}
	if _, err := os.Stat(h.database()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing; bring it back from a backup with satchel restore", h.database())
	}
	s, err := sqlite.Open(a.ctx, h.database(), sqlite.Options{Seal: seal})
	if err != nil {
		return nil, h.named(err)
	}
	return s, nil
}

// openReadable is openStore for whoever can do with reading: a store that cannot be
// written, as on a read-only mount, is opened for reading only.
func (h home) openReadable(a *app, seal func(memory.DID) []byte) (s engine, readOnly bool, err error) {
	s, err = h.openStore(a, seal)
	if err == nil || h.remote() || !errors.Is(err, store.ErrReadOnly) {
		return s, false, err
	}
	e, err := sqlite.Open(a.ctx, h.database(), sqlite.Options{Seal: seal, ReadOnly: true})
	if err != nil {
		return nil, true, h.named(err)
	}
	return e, true, nil
}

// again is how long a program waits before it tries to reach a database once more.
const again = time.Second

// openDatabase opens a store in a database, and waits for that to be reached as
// long as was asked for.
func (h home) openDatabase(a *app, seal func(memory.DID) []byte) (engine, error) {
	for end := a.now().Add(a.patience); ; {
		s, err := postgres.Open(a.ctx, h.url, postgres.Options{Seal: seal})
		switch {
		case err == nil:
			return s, nil
		case !errors.Is(err, store.ErrUnavailable) || !a.now().Before(end):
			return nil, h.named(err)
		}
		if err := pause(a.ctx, again); err != nil {
			return nil, err
		}
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// named says which store an error of it is about; what to do about it the error
// says itself.
func (h home) named(err error) error {
	if err == nil {
		return nil
	}
	name := h.database()
	if h.remote() {
		name = h.name()
	}
	return fmt.Errorf("%s: %w", name, err)
}
