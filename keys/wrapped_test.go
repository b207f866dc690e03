package keys_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// wrappingOf is the secret under which tests wrap.
func wrappingOf(t testing.TB) []byte { return sevens(t).Secret("wrapping in tests") }

// TestUnwrapVector opens a wrapped key of version 1 that was assembled by hand: version,
// nonce, ciphertext and tag. Every later version must open it.
func TestUnwrapVector(t *testing.T) {
	const layout = "01" + "000102030405060708090a0b"
	secret, p := wrappingOf(t), elevens(t)
	block, err := aes.NewCipher(secret)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	made := unhex(t, layout)
	made = gcm.Seal(made, made[1:], p.Seed(), []byte(p.DID()))
	if got := hex.EncodeToString(made); got != wrappedElevens {
		t.Errorf("put together by hand: %s", got)
	}
	back, err := keys.Unwrap(secret, p.DID(), unhex(t, wrappedElevens))
	if err != nil || !bytes.Equal(back.Seed(), p.Seed()) {
		t.Errorf("got %v, %v", back, err)
	}
}

const wrappedElevens = "01000102030405060708090a0baf8a8238369afafbd17fcc64b17984f1fd14c5e50fa9eb648ea89afd6c5297d7c010384a6ed9f550dd1549d84e0115b2"

func elevens(t testing.TB) keys.Private {
	t.Helper()
	p, err := keys.FromSeed(unhex(t, known[1].seed))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWrapRoundTrip(t *testing.T) {
	secret, p := wrappingOf(t), elevens(t)
	first, err := p.Wrap(secret)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Wrap(secret)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != keys.WrappedSize || bytes.Equal(first, second) {
		t.Errorf("%d bytes, the same twice: %t", len(first), bytes.Equal(first, second))
	}
	if bytes.Contains(first, p.Seed()) || bytes.Contains(first, p.Seed()[:8]) {
		t.Error("the seed shows")
	}
	for _, wrapped := range [][]byte{first, second} {
		back, err := keys.Unwrap(secret, p.DID(), wrapped)
		if err != nil || back.DID() != p.DID() || !bytes.Equal(back.Seed(), p.Seed()) {
			t.Errorf("got %v, %v", back, err)
		}
	}
}

func TestUnwrapRefuses(t *testing.T) {
	secret, p := wrappingOf(t), elevens(t)
	wrapped, err := p.Wrap(secret)
	if err != nil {
		t.Fatal(err)
	}
	with := func(place int, b byte) []byte {
		out := bytes.Clone(wrapped)
		out[place] = b
		return out
	}
	for _, test := range []struct {
		name    string
		secret  []byte
		did     memory.DID
		wrapped []byte
		want    error
	}{
		{"another secret", sevens(t).Secret("another"), p.DID(), wrapped, keys.ErrSecret},
		{"another owner", secret, sevens(t).DID(), wrapped, keys.ErrSecret},
		{"no owner", secret, "", wrapped, keys.ErrSecret},
		{"nothing", secret, p.DID(), nil, keys.ErrMalformed},
		{"cut", secret, p.DID(), wrapped[:len(wrapped)-1], keys.ErrMalformed},
		{"longer", secret, p.DID(), append(bytes.Clone(wrapped), 0), keys.ErrMalformed},
		{"newer version", secret, p.DID(), with(0, 2), keys.ErrMalformed},
		{"another nonce", secret, p.DID(), with(1, wrapped[1]^1), keys.ErrSecret},
		{"another seed", secret, p.DID(), with(13, wrapped[13]^1), keys.ErrSecret},
		{"another tag", secret, p.DID(), with(len(wrapped)-1, wrapped[len(wrapped)-1]^1), keys.ErrSecret},
		{"secret too short", secret[:31], p.DID(), wrapped, keys.ErrMalformed},
		{"no secret", nil, p.DID(), wrapped, keys.ErrMalformed},
	} {
		got, err := keys.Unwrap(test.secret, test.did, test.wrapped)
		if !errors.Is(err, test.want) || !got.IsZero() {
			t.Errorf("%s: got %v, %v; want %v", test.name, got, err, test.want)
		}
	}
}

func TestWrapRefuses(t *testing.T) {
	if _, err := (keys.Private{}).Wrap(wrappingOf(t)); !errors.Is(err, keys.ErrNoKey) {
		t.Errorf("no key: %v", err)
	}
	for _, n := range []int{0, 16, 31, 33} {
		if _, err := sevens(t).Wrap(make([]byte, n)); !errors.Is(err, keys.ErrMalformed) {
			t.Errorf("a secret of %d bytes: %v", n, err)
		}
	}
}
