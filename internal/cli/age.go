package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"github.com/satchel-memory/satchel/keys"
)

// AgeHead is how what was encrypted begins.
const AgeHead = "age-encryption.org/v1\n"

// maxWorkFactor bounds the memory and time that a file can make us spend on
// its passphrase: 2^20 is a second or a few, and a GiB.
const maxWorkFactor = 20

// SealTo encrypts what fill writes with a passphrase.
func SealTo(out io.Writer, pass string, fill func(io.Writer) error) error {
	recipient, err := age.NewScryptRecipient(pass)
	if err != nil {
		return err
	}
	sealed, err := age.Encrypt(out, recipient)
	if err != nil {
		return err
	}
	return errors.Join(fill(sealed), sealed.Close())
}

// IsSealed reports whether a file begins like one that was encrypted.
func IsSealed(in *bufio.Reader) bool {
	head, err := in.Peek(len(AgeHead))
	return err == nil && string(head) == AgeHead
}

// Unseal decrypts what a passphrase encrypted. What is damaged may show only while it is
// read.
func Unseal(in io.Reader, what, pass string) (io.Reader, error) {
	identity, err := age.NewScryptIdentity(pass)
	if err != nil {
		return nil, err
	}
	identity.SetMaxWorkFactor(maxWorkFactor)
	out, err := age.Decrypt(in, identity)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, fmt.Errorf("%s: %w", what, keys.ErrPassphrase)
	}
	if err != nil {
		return nil, Invalidf("%s is damaged: %w", what, err)
	}
	return &unsealed{out, what}, nil
}

// unsealed says of what it cannot read that the file is damaged.
type unsealed struct {
	in   io.Reader
	what string
}

// Read implements [io.Reader].
func (u *unsealed) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if err != nil && err != io.EOF {
		err = Invalidf("%s is damaged: %w", u.what, err)
	}
	return n, err
}

// SealedPassphrase finds the passphrase of what was encrypted. The keyring is not asked:
// whose it is stands inside.
func (a *App) SealedPassphrase(file, what string) (string, error) {
	if pass, err := passphraseFile(file); pass != "" || err != nil {
		return pass, err
	}
	sources := a.EnvironmentPassphrases()
	if a.Interactive() {
		sources = append(sources, a.AskPassphrase("Passphrase of "+what))
	}
	for _, s := range sources {
		if pass, err := s.Get(); pass != "" || err != nil {
			return pass, err
		}
	}
	return "", Refusedf("%s is encrypted; name a file with --passphrase-file or set SATCHEL_PASSPHRASE", what)
}
