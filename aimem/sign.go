package aimem

import (
	"errors"
	"fmt"
	"io"

	"github.com/fxamacker/cbor/v2"
	"github.com/veraison/go-cose"

	"github.com/satchel-memory/satchel/keys"
)

// Payload is the signed content: the canonical JSON of a bundle without its checksum
// (section 5.3). It is never held whole.
type Payload struct {
	Size  int64                   // bytes; 0: not known, and counted first
	Write func(w io.Writer) error // writes it anew, the same each time
}

// maxSignature bounds the CBOR of a signature that is looked at.
const maxSignature = 64 << 10

// algorithmEd25519 is Ed25519 under the name of its own that RFC 9864 gave it.
const algorithmEd25519 cose.Algorithm = -19

// Sign returns a detached COSE_Sign1 message over payload (section 5.3, decision
// AD-23), whose kid is the did:key of the key. It is what AIMEM-Signature and .sig
// files hold. It fails with [keys.ErrNoKey], and with what the payload fails with.
func Sign(key keys.Private, payload Payload) ([]byte, error) {
	if key.IsZero() {
		return nil, keys.ErrNoKey
	}
	message := &cose.Sign1Message{Headers: cose.Headers{Protected: cose.ProtectedHeader{
		cose.HeaderLabelAlgorithm:   cose.AlgorithmEdDSA,
		cose.HeaderLabelContentType: MediaType,
		cose.HeaderLabelKeyID:       []byte(key.DID()),
	}}}
	payload, err := payload.withSize()
	if err != nil {
		return nil, err
	}
	head, err := signedHead(message, payload.Size)
	if err != nil {
		return nil, err
	}
	signer := streamSigner{key, payload.behind(head)}
	message.Payload = []byte{} // Sign requires it; streamSigner signs the stream instead
	if err := message.Sign(nil, nil, signer); err != nil {
		return nil, fmt.Errorf("sign the bundle: %w", err)
	}
	message.Payload = nil
	return message.MarshalCBOR()
}

// streamSigner signs a stream and ignores the content that go-cose passes.
type streamSigner struct {
	key    keys.Private
	signed func(io.Writer) error
}

// Algorithm returns EdDSA.
func (s streamSigner) Algorithm() cose.Algorithm { return cose.AlgorithmEdDSA }

// Sign signs the stream.
func (s streamSigner) Sign(io.Reader, []byte) ([]byte, error) { return s.key.SignStream(s.signed) }

// withSize is the payload with its size.
func (p Payload) withSize() (Payload, error) {
	if p.Size > 0 {
		return p, nil
	}
	var count counter
	if err := p.Write(&count); err != nil {
		return p, err
	}
	p.Size = int64(count)
	return p, nil
}

// behind writes the payload behind head, and makes sure of its size: the head says
// it.
func (p Payload) behind(head []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := w.Write(head); err != nil {
			return err
		}
		var count counter
		if err := p.Write(io.MultiWriter(w, &count)); err != nil {
			return err
		}
		if int64(count) != p.Size {
			return errors.New("the bundle changed while it was read; try again when nothing writes to it")
		}
		return nil
	}
}

// signedHead is the Sig_structure of a message (RFC 9052, section 4.4) up to the
// bytes of its payload: ["Signature1", protected, h”, payload].
func signedHead(m *cose.Sign1Message, size int64) ([]byte, error) {
	protected, err := m.Headers.MarshalProtected()
	if err != nil {
		return nil, err
	}
	var inner []byte
	if err := cbor.Unmarshal(protected, &inner); err != nil {
		return nil, err
	}
	context, err := cbor.Marshal("Signature1")
	if err != nil {
		return nil, err
	}
	head := append([]byte{0x84}, context...)
	head = append(byteStringHead(head, int64(len(inner))), inner...)
	head = byteStringHead(head, 0)
	return byteStringHead(head, size), nil
}

// byteStringHead appends the shortest head of a CBOR byte string of size bytes.
func byteStringHead(dst []byte, size int64) []byte {
	const major = 2 << 5
	switch n := uint64(size); {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return append(dst, major|25, byte(n>>8), byte(n))
	case n < 1<<32:
		return append(dst, major|26, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	default:
		return append(dst, major|27, byte(n>>56), byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
}
