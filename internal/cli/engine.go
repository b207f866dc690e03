package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// Engine is what every kind of store can do.
type Engine interface {
	store.Store
	store.Compacter
	store.Watcher
	store.Measured
	// Unchecked lists the owners whose rows were sealed with a secret that is not at hand.
	Unchecked(context.Context) ([]memory.DID, error)
}

var (
	_ Engine = (*sqlite.Store)(nil)
	_ Engine = (*postgres.Store)(nil)
)

// OpenStore opens a store, which must exist.
func (h Home) OpenStore(a *App, seal func(memory.DID) []byte) (Engine, error) {
	if h.InDatabase() {
		return h.openDatabase(a, seal)
	}
	if _, err := os.Stat(h.Database()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing; bring it back from a backup with satchel restore", h.Database())
	}
	s, err := sqlite.Open(a.Ctx, h.Database(), sqlite.Options{Seal: seal, Trace: a.Trace})
	if err != nil {
		return nil, h.NameError(err)
	}
	return s, nil
}

// openReadable is OpenStore for commands that only read: it opens a store that cannot be
// written, as on a read-only mount, for reading only.
func (h Home) openReadable(a *App, seal func(memory.DID) []byte) (s Engine, readOnly bool, err error) {
	s, err = h.OpenStore(a, seal)
	if err == nil || h.InDatabase() || !errors.Is(err, store.ErrReadOnly) {
		return s, false, err
	}
	e, err := sqlite.Open(a.Ctx, h.Database(), sqlite.Options{Seal: seal, Trace: a.Trace, ReadOnly: true})
	if err != nil {
		return nil, true, h.NameError(err)
	}
	return e, true, nil
}

// retryInterval is how long a program waits before it tries a database again.
const retryInterval = time.Second

// openDatabase opens a store in a database, and waits for the database within the App's
// patience.
func (h Home) openDatabase(a *App, seal func(memory.DID) []byte) (Engine, error) {
	for end := a.Now().Add(a.Patience); ; {
		s, err := postgres.Open(a.Ctx, h.URL, postgres.Options{Seal: seal, Trace: a.Trace})
		switch {
		case err == nil:
			return s, nil
		case !errors.Is(err, store.ErrUnavailable) || !a.Now().Before(end):
			return nil, h.NameError(err)
		}
		if err := sleep.For(a.Ctx, retryInterval); err != nil {
			return nil, err
		}
	}
}

// NameError adds the store's name to an error; the error itself says what to do.
func (h Home) NameError(err error) error {
	if err == nil {
		return nil
	}
	name := h.Database()
	if h.InDatabase() {
		name = h.Name()
	}
	return fmt.Errorf("%s: %w", name, err)
}
