// Package pack turns messages of an owner's machines into packs and back. A pack is an age
// file, encrypted to the machines that may read it. It holds an envelope in deterministic
// CBOR, see [envelope]: the author's entry, the author's signature, and a compressed body.
//
// Open verifies two signatures before it reads the body: the owner's over the author's entry,
// and the author's over the envelope. All sizes are bounded. If something is wrong with a
// pack, the error wraps a [replica.Fault].
package pack

import (
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The limits of packs that are written and read, in bytes.
const (
	maxBody   = 32 << 20            // of a body, decompressed
	MaxSealed = maxBody + maxBody/8 // of a pack
)

// Author is the machine that writes packs.
type Author struct {
	Owner memory.DID
	Self  replica.Machine // its entry, signed by the owner
	Key   keys.Private    // of Self
}

// Reader is the machine that reads packs.
type Reader struct {
	Owner memory.DID
	// Identity is the age identity that belongs to this machine's Recipient.
	Identity string
	// Machines are the machines of the owner that this one knows, also removed ones. Packs of
	// others are refused, so that a thief of the owner's key cannot add a machine unnoticed.
	// Empty: packs of every machine with an entry signed by the owner are read. A new machine
	// reads so.
	Machines []replica.Machine
}

// Check fails with [replica.ErrRemoved] or [replica.ErrUnknown] unless the reader reads packs of
// an author. The author's entry must be verified.
func (r Reader) Check(from replica.Machine) error {
	at := slices.IndexFunc(r.Machines, func(m replica.Machine) bool { return m.ID == from.ID })
	switch {
	case !from.Removed.IsZero() || at >= 0 && !r.Machines[at].Removed.IsZero():
		return fmt.Errorf("%w: %s", replica.ErrRemoved, from.Name)
	case at < 0 && len(r.Machines) > 0:
		return fmt.Errorf("%w: %s", replica.ErrUnknown, from.Name)
	}
	return nil
}

// NewIdentity makes an age identity for a machine, and its recipient.
func NewIdentity() (identity, recipient string, err error) {
	made, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", fmt.Errorf("make a key of age: %w", err)
	}
	return made.String(), made.Recipient().String(), nil
}

// Seal makes a pack of a message, encrypted to some machines. It fails with
// [replica.ErrTooLarge] if the message is too large for a pack.
func Seal(m replica.Message, by Author, to []replica.Machine) ([]byte, error) {
	return SealBody("message", encodeMessage(m), by, to)
}

// Open reads a pack, and returns its message and its author. If the signatures are good, Open
// returns the author even if it fails.
func Open(sealed []byte, by Reader) (replica.Message, replica.Machine, error) {
	body, from, err := OpenBody("message", sealed, by)
	if err != nil {
		return replica.Message{}, from, err
	}
	m, err := decodeMessage(body)
	switch {
	case err != nil:
		return replica.Message{}, from, err
	case m.Owner != by.Owner || m.From != from.ID:
		return replica.Message{}, from, fmt.Errorf("%w: the message names another owner or author than its pack", replica.ErrMalformed)
	}
	return m, from, nil
}

// SealBody makes a pack of any body. A pack opens only for the purpose that it was sealed for.
// Errors are those of [Seal].
func SealBody(purpose string, body []byte, by Author, to []replica.Machine) ([]byte, error) {
	if len(body) > maxBody {
		return nil, fmt.Errorf("%w: %d bytes, %d are the most", replica.ErrTooLarge, len(body), maxBody)
	}
	recipients, err := recipients(to)
	if err != nil {
		return nil, err
	}
	return seal(purpose, body, by, recipients)
}

// OpenBody reads a pack that [SealBody] made. Results and errors are those of [Open].
func OpenBody(purpose string, sealed []byte, by Reader) ([]byte, replica.Machine, error) {
	identity, err := age.ParseX25519Identity(by.Identity)
	if err != nil {
		return nil, replica.Machine{}, fmt.Errorf("this machine's key: %w", err)
	}
	return open(purpose, sealed, by, identity)
}

