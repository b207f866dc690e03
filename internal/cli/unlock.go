package cli

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// KeyringService is the service name of a passphrase in the system's keyring; the user is
// the owner's DID.
const KeyringService = "satchel"

// PassphraseSource is a possible source of a passphrase. get returns "" if it has none.
type PassphraseSource struct {
	name string
	Get  func() (string, error)
}

// PassphraseSources lists the sources of the owner's passphrase in the order to try, the
// person at the terminal last.
func (a *App) PassphraseSources(owner memory.DID) []PassphraseSource {
	sources := a.Passphrases(owner)
	if a.Interactive() {
		again := PassphraseSource{"the terminal", func() (string, error) { return a.typed, nil }}
		sources = append(sources, again, a.AskPassphrase("Passphrase of the owner's key"))
	}
	return sources
}

// Passphrases are the sources that ask nobody, as under a host.
func (a *App) Passphrases(owner memory.DID) []PassphraseSource {
	return append([]PassphraseSource{KeyringPassphrase(owner)}, a.EnvironmentPassphrases()...)
}

// KeyringPassphrase is the passphrase of an owner in the system's keyring.
func KeyringPassphrase(owner memory.DID) PassphraseSource {
	return PassphraseSource{"the keyring", func() (string, error) {
		pass, err := keyring.Get(KeyringService, string(owner))
		if err != nil {
			return "", nil // no passphrase, or no keyring: the next source decides
		}
		return pass, nil
	}}
}

// EnvironmentPassphrases are the passphrases that the environment names.
func (a *App) EnvironmentPassphrases() []PassphraseSource {
	return []PassphraseSource{
		{"$SATCHEL_PASSPHRASE_FILE", func() (string, error) { return passphraseFile(a.Env("SATCHEL_PASSPHRASE_FILE")) }},
		{"$SATCHEL_PASSPHRASE", func() (string, error) { return a.Env("SATCHEL_PASSPHRASE"), nil }},
	}
}

// AskPassphrase is the person at the terminal.
func (a *App) AskPassphrase(prompt string) PassphraseSource {
	return PassphraseSource{"the terminal", func() (pass string, err error) {
		a.typed, err = a.Secret(prompt)
		return a.typed, err
	}}
}

// passphraseFile reads a passphrase: the first line of a file.
func passphraseFile(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	line, err := FirstLine(path, MaxSmall)
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %v", err) // a missing file here is no missing key
	}
	if line == "" {
		return "", fmt.Errorf("read the passphrase: the first line of %s is empty", path)
	}
	return line, nil
}

// Unlock reads a key of the store. If the key is sealed, the first passphrase that fits
// opens it.
func (a *App) Unlock(h Home, name string, owner memory.DID) (keys.Private, error) {
	key, _, err := UnlockWith(h.Key(name), a.PassphraseSources(owner))
	return key, err
}

// UnlockWith reads a key file and returns the passphrase that opened it as well, "" if the
// key is not sealed.
func UnlockWith(path string, sources []PassphraseSource) (keys.Private, string, error) {
	key, err := keys.ReadFile(path, nil)
	if !errors.Is(err, keys.ErrSealed) {
		return key, "", err
	}
	for _, source := range sources {
		pass, failed := source.Get()
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

// NewPassphrase returns a passphrase for a new seal: from a file, from the environment, or
// typed twice. It returns "" if there is none and must is false.
func (a *App) NewPassphrase(file string, must bool) (string, error) {
	if pass, err := passphraseFile(file); pass != "" || err != nil {
		return pass, err
	}
	if !must {
		return "", nil
	}
	if pass, err := passphraseFile(a.Env("SATCHEL_PASSPHRASE_FILE")); pass != "" || err != nil {
		return pass, err
	}
	if pass := a.Env("SATCHEL_PASSPHRASE"); pass != "" {
		return pass, nil
	}
	if !a.Interactive() {
		return "", Usagef("a passphrase is needed: name a file with --passphrase-file or set SATCHEL_PASSPHRASE")
	}
	first, err := a.Secret("New passphrase")
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", Usagef("an empty passphrase protects nothing")
	}
	again, err := a.Secret("Again")
	if err == nil && again != first {
		err = Usagef("the two passphrases differ; nothing was changed")
	}
	return first, err
}
