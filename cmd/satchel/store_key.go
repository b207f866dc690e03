package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// keys/store.key seals the rows of all owners but those whose keys are in the home
// folder themselves. It is made from the owner's key when the folder is, so that a
// recovery kit brings back both, and stays when the owner takes another key.

// openStoreKey opens the key of the store. A folder of an earlier release has none:
// there it is made again, see fileStoreKey.
func (o *opened) openStoreKey(sources []passphraseSource) (err error) {
	o.storeKey, _, err = unlockWith(o.home.key(storeKey), sources)
	if errors.Is(err, fs.ErrNotExist) {
		o.storeKey, err = keys.Private{}, nil
		if !o.key.IsZero() {
			o.unfiled = true
			o.storeKey, err = vault.StoreKey(o.key)
		}
	}
	return err
}

// fileStoreKey files the key of the store where it is missing, unless rows of somebody
// are sealed by another. Whoever only reads goes without it then.
func (o *opened) fileStoreKey(a *app, need access) error {
	if !o.unfiled {
		return nil
	}
	former, fits, err := o.sealedOtherwise(a.ctx)
	if err != nil {
		return o.named(err)
	}
	switch need {
	case signing, writing, preparing:
	case showing:
		if fits {
			return nil
		}
	default:
		if !fits {
			o.storeKey = keys.Private{}
		}
		return nil
	}
	if !fits {
		return refusedf("%s is missing, which seals what other owners keep, and the owner's key does not bring it back; copy it from a backup of the folder", o.home.key(storeKey))
	}
	_, pass, err := unlockWith(o.home.key(ownerKey), a.passphraseSources(o.config.Owner))
	if err == nil && len(former) > 0 {
		o.config.Former = append(o.config.Former, former...)
		err = o.home.writeConfig(o.config)
	}
	if err == nil {
		err = o.home.writeStoreKey(o.storeKey, pass)
	}
	return err
}

// sealedOtherwise lists the owners whose rows another key than that of the store
// sealed: those who are in nowhere had the home folder before, and their keys are
// gone from it; fits says that there is none who is in.
func (o *opened) sealedOtherwise(ctx context.Context) (former []memory.DID, fits bool, err error) {
	owners, err := o.store.Unchecked(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, owner := range owners {
		if !o.sealedByStore(owner) {
			continue
		}
		account, err := accountOf(ctx, o.store, owner)
		if err != nil || !account.Added.IsZero() {
			return nil, false, err
		}
		former = append(former, owner)
	}
	return former, true, nil
}

// writeStoreKey files the key of the store. Whoever else does so at once files the
// same.
func (h home) writeStoreKey(key keys.Private, pass string) error {
	if err := keys.WriteFile(h.key(storeKey), key, pass); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// newStoreKey makes the key of a new store, unless it is there.
func (h home) newStoreKey(owner keys.Private, pass string) error {
	if exists(h.key(storeKey)) {
		return nil
	}
	key, err := vault.StoreKey(owner)
	if err != nil {
		return err
	}
	return h.writeStoreKey(key, pass)
}

// sealedByStore reports whether the key of the store seals an owner's rows: that of
// nobody who is, was or becomes the owner of the home folder.
func (o *opened) sealedByStore(owner memory.DID) bool {
	return owner != o.config.Owner && (o.next.IsZero() || o.next.DID() != owner) && !o.past.has(owner) &&
		vault.SealSecretOf(o.storeKey, owner) != nil
}

// seal returns the secret that seals an owner's rows in the store, if the key it
// is made from is open. It goes by the files of the home folder alone.
func (o *opened) seal(owner memory.DID) []byte {
	if key, ok := o.holds(owner); ok {
		return vault.SealSecret(key)
	}
	if !o.sealedByStore(owner) {
		return nil
	}
	return vault.SealSecretOf(o.storeKey, owner)
}

// takesStoreKey refuses to move a store to a home folder with another store's key:
// what was sealed by the one could not be verified there.
func (o *opened) takesStoreKey(a *app, to home) error {
	key, _, err := unlockWith(to.key(storeKey), a.passphraseSources(o.config.Owner))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", to.key(storeKey), err)
	case key.DID() != o.storeKey.DID():
		return refusedf("%s is the key of another store; name another folder with --home, or another target", to.key(storeKey))
	}
	return nil
}

// storeKeyMissing tells of a missing key of the store.
func (d *doctor) storeKeyMissing(path string) {
	d.bad(storeKey+" key", path+" is missing: what other owners keep is not sealed",
		"copy it from a backup of the folder; satchel doctor --mend makes it where nothing was sealed by another",
		func() error { return d.app.with(signing, func(*opened) error { return nil }) })
}
