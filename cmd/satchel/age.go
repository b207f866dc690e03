package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"github.com/satchel-memory/satchel/keys"
)

// ageHead is how what was encrypted begins.
const ageHead = "age-encryption.org/v1\n"

// maxWorkFactor bounds the memory and time that a file can make us spend on
// its passphrase: 2^20 is a second or a few, and a GiB.
const maxWorkFactor = 20

// sealTo encrypts what fill writes with a passphrase.
func sealTo(out io.Writer, pass string, fill func(io.Writer) error) error {
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

// isSealed reports whether a file begins like one that was encrypted.
func isSealed(in *bufio.Reader) bool {
	head, err := in.Peek(len(ageHead))
	return err == nil && string(head) == ageHead
}

// unseal decrypts what a passphrase encrypted. What is damaged may show only while it is
// read.
func unseal(in io.Reader, what, pass string) (io.Reader, error) {
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
		return nil, invalidf("%s is damaged: %w", what, err)
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
		err = invalidf("%s is damaged: %w", u.what, err)
	}
	return n, err
}

// sealedPassphrase finds the passphrase of what was encrypted. The keyring is not asked:
// whose it is stands inside.
func (a *app) sealedPassphrase(file, what string) (string, error) {
	if pass, err := passphraseFile(file); pass != "" || err != nil {
		return pass, err
	}
	sources := a.environment()
	if a.interactive() {
		sources = append(sources, a.asked("Passphrase of "+what))
	}
	for _, s := range sources {
		if pass, err := s.get(); pass != "" || err != nil {
			return pass, err
		}
	}
	return "", refusedf("%s is encrypted; name a file with --passphrase-file or set SATCHEL_PASSPHRASE", what)
}
