package aimem_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/veraison/go-cose"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

func seeded(t *testing.T, fill byte) keys.Private {
	t.Helper()
	key, err := keys.FromSeed(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// text is a payload that is held.
func text(s string) aimem.Payload {
	return aimem.Payload{Write: func(w io.Writer) error { _, err := io.WriteString(w, s); return err }}
}

func signed(t *testing.T, key keys.Private, s string) []byte {
	t.Helper()
	signature, err := aimem.Sign(key, text(s))
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

// made makes a message as somebody else's program would, with go-cose alone. edit
// changes it after it was signed.
func made(t *testing.T, signer cose.Signer, headers cose.Headers, payload string, edit func(*cose.Sign1Message)) []byte {
	t.Helper()
	m := &cose.Sign1Message{Headers: headers, Payload: []byte(payload)}
	if err := m.Sign(rand.Reader, nil, signer); err != nil {
		t.Fatal(err)
	}
	m.Payload = nil
	if edit != nil {
		edit(m)
	}
	data, err := m.MarshalCBOR()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ed25519Signer signs as a key does, under either name of the algorithm.
type ed25519Signer struct {
	key keys.Private
	alg cose.Algorithm
}

func (s ed25519Signer) Algorithm() cose.Algorithm { return s.alg }

func (s ed25519Signer) Sign(_ io.Reader, content []byte) ([]byte, error) {
	return s.key.Sign(content), nil
}

func protectedAs(alg cose.Algorithm, more cose.ProtectedHeader) cose.Headers {
	p := cose.ProtectedHeader{cose.HeaderLabelAlgorithm: alg}
	for label, value := range more {
		p[label] = value
	}
	return cose.Headers{Protected: p}
}

func TestSign(t *testing.T) {
	key := seeded(t, 9)
	t.Run("AIMEM-5.3-5 the message is tagged, detached and deterministic", func(t *testing.T) {
		got := signed(t, key, minimalPayload)
		if !bytes.HasPrefix(got, []byte{0xd2, 0x84}) || !bytes.Equal(got, signed(t, key, minimalPayload)) {
			t.Errorf("signature is %x", got)
		}
		var m cose.Sign1Message
		if err := m.UnmarshalCBOR(got); err != nil {
			t.Fatal(err)
		}
		if m.Payload != nil || len(m.Headers.Unprotected) > 0 || len(m.Headers.Protected) != 3 {
			t.Errorf("message is %+v", m)
		}
		if string(m.Headers.Protected[cose.HeaderLabelKeyID].([]byte)) != string(key.DID()) || m.Headers.Protected[cose.HeaderLabelContentType] != aimem.MediaType {
			t.Errorf("protected headers are %v", m.Headers.Protected)
		}
	})
	t.Run("another program's verifier accepts it, whatever the size", func(t *testing.T) {
		verifier, err := cose.NewVerifier(cose.AlgorithmEdDSA, key.Public())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 23, 24, 255, 256, 65_535, 65_536, 200_000} {
			payload := strings.Repeat("x", size)
			var m cose.Sign1Message
			if err := m.UnmarshalCBOR(signed(t, key, payload)); err != nil {
				t.Fatal(err)
			}
			m.Payload = []byte(payload)
			if err := m.Verify(nil, verifier); err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
	})
	t.Run("without a key nothing is signed", func(t *testing.T) {
		if _, err := aimem.Sign(keys.Private{}, text("x")); !errors.Is(err, keys.ErrNoKey) {
			t.Errorf("Sign: %v", err)
		}
	})
	t.Run("a payload that is not of the size it says is refused", func(t *testing.T) {
		payload := text("four")
		payload.Size = 5
		if _, err := aimem.Sign(key, payload); err == nil {
			t.Error("it was signed")
		}
	})
}

// TestSharedSignature holds us to a vector that is kept outside the repository.
func TestSharedSignature(t *testing.T) {
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	data, err := os.ReadFile(filepath.Join(shared, "specs", "vectors", "ump-aimem-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	v := parse(t, string(data))
	seed, err := hex.DecodeString(v.Get("key_seed_hex").Text())
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	v = v.Get("aimem")
	got := signed(t, key, v.Get("payload_jcs").Text())
	if hex.EncodeToString(got) != v.Get("cose_sign1_tagged_detached_hex").Text() || aimem.FormatHeader(got) != v.Get("AIMEM-Signature").Text() {
		t.Errorf("signature is %x", got)
	}
	outcome, by, err := aimem.Verify(got, text(v.Get("payload_jcs").Text()), aimem.RequireSignature, []aimem.Key{aimem.PublicKey(key)})
	if outcome != aimem.Verified || err != nil {
		t.Errorf("Verify = %s, %v", outcome, err)
	}
	if encoded, err := aimem.EncodeKey(by); hex.EncodeToString(encoded) != v.Get("cose_key_hex").Text() {
		t.Errorf("key is %x, %v", encoded, err)
	}
}

// TestSignedVectors runs testdata/signed: a message of another program, or of
// nobody's, and what is to come of it.
func TestSignedVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/signed/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d vectors were found: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v := parse(t, string(data))
		t.Run(v.Get("rule").Text()+" "+v.Get("says").Text(), func(t *testing.T) { signedVector(t, v) })
	}
}

func signedVector(t *testing.T, v canon.Value) {
	signature, err := hex.DecodeString(v.Get("signature").Text())
	if err != nil {
		t.Fatal(err)
	}
	var trusted []aimem.Key
	for _, item := range v.Get("trusted").Items() {
		encoded, err := hex.DecodeString(item.Text())
		if err != nil {
			t.Fatal(err)
		}
		found, err := aimem.DecodeKeys(encoded)
		if err != nil {
			t.Fatal(err)
		}
		trusted = append(trusted, found...)
	}
	outcome, _, err := aimem.Verify(signature, text(v.Get("payload").Text()), aimem.Policy(v.Get("policy").Text()), trusted)
	got := string(outcome)
	if fault, ok := errors.AsType[*aimem.Fault](err); ok {
		got = string(fault.Code)
	} else if err != nil {
		t.Fatal(err)
	}
	if want := v.Get("expect").Text(); got != want {
		t.Errorf("it is %s (%v), want %s", got, err, want)
	}
}
