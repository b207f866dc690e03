package keys

import "errors"

// What callers tell apart with errors.Is. The errors that wrap these say what
// to do next; none repeats a secret.
var (
	// ErrMalformed means that a DID, a key file or a recovery kit is broken.
	ErrMalformed = errors.New("malformed")
	// ErrNotResolvable means that a DID is sound, but of a method or a type of
	// key from which no Ed25519 key can be had here.
	ErrNotResolvable = errors.New("not resolvable")
	// ErrPermissions means that others than its owner may read a key file.
	ErrPermissions = errors.New("key file is readable by others")
	// ErrSealed means that a key file needs a passphrase and nobody can be asked.
	ErrSealed = errors.New("key file is sealed")
	// ErrPassphrase means that the passphrase does not open the key file.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrSecret means that a wrapped key does not open with this secret for this
	// owner.
	ErrSecret = errors.New("wrong secret")
	// ErrNoKey means that the zero Private was to be written.
	ErrNoKey = errors.New("there is no key")
)
