package cli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// keys/store.key seals the rows of all owners except those whose keys are in the home
// folder itself. It is derived from the owner's key when the folder is made, so that a
// recovery kit restores both. It stays when the owner changes to another key.

// openStoreKey opens the store's key. A folder of an earlier release has none; see
// fileStoreKey.
func (o *Session) openStoreKey(sources []PassphraseSource) (err error) {
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

// fileStoreKey writes the store's key if it is missing, unless another key seals somebody's
// rows. A command that only reads then works without it.
func (o *Session) fileStoreKey(a *App, need Access) error {
	if !o.unfiled {
		return nil
	}
	former, fits, err := o.foreignSeals(a.Ctx)
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

// foreignSeals lists the owners whose rows a key other than the store's seals. Those
// without an account had the home folder before, and it lacks their keys now. fits says
// that none of the others has an account.
func (o *Session) foreignSeals(ctx context.Context) (former []memory.DID, fits bool, err error) {
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

// WriteStoreKey writes the store's key. Other programs that do so at the same time write
// the same key.
func (h Home) WriteStoreKey(key keys.Private, pass string) error {
	if err := h.WriteKey(h.Key(StoreKey), key, pass); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// sealedByStore reports whether the store's key seals an owner's rows: the owner is not,
// was not and will not be the home folder's.
func (o *Session) sealedByStore(owner memory.DID) bool {
	return owner != o.Config.Owner && (o.Next.IsZero() || o.Next.DID() != owner) && !o.Past.has(owner) &&
		vault.SealSecretOf(o.StoreKey, owner) != nil
}

// Seal returns the secret that seals an owner's rows in the store, if its key is open. It
// uses only the files of the home folder.
func (o *Session) Seal(owner memory.DID) []byte {
	if key, ok := o.OpenKey(owner); ok {
		return vault.SealSecret(key)
	}
	if !o.sealedByStore(owner) {
		return nil
	}
	return vault.SealSecretOf(o.StoreKey, owner)
}
