package aimem_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"testing"

	"github.com/veraison/go-cose"

	"github.com/satchel-memory/satchel/aimem"
)

// codeOf is what a verification came to, in one word.
func codeOf(t *testing.T, signature []byte, payload aimem.Payload, policy aimem.Policy, trusted ...aimem.Key) string {
	t.Helper()
	outcome, _, err := aimem.Verify(signature, payload, policy, trusted)
	if err == nil {
		return string(outcome)
	}
	fault, ok := errors.AsType[*aimem.Fault](err)
	if !ok || outcome != "" || fault.Code.Status() != 422 {
		t.Fatalf("Verify = %q, %v", outcome, err)
	}
	return string(fault.Code)
}

// TestPolicy is the table of decision AD-26.
func TestPolicy(t *testing.T) {
	ours, theirs := seeded(t, 1), seeded(t, 2)
	known := aimem.PublicKey(ours)
	valid, unknown := signed(t, ours, "payload"), signed(t, theirs, "payload")
	invalid := bytes.Clone(valid)
	invalid[len(invalid)-1] ^= 1
	for _, c := range []struct {
		rule      string
		signature []byte
		want      map[aimem.Policy]string
	}{
		{"AIMEM-5.3-1 valid, of a trusted key", valid, map[aimem.Policy]string{"require": "verified", "verify": "verified", "": "verified", "skip": "skipped"}},
		{"AIMEM-5.3-1 valid, of an unknown key", unknown, map[aimem.Policy]string{"require": "signature_untrusted", "verify": "untrusted", "": "untrusted", "skip": "skipped"}},
		{"AIMEM-5.3-9 invalid", invalid, map[aimem.Policy]string{"require": "signature_invalid", "verify": "signature_invalid", "": "signature_invalid", "skip": "skipped"}},
		{"AIMEM-5.3-8 absent", nil, map[aimem.Policy]string{"require": "signature_required", "verify": "absent", "": "absent", "skip": "skipped"}},
		{"AIMEM-5.3-9 empty", []byte{}, map[aimem.Policy]string{"require": "signature_invalid", "verify": "signature_invalid", "": "signature_invalid", "skip": "skipped"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			for policy, want := range c.want {
				if got := codeOf(t, c.signature, text("payload"), policy, known); got != want {
					t.Errorf("%q: %s, want %s", policy, got, want)
				}
			}
		})
	}
}

