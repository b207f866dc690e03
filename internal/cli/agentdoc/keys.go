package agentdoc

import (
	"crypto/ed25519"
	"os"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// SigningKey opens the key to sign a document about an agent with: from a file, or the
// owner's. It does not open the store.
func SigningKey(a *cli.App, path string) (keys.Private, error) {
	if path == "" {
		h, conf, err := a.ExistingStore()
		if err != nil {
			return keys.Private{}, err
		}
		return a.OwnerKey(h, conf.Owner)
	}
	switch info, err := os.Stat(path); {
	case err != nil:
		return keys.Private{}, err
	case !info.Mode().IsRegular() || info.Size() > cli.MaxSmall:
		return keys.Private{}, cli.Refusedf("%s is no file with a key", cli.Clean(path))
	}
	key, _, err := cli.UnlockWith(path, append(a.EnvironmentPassphrases(), promptIfTerminal(a, "Passphrase of "+cli.Clean(path))...))
	return key, err
}

// promptIfTerminal asks the person at the terminal for a passphrase, if there is one.
func promptIfTerminal(a *cli.App, prompt string) []cli.PassphraseSource {
	if !a.Interactive() {
		return nil
	}
	return []cli.PassphraseSource{a.AskPassphrase(prompt)}
}

// publicKeys returns Ed25519 keys from arguments: keys, files or URLs.
func publicKeys(a *cli.App, args []string) ([]ed25519.PublicKey, error) {
	var all []ed25519.PublicKey
	for _, arg := range args {
		found, fetched, err := a.KeysNamed(arg)
		if err != nil {
			return nil, err
		}
		if fetched != "" {
			a.Say("fetched %s from %s", cli.Plural(len(found), "key", "keys"), cli.Clean(fetched))
		}
		usable := edKeys(found)
		if len(usable) == 0 {
			return nil, cli.Usagef("%s is no Ed25519 key, and definitions are signed with nothing else", cli.Clean(arg))
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

// ownPublic returns the public key of the store's owner.
func ownPublic(a *cli.App) ([]ed25519.PublicKey, error) {
	_, conf, err := a.ExistingStore()
	if err != nil {
		return nil, err
	}
	public, err := keys.Public(conf.Owner)
	return []ed25519.PublicKey{public}, err
}

// authorKeys returns the keys that satchel trust has for the stated authors of a
// document, and separately the owner's. Without a store there are none.
func authorKeys(a *cli.App, names ...string) (own, theirs []ed25519.PublicKey, err error) {
	if !hasStore(a) {
		return nil, nil, nil
	}
	if own, err = ownPublic(a); err != nil {
		return nil, nil, err
	}
	err = a.With(cli.Reading, func(o *cli.Session) error {
		for _, name := range names {
			producer := trust.ProducerOf(name)
			if !aimem.IsProducer(producer) {
				continue
			}
			known, err := o.Trust().Trusted(a.Ctx, o.Caller(), producer)
			if err != nil && memory.KindOf(err) != memory.NotFound {
				return err
			}
			theirs = append(theirs, edKeys(known)...)
		}
		return nil
	})
	return own, theirs, err
}

// hasStore reports whether there is a store.
func hasStore(a *cli.App) bool {
	h, err := a.Home()
	return err == nil && cli.Exists(h.Config())
}

// PublicOf returns the public half of a key, as a list.
func PublicOf(key keys.Private) []ed25519.PublicKey { return []ed25519.PublicKey{key.Public()} }
