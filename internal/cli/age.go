package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"github.com/satchel-memory/satchel/keys"
)

// AgeHead is the first line of an encrypted file.
const AgeHead = "age-encryption.org/v1\n"

// maxWorkFactor limits the memory and time that the passphrase of a file can cost: 2^20
// takes a few seconds at most, and a GiB.
const maxWorkFactor = 20

// Encrypt encrypts what fill writes with a passphrase.
func (a *App) Encrypt(out io.Writer, pass string, fill func(io.Writer) error) error {
	recipient, err := age.NewScryptRecipient(pass)
	if err != nil {
		return err
	}
	if a.SealCost > 0 {
		recipient.SetWorkFactor(a.SealCost)
	}
	sealed, err := age.Encrypt(out, recipient)
	if err != nil {
		return err
	}
	return errors.Join(fill(sealed), sealed.Close())
}

// IsEncrypted reports whether a file begins like an encrypted one.
func IsEncrypted(in *bufio.Reader) bool {
	head, err := in.Peek(len(AgeHead))
	return err == nil && string(head) == AgeHead
}

// Decrypt decrypts with a passphrase. Damage may show only during reading.
func Decrypt(in io.Reader, what, pass string) (io.Reader, error) {
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
	return &ageReader{out, what}, nil
}

// ageReader reports any failure to read as a damaged file.
type ageReader struct {
	in   io.Reader
	what string
}

// Read implements [io.Reader].
func (u *ageReader) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if err != nil && err != io.EOF {
		err = Invalidf("%s is damaged: %w", u.what, err)
	}
	return n, err
}

// SealedPassphrase finds the passphrase of an encrypted file. It does not ask the keyring,
// because the owner's name is inside the file.
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