// SealWithSecret is [SealBody] for readers that share a secret of 32 bytes. It is for a machine
// that knows no recipient yet.
func SealWithSecret(purpose string, body []byte, by Author, secret []byte) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(fmt.Sprintf("%x", secret))
	if err != nil {
		return nil, err
	}
	recipient.SetWorkFactor(secretCost)
	return seal(purpose, body, by, []age.Recipient{recipient})
}

// OpenWithSecret reads a pack that [SealWithSecret] made. It ignores by.Identity. Results and
// errors are those of [Open].
func OpenWithSecret(purpose string, sealed []byte, by Reader, secret []byte) ([]byte, replica.Machine, error) {
	identity, err := age.NewScryptIdentity(fmt.Sprintf("%x", secret))
	if err != nil {
		return nil, replica.Machine{}, err
	}
	identity.SetMaxWorkFactor(secretCost)
	return open(purpose, sealed, by, identity)
}

// secretCost is scrypt's work factor, as a power of two. Nobody can guess a random secret, so a
// low factor is enough.
const secretCost = 2

// recipients parses the recipients of machines. It leaves out malformed ones, so that one bad
// entry does not stop the others. It fails if none is left.
func recipients(to []replica.Machine) (found []age.Recipient, err error) {
	for _, m := range to {
		r, wrong := age.ParseX25519Recipient(m.Recipient)
		if wrong != nil {
			err = fmt.Errorf("the machine %s has no key to encrypt to: %w", m.Name, wrong)
			continue
		}
		found = append(found, r)
	}
	if len(found) == 0 {
		return nil, cmp.Or(err, errors.New("there is no machine to encrypt to"))
	}
	return found, nil
}

func seal(purpose string, body []byte, by Author, to []age.Recipient) ([]byte, error) {
	if by.Key.DID() != by.Self.ID {
		return nil, errors.New("a machine signs with its own key")
	}
	var small bytes.Buffer
	deflate, err := flate.NewWriter(&small, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := deflate.Write(body); err != nil {
		return nil, err
	}
	if err := deflate.Close(); err != nil {
		return nil, err
	}
	e := envelope{Version: version, Purpose: purpose, Owner: string(by.Owner), From: entryOf(by.Self), Body: small.Bytes()}
	e.Signature = by.Key.Sign(e.signed())
	var sealed bytes.Buffer
	in, err := age.Encrypt(&sealed, to...)
	if err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	if _, err := in.Write(replica.Encode(e)); err != nil {
		return nil, err
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	return sealed.Bytes(), nil
}

func open(purpose string, sealed []byte, by Reader, identity age.Identity) ([]byte, replica.Machine, error) {
	none := replica.Machine{}
	plain, err := decrypt(sealed, identity)
	if err != nil {
		return nil, none, err
	}
	e, err := decodeEnvelope(plain)
	if err != nil {
		return nil, none, err
	}
	from := e.From.machine()
	switch {
	case e.Owner != string(by.Owner):
		return nil, none, replica.ErrForeign
	case e.Purpose != purpose:
		return nil, none, fmt.Errorf("%w: it is a %s", replica.ErrSwapped, strings.ToValidUTF8(e.Purpose, ""))
	}
	if err := from.Verify(by.Owner); err != nil {
		return nil, none, err
	}
	if err := e.verify(from.ID); err != nil {
		return nil, none, err
	}
	if err := by.Check(from); err != nil {
		return nil, from, err
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(e.Body)), maxBody+1))
	switch {
	case err != nil:
		return nil, from, fmt.Errorf("%w: %w", replica.ErrMalformed, err)
	case len(body) > maxBody:
		return nil, from, replica.ErrTooLarge
	}
	return body, from, nil
}

// decrypt opens an age file.
func decrypt(sealed []byte, identity age.Identity) ([]byte, error) {
	if len(sealed) > MaxSealed {
		return nil, replica.ErrTooLarge
	}
	if len(sealed) == 0 {
		return nil, replica.ErrCut
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if err == nil {
		var all []byte
		if all, err = io.ReadAll(plain); err == nil {
			return all, nil
		}
	}
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return nil, replica.ErrNotForUs
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", replica.ErrCut, err)
	}
	return nil, fmt.Errorf("%w: %w", replica.ErrAltered, err)
}