func TestVerify(t *testing.T) {
	key := seeded(t, 1)
	known := aimem.PublicKey(key)
	kid := cose.ProtectedHeader{cose.HeaderLabelKeyID: []byte(key.DID())}
	eddsa := ed25519Signer{key, cose.AlgorithmEdDSA}
	t.Run("AIMEM-5.3-4 only the payload itself verifies", func(t *testing.T) {
		signature := signed(t, key, minimalPayload)
		if got := codeOf(t, signature, text(minimalPayload), "verify", known); got != "verified" {
			t.Errorf("the payload: %s", got)
		}
		withSum := `{"checksum":"` + minimalSum + `",` + minimalPayload[1:]
		for name, other := range map[string]string{"with the checksum": withSum, "the bytes of the file": minimal} {
			if got := codeOf(t, signature, text(other), "verify", known); got != "signature_invalid" {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
	t.Run("AIMEM-5.3-1 one bit that is turned spoils it", func(t *testing.T) {
		signature := signed(t, key, "payload")
		for i := range signature {
			for bit := range 8 {
				signature[i] ^= 1 << bit
				if got := codeOf(t, signature, text("payload"), "require", known); got == "verified" {
					t.Fatalf("byte %d, bit %d: verified", i, bit)
				}
				signature[i] ^= 1 << bit
			}
		}
	})
	t.Run("AIMEM-5.3-5 an attached payload has to be the same", func(t *testing.T) {
		for attached, want := range map[string]string{"payload": "verified", "payloaD": "signature_invalid", "payload2": "signature_invalid", "payloa": "signature_invalid"} {
			signature := made(t, eddsa, protectedAs(cose.AlgorithmEdDSA, kid), "payload", func(m *cose.Sign1Message) { m.Payload = []byte(attached) })
			if got := codeOf(t, signature, text("payload"), "verify", known); got != want {
				t.Errorf("%s: %s, want %s", attached, got, want)
			}
		}
	})
	t.Run("AIMEM-5.3-1 a kid of either bucket is heeded, and none is needed", func(t *testing.T) {
		outside := protectedAs(cose.AlgorithmEdDSA, nil)
		outside.Unprotected = cose.UnprotectedHeader{cose.HeaderLabelKeyID: []byte(key.DID())}
		for _, headers := range []cose.Headers{outside, protectedAs(cose.AlgorithmEdDSA, nil), protectedAs(cose.AlgorithmEdDSA, kid)} {
			signature := made(t, eddsa, headers, "payload", nil)
			other := aimem.PublicKey(seeded(t, 5))
			if got := codeOf(t, signature, text("payload"), "require", other, known); got != "verified" {
				t.Errorf("headers %v: %s", headers, got)
			}
		}
	})
	t.Run("AIMEM-5.3-9 a kid of both buckets is no COSE", func(t *testing.T) {
		both := protectedAs(cose.AlgorithmEdDSA, kid)
		both.Unprotected = cose.UnprotectedHeader{cose.HeaderLabelKeyID: []byte(key.DID())}
		if got := codeOf(t, made(t, eddsa, both, "payload", nil), text("payload"), "verify", known); got != "signature_invalid" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("AIMEM-5.3-1 a key that is known by another name is trusted", func(t *testing.T) {
		renamed := aimem.Key{ID: []byte("2026"), Public: key.Public()}
		if got := codeOf(t, signed(t, key, "payload"), text("payload"), "require", renamed); got != "verified" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("AIMEM-5.3-9 what cannot be checked is not let in", func(t *testing.T) {
		signature := made(t, eddsa, protectedAs(cose.AlgorithmEdDSA, cose.ProtectedHeader{cose.HeaderLabelKeyID: []byte("2026")}), "payload", nil)
		if got := codeOf(t, signature, text("payload"), "verify"); got != "signature_untrusted" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("AIMEM-5.3-1 a name claimed by somebody else's key", func(t *testing.T) {
		squatter := seeded(t, 6)
		signature := made(t, ed25519Signer{squatter, cose.AlgorithmEdDSA}, protectedAs(cose.AlgorithmEdDSA, kid), "payload", nil)
		if got := codeOf(t, signature, text("payload"), "verify", known); got != "signature_invalid" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("AIMEM-5.3-9 a kid that is the did:key of another key", func(t *testing.T) {
		signature := made(t, ed25519Signer{seeded(t, 6), cose.AlgorithmEdDSA}, protectedAs(cose.AlgorithmEdDSA, kid), "payload", nil)
		nameless := aimem.Key{Public: seeded(t, 6).Public()}
		if got := codeOf(t, signature, text("payload"), "verify", nameless); got != "signature_invalid" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("the payload's own failure is told", func(t *testing.T) {
		broken := errors.New("broken")
		payload := aimem.Payload{Size: 7, Write: func(io.Writer) error { return broken }}
		if _, _, err := aimem.Verify(signed(t, key, "payload"), payload, "", nil); !errors.Is(err, broken) {
			t.Errorf("Verify: %v", err)
		}
	})
}

func TestVerifyAlgorithms(t *testing.T) {
	key, ec := seeded(t, 1), p256For(t)
	es256, err := cose.NewSigner(cose.AlgorithmES256, ec)
	if err != nil {
		t.Fatal(err)
	}
	known := []aimem.Key{aimem.PublicKey(key), {ID: []byte("p"), Public: &ec.PublicKey}}
	for _, c := range []struct {
		name      string
		signature []byte
		want      string
	}{
		{"EdDSA", made(t, ed25519Signer{key, -8}, protectedAs(-8, nil), "payload", nil), "verified"},
		{"Ed25519", made(t, ed25519Signer{key, -19}, protectedAs(-19, nil), "payload", nil), "verified"},
		{"ES256", made(t, es256, protectedAs(-7, nil), "payload", nil), "verified"},
		{"an Ed25519 signature said to be ES256", made(t, ed25519Signer{key, -7}, protectedAs(-7, nil), "payload", nil), "signature_invalid"},
		{"an algorithm nobody offers", made(t, ed25519Signer{key, -53}, protectedAs(-53, nil), "payload", nil), "signature_invalid"},
		{"a content type that is critical", made(t, ed25519Signer{key, -8}, protectedAs(-8, cose.ProtectedHeader{
			cose.HeaderLabelCritical: []any{cose.HeaderLabelContentType}, cose.HeaderLabelContentType: aimem.MediaType}), "payload", nil), "verified"},
		{"another content type", made(t, ed25519Signer{key, -8}, protectedAs(-8, cose.ProtectedHeader{cose.HeaderLabelContentType: "a/b"}), "payload", nil), "signature_invalid"},
		{"a critical header that is unknown", made(t, ed25519Signer{key, -8}, protectedAs(-8, cose.ProtectedHeader{
			cose.HeaderLabelCritical: []any{int64(99)}, int64(99): true}), "payload", nil), "signature_invalid"},
		{"an algorithm outside of the protected headers", made(t, ed25519Signer{key, -8}, protectedAs(-8, nil), "payload", func(m *cose.Sign1Message) {
			m.Headers = cose.Headers{Unprotected: cose.UnprotectedHeader{cose.HeaderLabelAlgorithm: int64(-8)}}
		}), "signature_invalid"},
		{"no CBOR", []byte("signature"), "signature_invalid"},
		{"too long", append([]byte{0xd2, 0x84}, make([]byte, 64<<10)...), "signature_invalid"},
	} {
		t.Run("AIMEM-5.3-1 "+c.name, func(t *testing.T) {
			if got := codeOf(t, c.signature, text("payload"), "", known...); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
	t.Run("AIMEM-5.3-1 a message without its tag", func(t *testing.T) {
		signature := signed(t, key, "payload")[1:]
		if got := codeOf(t, signature, text("payload"), "", known...); got != "verified" {
			t.Errorf("it is %s", got)
		}
	})
}

// FuzzVerify looks for messages that make us stumble, and for one that passes.
func FuzzVerify(f *testing.F) {
	signer, err := cose.NewSigner(cose.AlgorithmES256, p256For(f))
	if err != nil {
		f.Fatal(err)
	}
	m := &cose.Sign1Message{Headers: protectedAs(cose.AlgorithmES256, nil), Payload: []byte("other")}
	if err := m.Sign(rand.Reader, nil, signer); err != nil {
		f.Fatal(err)
	}
	data, err := m.MarshalCBOR()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[1:])
	f.Add([]byte{0xd2, 0x84, 0x40, 0xa0, 0xf6, 0x40})
	f.Fuzz(func(t *testing.T, signature []byte) {
		trusted, _ := aimem.DecodeKeys(signature)
		outcome, _, err := aimem.Verify(signature, text("payload"), "", trusted)
		if err != nil {
			if _, ok := errors.AsType[*aimem.Fault](err); !ok {
				t.Errorf("Verify: %v", err)
			}
			return
		}
		if outcome == aimem.Verified {
			t.Errorf("%x passed", signature)
		}
	})
}
