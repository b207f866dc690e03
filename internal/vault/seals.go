package vault

import (
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// What seals the rows of an owner in a store is fixed by who that is, and by nothing
// that stands in the store: whoever can write there could take an account, and the
// key in it, away. The rows of those whose keys are in the home folder, of the home
// owner and of former ones, are sealed by their keys; those of everybody else by the
// key of the store, which stays when the home owner takes another.

// SealSecret returns the secret that seals the rows of an owner whose key the home
// folder has, so that nobody can change them unseen who does not hold the key.
func SealSecret(k keys.Private) []byte { return k.Secret("satchel seals of rows") }

// SealSecretOf returns the secret that seals the rows of any other owner, made from
// the key of the store; nil where that is not at hand. An owner without a key, of
// whom only a name is known, has none: nobody is let in as one.
func SealSecretOf(store keys.Private, owner memory.DID) []byte {
	if _, err := keys.Public(owner); err != nil {
		return nil
	}
	return store.Secret("satchel seals of rows of " + string(owner))
}

// StoreKey returns the key of a store whose first home owner has the given key, so
// that a recovery kit brings back both.
func StoreKey(home keys.Private) (keys.Private, error) {
	return keys.FromSeed(home.Secret("satchel key of a store"))
}
