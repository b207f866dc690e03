package main

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// keyringService is the name under which a passphrase is kept in the system's
// keyring; the user is the owner's DID.
const keyringService = "satchel"

// passphraseSource is somewhere a passphrase may come from. get returns "" when
// it has none.
type passphraseSource struct {
	name string
	get  func() (string, error)
}

// passphraseSources lists where the passphrase of the owner's key may come
// from, in the order they are tried, the person at the terminal last.
func (a *app) passphraseSources(owner memory.DID) []passphraseSource {
	sources := a.passphrases(owner)
	if a.interactive() {
		again := passphraseSource{"the terminal", func() (string, error) { return a.typed, nil }}
		sources = append(sources, again, a.asked("Passphrase of the owner's key"))
	}
	return sources
}

// passphrases are the sources that need nobody to ask, as under a host.
func (a *app) passphrases(owner memory.DID) []passphraseSource {
	return append([]passphraseSource{kept(owner)}, a.environment()...)
}

// kept is the passphrase that the system's keyring keeps for an owner.
func kept(owner memory.DID) passphraseSource {
	return passphraseSource{"the keyring", func() (string, error) {
		pass, err := keyring.Get(keyringService, string(owner))
		if err != nil {
			return "", nil // none kept, or no keyring here: the next source decides
		}
		return pass, nil
	}}
}

// environment is where the surroundings of the program name a passphrase.
func (a *app) environment() []passphraseSource {
	return []passphraseSource{
		{"$SATCHEL_PASSPHRASE_FILE", func() (string, error) { return passphraseFile(a.env("SATCHEL_PASSPHRASE_FILE")) }},
		{"$SATCHEL_PASSPHRASE", func() (string, error) { return a.env("SATCHEL_PASSPHRASE"), nil }},
	}
}

// asked is the person at the terminal.
func (a *app) asked(prompt string) passphraseSource {
	return passphraseSource{"the terminal", func() (pass string, err error) {
		a.typed, err = a.secret(prompt)
		return a.typed, err
	}}
}

// passphraseFile reads a passphrase: the first line of a file.
func passphraseFile(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	line, err := firstLine(path, maxSmall)
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %v", err) // a missing file here is no missing key
	}
	if line == "" {
		return "", fmt.Errorf("read the passphrase: the first line of %s is empty", path)
	}
	return line, nil
}

// unlock reads a key of the store, with the first passphrase that opens it if
// it is sealed.
func (a *app) unlock(h home, name string, owner memory.DID) (keys.Private, error) {
	key, _, err := unlockWith(h.key(name), a.passphraseSources(owner))
	return key, err
}

// unlockWith reads a key file and returns the passphrase that opened it too, ""
// when it is not sealed.
func unlockWith(path string, sources []passphraseSource) (keys.Private, string, error) {
	key, err := keys.ReadFile(path, nil)
	if !errors.Is(err, keys.ErrSealed) {
		return key, "", err
	}
	for _, source := range sources {
		pass, failed := source.get()
		if failed != nil {
			return keys.Private{}, "", failed
		}
		if pass == "" {
			continue
		}
		key, err = keys.ReadFile(path, func() (string, error) { return pass, nil })
		if !errors.Is(err, keys.ErrPassphrase) {
			return key, pass, err
		}
		err = fmt.Errorf("the passphrase from %s: %w", source.name, err)
	}
	if errors.Is(err, keys.ErrSealed) {
		err = fmt.Errorf("%w; keep its passphrase in the keyring, or set SATCHEL_PASSPHRASE_FILE or SATCHEL_PASSPHRASE", err)
	}
	return keys.Private{}, "", err
}

// newPassphrase finds the passphrase to seal something with: from a file, the
// environment, or asked for twice. It returns "" when there is none and must is
// false.
func (a *app) newPassphrase(file string, must bool) (string, error) {
	if pass, err := passphraseFile(file); pass != "" || err != nil {
		return pass, err
	}
	if !must {
		return "", nil
	}
	if pass, err := passphraseFile(a.env("SATCHEL_PASSPHRASE_FILE")); pass != "" || err != nil {
		return pass, err
	}
	if pass := a.env("SATCHEL_PASSPHRASE"); pass != "" {
		return pass, nil
	}
	if !a.interactive() {
		return "", usagef("a passphrase is needed: name a file with --passphrase-file or set SATCHEL_PASSPHRASE")
	}
	first, err := a.secret("New passphrase")
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", usagef("an empty passphrase protects nothing")
	}
	again, err := a.secret("Again")
	if err == nil && again != first {
		err = usagef("the two passphrases differ; nothing was changed")
	}
	return first, err
}
