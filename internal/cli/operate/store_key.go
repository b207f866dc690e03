package operate

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
)

// newStoreKey makes the key of a new store, unless it exists.
func newStoreKey(h cli.Home, owner keys.Private, pass string) error {
	if cli.Exists(h.Key(cli.StoreKey)) {
		return nil
	}
	key, err := vault.StoreKey(owner)
	if err != nil {
		return err
	}
	return h.WriteStoreKey(key, pass)
}

// takesStoreKey refuses to move a store to a home folder with another store's key, which
// could not verify its seals.
func takesStoreKey(o *cli.Session, a *cli.App, to cli.Home) error {
	key, _, err := cli.UnlockWith(to.Key(cli.StoreKey), a.PassphraseSources(o.Config.Owner))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", to.Key(cli.StoreKey), err)
	case key.DID() != o.StoreKey.DID():
		return cli.Refusedf("%s is the key of another store; name another folder with --home, or another target", to.Key(cli.StoreKey))
	}
	return nil
}

// isStore reports whether a setting names this store.
func isStore(h cli.Home, at string) bool {
	if h.InDatabase() {
		return cli.WithoutPassword(at) == h.Name()
	}
	return at == h.Dir
}
