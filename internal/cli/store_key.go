package cli

import (
	"context"
	"errors"
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
func (o *Opened) openStoreKey(sources []PassphraseSource) (err error) {
	o.StoreKey, _, err = UnlockWith(o.Home.Key(StoreKey), sources)
	if errors.Is(err, fs.ErrNotExist) {
		o.StoreKey, err = keys.Private{}, nil
		if !o.Key.IsZero() {
			o.unfiled = true
			o.StoreKey, err = vault.StoreKey(o.Key)
		}
	}
	return err
}

// fileStoreKey files the key of the store where it is missing, unless rows of somebody
// are sealed by another. Whoever only reads goes without it then.
func (o *Opened) fileStoreKey(a *App, need Access) error {
	if !o.unfiled {
		return nil
	}
	former, fits, err := o.sealedOtherwise(a.Ctx)
	if err != nil {
		return o.NameError(err)
	}
	switch need {
	case Signing, Writing, Preparing:
	case Showing:
		if fits {
			return nil
		}
	default:
		if !fits {
			o.StoreKey = keys.Private{}
		}
		return nil
	}
	if !fits {
		return Refusedf("%s is missing, which seals what other owners keep, and the owner's key does not bring it back; copy it from a backup of the folder", o.Home.Key(StoreKey))
	}
	_, pass, err := UnlockWith(o.Home.Key(OwnerKey), a.PassphraseSources(o.Config.Owner))
	if err == nil && len(former) > 0 {
		o.Config.Former = append(o.Config.Former, former...)
		err = o.Home.WriteConfig(o.Config)
	}
	if err == nil {
		err = o.Home.WriteStoreKey(o.StoreKey, pass)
	}
	return err
}

// sealedOtherwise lists the owners whose rows another key than that of the store
// sealed: those who are in nowhere had the home folder before, and their keys are
// gone from it; fits says that there is none who is in.
func (o *Opened) sealedOtherwise(ctx context.Context) (former []memory.DID, fits bool, err error) {
	owners, err := o.Store.Unchecked(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, owner := range owners {
		if !o.sealedByStore(owner) {
			continue
		}
		account, err := AccountOf(ctx, o.Store, owner)
		if err != nil || !account.Added.IsZero() {
			return nil, false, err
		}
		former = append(former, owner)
	}
	return former, true, nil
}

// WriteStoreKey files the key of the store. Whoever else does so at once files the
// same.
func (h Home) WriteStoreKey(key keys.Private, pass string) error {
	if err := keys.WriteFile(h.Key(StoreKey), key, pass); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// sealedByStore reports whether the key of the store seals an owner's rows: that of
// nobody who is, was or becomes the owner of the home folder.
func (o *Opened) sealedByStore(owner memory.DID) bool {
	return owner != o.Config.Owner && (o.Next.IsZero() || o.Next.DID() != owner) && !o.Past.has(owner) &&
		vault.SealSecretOf(o.StoreKey, owner) != nil
}

// Seal returns the secret that seals an owner's rows in the store, if the key it
// is made from is open. It goes by the files of the home folder alone.
func (o *Opened) Seal(owner memory.DID) []byte {
	if key, ok := o.holds(owner); ok {
		return vault.SealSecret(key)
	}
	if !o.sealedByStore(owner) {
		return nil
	}
	return vault.SealSecretOf(o.StoreKey, owner)
}
