package main

import (
	"crypto/ed25519"
	"os"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// signingKey opens the key that a document about an agent is signed with: of a file, or
// the owner's. The store stays closed.
func (a *app) signingKey(path string) (keys.Private, error) {
	if path == "" {
		h, conf, err := a.existing()
		if err != nil {
			return keys.Private{}, err
		}
		return a.ownerKey(h, conf.Owner)
	}
	switch info, err := os.Stat(path); {
	case err != nil:
		return keys.Private{}, err
	case !info.Mode().IsRegular() || info.Size() > maxSmall:
		return keys.Private{}, refusedf("%s is no file with a key", clean(path))
	}
	key, _, err := unlockWith(path, append(a.environment(), a.askedIfThere("Passphrase of "+clean(path))...))
	return key, err
}

// askedIfThere is a person who is asked for a passphrase, if there is one.
func (a *app) askedIfThere(prompt string) []passphraseSource {
	if !a.interactive() {
		return nil
	}
	return []passphraseSource{a.asked(prompt)}
}

// publicKeys returns the Ed25519 keys that arguments are, name or lead to.
func (a *app) publicKeys(args []string) ([]ed25519.PublicKey, error) {
	var all []ed25519.PublicKey
	for _, arg := range args {
		found, fetched, err := a.keysNamed(arg)
		if err != nil {
			return nil, err
		}
		if fetched != "" {
			a.say("fetched %s from %s", plural(len(found), "key", "keys"), clean(fetched))
		}
		usable := edKeys(found)
		if len(usable) == 0 {
			return nil, usagef("%s is no Ed25519 key, and definitions are signed with nothing else", clean(arg))
		}
		all = append(all, usable...)
	}
	return all, nil
}

func edKeys(found []aimem.Key) []ed25519.PublicKey {
	var all []ed25519.PublicKey
	for _, k := range found {
		if public, ok := k.Public.(ed25519.PublicKey); ok {
			all = append(all, public)
		}
	}
	return all
}

// ownPublic returns the key of the store's owner.
func (a *app) ownPublic() ([]ed25519.PublicKey, error) {
	_, conf, err := a.existing()
	if err != nil {
		return nil, err
	}
	public, err := keys.Public(conf.Owner)
	return []ed25519.PublicKey{public}, err
}

// authorKeys returns the keys that satchel trust knows for those who made a document,
// by its own word, and apart from them that of the owner. Without a store there are
// none.
func (a *app) authorKeys(names ...string) (own, theirs []ed25519.PublicKey, err error) {
	if !a.hasStore() {
		return nil, nil, nil
	}
	if own, err = a.ownPublic(); err != nil {
		return nil, nil, err
	}
	err = a.with(reading, func(o *opened) error {
		for _, name := range names {
			producer := vault.ProducerOf(name)
			if !aimem.IsProducer(producer) {
				continue
			}
			known, err := o.Trusted(a.ctx, o.owner(), producer)
			if err != nil && memory.KindOf(err) != memory.NotFound {
				return err
			}
			theirs = append(theirs, edKeys(known)...)
		}
		return nil
	})
	return own, theirs, err
}

// hasStore reports whether there is a store to look into.
func (a *app) hasStore() bool {
	h, err := a.home()
	return err == nil && exists(h.config())
}

// publicOf returns the public half of a key, as a list.
func publicOf(key keys.Private) []ed25519.PublicKey { return []ed25519.PublicKey{key.Public()} }
