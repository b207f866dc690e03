package keys

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// defaultWorkFactor is the logarithm of scrypt's cost: about a second.
const defaultWorkFactor = 18

// seal encrypts text with a passphrase. Work factor 0 means [defaultWorkFactor].
func seal(text []byte, passphrase string, workFactor int) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	recipient.SetWorkFactor(cmp.Or(workFactor, defaultWorkFactor))
	var out bytes.Buffer
	armoured := armor.NewWriter(&out)
	sealed, err := age.Encrypt(armoured, recipient)
	if err != nil {
		return nil, err
	}
	_, err = sealed.Write(text)
	if err := errors.Join(err, sealed.Close(), armoured.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// isSealed reports whether text comes from seal, even if it is damaged.
func isSealed(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte(armor.Header))
}

// open decrypts the output of seal. It finds damage to the armour and the header before it
// asks for a passphrase.
func open(text []byte, unlock func() (string, error)) ([]byte, error) {
	if unlock == nil {
		return nil, fmt.Errorf("%w: provide its passphrase", ErrSealed)
	}
	sealed, err := io.ReadAll(armor.NewReader(bytes.NewReader(text)))
	if err == nil {
		_, err = age.ExtractHeader(bytes.NewReader(sealed))
	}
	if err != nil {
		return nil, damaged(err)
	}
	passphrase, err := unlock()
	if err != nil {
		return nil, fmt.Errorf("ask for the passphrase: %w", err)
	}
	if passphrase == "" {
		return nil, fmt.Errorf("%w: it is empty", ErrPassphrase)
	}
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if wrong, ok := errors.AsType[*age.NoIdentityMatchError](err); ok && wrong.StanzaTypes[0] == "scrypt" {
		return nil, fmt.Errorf("%w: try again", ErrPassphrase)
	}
	if err != nil {
		return nil, damaged(err)
	}
	text, err = io.ReadAll(plain)
	if err != nil {
		return nil, damaged(err)
	}
	return text, nil
}

func damaged(cause error) error {
	return fmt.Errorf("%w: the sealed file is damaged (%w); restore it from a backup or the recovery kit", ErrMalformed, cause)
}
