package keys_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"filippo.io/edwards25519"

	"github.com/satchel-memory/satchel/keys"
)

// signedBy returns n messages that a key signed.
func signedBy(key ed25519.PrivateKey, n int) []keys.Signed {
	var all []keys.Signed
	for i := range n {
		message := fmt.Appendf(nil, "message %d", i)
		all = append(all, keys.Signed{Message: message, Signature: ed25519.Sign(key, message)})
	}
	return all
}

func testKey(seed byte) (ed25519.PublicKey, ed25519.PrivateKey) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return key.Public().(ed25519.PublicKey), key
}

func TestVerifyAll(t *testing.T) {
	pub, key := testKey(1)
	other, _ := testKey(2)
	for _, n := range []int{0, 1, 2, 10, 50} {
		if !keys.VerifyAll(pub, signedBy(key, n)) {
			t.Errorf("%d signatures do not verify", n)
		}
	}
	if keys.VerifyAll(other, signedBy(key, 3)) || keys.VerifyAll(pub[:31], nil) {
		t.Error("signatures verify with another key")
	}
	good := signedBy(key, 4)
	for name, damage := range map[string]func(*keys.Signed){
		"message":    func(s *keys.Signed) { s.Message = append(slices.Clone(s.Message), '.') },
		"empty":      func(s *keys.Signed) { s.Signature = nil },
		"too long":   func(s *keys.Signed) { s.Signature = append(slices.Clone(s.Signature), 0) },
		"s plus l":   func(s *keys.Signed) { s.Signature = plusOrder(s.Signature) },
		"no point":   func(s *keys.Signed) { copy(s.Signature, bytes.Repeat([]byte{2}, 32)) },
		"point 0":    func(s *keys.Signed) { copy(s.Signature, append([]byte{1}, make([]byte, 31)...)) },
		"y beyond p": func(s *keys.Signed) { copy(s.Signature, append([]byte{0xee}, bytes.Repeat([]byte{0xff}, 31)...)) },
	} {
		bad := slices.Clone(good)
		bad[2].Signature = slices.Clone(bad[2].Signature)
		damage(&bad[2])
		if keys.VerifyAll(pub, bad) || keys.Verify(pub, bad[2].Message, bad[2].Signature) || ed25519.Verify(pub, bad[2].Message, bad[2].Signature) {
			t.Errorf("%s: it verifies", name)
		}
	}
	for bit := range 8 * ed25519.SignatureSize {
		bad := slices.Clone(good)
		bad[1].Signature = slices.Clone(bad[1].Signature)
		bad[1].Signature[bit/8] ^= 1 << (bit % 8)
		if keys.VerifyAll(pub, bad) {
			t.Errorf("bit %d: it verifies", bit)
		}
	}
}

// Two wrong signatures, one as much too large as the other is too small, do not cancel each
// other out.
func TestVerifyAllOfWrongPairs(t *testing.T) {
	pub, key := testKey(1)
	all := signedBy(key, 2)
	one, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(x, y *edwards25519.Scalar) *edwards25519.Scalar{new(edwards25519.Scalar).Add, new(edwards25519.Scalar).Subtract} {
		s, err := edwards25519.NewScalar().SetCanonicalBytes(all[i].Signature[32:])
		if err != nil {
			t.Fatal(err)
		}
		all[i].Signature = append(slices.Clone(all[i].Signature[:32]), change(s, one).Bytes()...)
		if ed25519.Verify(pub, all[i].Message, all[i].Signature) {
			t.Fatal("a changed signature verifies")
		}
	}
	if keys.VerifyAll(pub, all) {
		t.Error("two wrong signatures verify together")
	}
	swapped := signedBy(key, 2)
	swapped[0].Signature, swapped[1].Signature = swapped[1].Signature, swapped[0].Signature
	if keys.VerifyAll(pub, swapped) {
		t.Error("swapped signatures verify")
	}
}

// A point of small order, added to R by who has the key, changes nothing that RFC 8032 looks
// at, and ed25519.Verify refuses it. One signature and many are judged alike.
func TestVerifyAllOfSmallOrder(t *testing.T) {
	pub, key := testKey(1)
	for name, small := range map[string]string{
		"order 2": "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"order 4": "0000000000000000000000000000000000000000000000000000000000000000",
		"order 8": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	} {
		for i := range 64 {
			crafted := craft(t, key, fmt.Appendf(nil, "message %d", i), small)
			if ed25519.Verify(pub, crafted.Message, crafted.Signature) {
				t.Fatal("the crafted signature verifies by itself")
			}
			if !keys.Verify(pub, crafted.Message, crafted.Signature) || !keys.VerifyAll(pub, append(signedBy(key, 3), crafted)) {
				t.Fatalf("%s: signature %d is refused", name, i)
			}
			if keys.Verify(pub, []byte("another message"), crafted.Signature) {
				t.Fatalf("%s: signature %d verifies another message", name, i)
			}
		}
	}
}

// craft signs a message as RFC 8032 has it, but adds a point to R.
func craft(t *testing.T, key ed25519.PrivateKey, message []byte, small string) keys.Signed {
	t.Helper()
	encoded, err := hex.DecodeString(small)
	if err != nil {
		t.Fatal(err)
	}
	add, err := new(edwards25519.Point).SetBytes(encoded)
	if err != nil {
		t.Fatal(err)
	}
	expanded := sha512.Sum512(key.Seed())
	secret, err := edwards25519.NewScalar().SetBytesWithClamping(expanded[:32])
	if err != nil {
		t.Fatal(err)
	}
	nonce := sha512.Sum512(message)
	r, err := edwards25519.NewScalar().SetUniformBytes(nonce[:])
	if err != nil {
		t.Fatal(err)
	}
	point := new(edwards25519.Point).Add(new(edwards25519.Point).ScalarBaseMult(r), add).Bytes()
	hash := sha512.Sum512(slices.Concat(point, key.Public().(ed25519.PublicKey), message))
	k, err := edwards25519.NewScalar().SetUniformBytes(hash[:])
	if err != nil {
		t.Fatal(err)
	}
	return keys.Signed{Message: message, Signature: append(point, edwards25519.NewScalar().MultiplyAdd(k, secret, r).Bytes()...)}
}

// plusOrder adds the order of the group to the number of a signature, which changes nothing
// in its equation.
func plusOrder(signature []byte) []byte {
	order := []byte{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 31: 0x10}
	changed, carry := slices.Clone(signature), 0
	for i, b := range order {
		carry += int(changed[32+i]) + int(b)
		changed[32+i], carry = byte(carry), carry>>8
	}
	return changed
}
