package pairing

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"github.com/bytemare/opaque"
)

// Path is the path of the route.
const Path = "/pair"

// MaxRequest and MaxAnswer are the most bytes of a request and of an answer. A request is
// small, since anybody may send one.
const (
	MaxRequest = 16 << 10
	MaxAnswer  = 256 << 10
)

// request is a request of a pairing: hello, then offer, then confirm. A client that learns that
// its code is wrong sends leave instead of offer. Bytes are base64 in JSON.
type request struct {
	Step    string `json:"step"` // hello, offer, confirm, leave
	Attempt string `json:"attempt,omitempty"`
	Proof   []byte `json:"proof,omitempty"`  // OPAQUE's KE1 or KE3
	Sealed  []byte `json:"sealed,omitempty"` // the offer, or the confirmation
}

// answer is the answer to a request.
type answer struct {
	Attempt string   `json:"attempt,omitempty"`
	Proof   []byte   `json:"proof,omitempty"`  // OPAQUE's KE2
	Sealed  []byte   `json:"sealed,omitempty"` // the secret, or the end
	Error   *refusal `json:"error,omitempty"`
}

type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The failures that callers tell apart.
var (
	// ErrCode: the machines have different codes, or somebody stands between them.
	ErrCode = errors.New("the code is wrong, or somebody stands between the machines")
	// ErrOver: the code was used, is older than ten minutes, or was tried three times.
	ErrOver = errors.New("the code is good no more")
	// errMalformed: this is no message of a pairing, or it was altered.
	errMalformed = errors.New("this is no message of a pairing")
)

// codes returns the failures by their codes in JSON.
func codes() map[string]error {
	return map[string]error{"wrong_code": ErrCode, "over": ErrOver, "malformed": errMalformed}
}

// exchange returns the configuration of OPAQUE that both machines use. It stretches the code by
// no slow hash: the code is never stored, so nobody can search for it offline.
func exchange() *opaque.Configuration {
	return &opaque.Configuration{
		OPRF: opaque.RistrettoSha512, AKE: opaque.RistrettoSha512, KDF: crypto.SHA512, MAC: crypto.SHA512, Hash: crypto.SHA512,
		Context: []byte("satchel pairing 1"),
	}
}

// credential is the credential identifier of OPAQUE. A host has only one.
var credential = [...]byte{'c', 'o', 'd', 'e'}

// channel encrypts the messages after the key exchange. Each message has its own key, derived
// from the session key, the label of the message and the messages of the key exchange.
type channel struct{ secret, transcript []byte }

func newChannel(session []byte, said ...[]byte) channel {
	h := sha256.New()
	for _, message := range said {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(message)))
		h.Write(size[:])
		h.Write(message)
	}
	return channel{session, h.Sum(nil)}
}

// The messages of a channel.
const (
	offerLabel   = "offer"
	secretLabel  = "gift"
	confirmLabel = "confirm"
	endLabel     = "end"
)

func (c channel) cipher(label string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, c.secret, c.transcript, "satchel pairing 1 "+label, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (c channel) seal(label string, plain []byte) ([]byte, error) {
	gcm, err := c.cipher(label)
	if err != nil {
		return nil, err
	}
	return gcm.Seal(nil, make([]byte, gcm.NonceSize()), plain, nil), nil // a key seals one message
}

func (c channel) open(label string, sealed []byte) ([]byte, error) {
	gcm, err := c.cipher(label)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, make([]byte, gcm.NonceSize()), sealed, nil)
	if err != nil {
		return nil, errMalformed
	}
	return plain, nil
}

// decode reads one message in JSON. It fails with [errMalformed] for a message of more than
// most bytes, and for one with unknown members.
func decode(r io.Reader, most int64, into any) error {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if int64(len(data)) > most || d.Decode(into) != nil || d.More() {
		return errMalformed
	}
	return nil
}
