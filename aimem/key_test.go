package aimem_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/veraison/go-cose"

	"github.com/satchel-memory/satchel/aimem"
)

func p256For(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func TestKeys(t *testing.T) {
	own, ec := aimem.PublicKey(seeded(t, 3)), aimem.Key{ID: []byte("2026"), Public: &p256For(t).PublicKey}
	t.Run("AIMEM-5.3-6 a published key is a COSE_Key map", func(t *testing.T) {
		data, err := aimem.EncodeKey(own)
		if err != nil {
			t.Fatal(err)
		}
		want := "a5010102583864" // {1: 1, 2: kid, 3: -8, -1: 6, -2: x}, deterministic
		var m map[int]any
		if got := hex.EncodeToString(data); got[:14] != want || cbor.Unmarshal(data, &m) != nil || len(m) != 5 {
			t.Errorf("key is %s", got)
		}
		if m[3] != int64(-8) || m[-1] != uint64(6) || len(m[-2].([]byte)) != 32 {
			t.Errorf("key is %v", m)
		}
	})
	t.Run("AIMEM-5.3-6 keys are read again, and another program reads them", func(t *testing.T) {
		for _, key := range []aimem.Key{own, ec} {
			data, err := aimem.EncodeKey(key)
			if err != nil {
				t.Fatal(err)
			}
			got, err := aimem.DecodeKeys(data)
			if err != nil || len(got) != 1 || !got[0].Equal(key) || !bytes.Equal(got[0].ID, key.ID) {
				t.Errorf("DecodeKeys = %v, %v", got, err)
			}
			var theirs cose.Key
			if err := theirs.UnmarshalCBOR(data); err != nil {
				t.Errorf("another program: %v", err)
			}
		}
		if own.Equal(ec) || own.Equal(aimem.Key{}) || (aimem.Key{}).Equal(own) {
			t.Error("different keys are equal")
		}
	})
	t.Run("AIMEM-5.3-6 of a set those are taken that can be used", func(t *testing.T) {
		first, err := aimem.EncodeKey(own)
		if err != nil {
			t.Fatal(err)
		}
		set, err := cbor.Marshal([]any{cbor.RawMessage(first), map[int]any{1: 4, -1: []byte{1}}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := aimem.DecodeKeys(set); err != nil || len(got) != 1 || !got[0].Equal(own) {
			t.Errorf("DecodeKeys = %v, %v", got, err)
		}
	})
	t.Run("AIMEM-5.3-6 a point may be compressed", func(t *testing.T) {
		pub := ec.Public.(*ecdsa.PublicKey)
		point, err := pub.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		data, err := cbor.Marshal(map[int]any{1: 2, -1: 1, -2: point[1:33], -3: point[64]&1 == 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := aimem.DecodeKeys(data); err != nil || !got[0].Equal(ec) {
			t.Errorf("DecodeKeys = %v, %v", got, err)
		}
	})
	t.Run("AIMEM-5.3-6 a key without kid is called by its did:key", func(t *testing.T) {
		data, err := cbor.Marshal(map[int]any{1: 1, -1: 6, -2: []byte(seeded(t, 3).Public())})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := aimem.DecodeKeys(data); err != nil || string(got[0].ID) != own.Name() || own.Name() != string(seeded(t, 3).DID()) {
			t.Errorf("DecodeKeys = %v, %v", got, err)
		}
	})
}

func TestKeysThatAreNone(t *testing.T) {
	x := []byte(seeded(t, 3).Public())
	for name, value := range map[string]any{
		"a private key":              map[int]any{1: 1, -1: 6, -2: x, -4: x},
		"no x":                       map[int]any{1: 1, -1: 6},
		"a short x":                  map[int]any{1: 1, -1: 6, -2: x[:31]},
		"another curve":              map[int]any{1: 1, -1: 4, -2: x},
		"a curve that is a text":     map[int]any{1: 1, -1: "Ed25519", -2: x},
		"another algorithm":          map[int]any{1: 1, 3: -7, -1: 6, -2: x},
		"a key for signing only":     map[int]any{1: 1, 4: []int{1}, -1: 6, -2: x},
		"a point that is none":       map[int]any{1: 2, -1: 1, -2: x, -3: x},
		"a point without y":          map[int]any{1: 2, -1: 1, -2: x},
		"a symmetric key":            map[int]any{1: 4, -1: x},
		"a point of small order":     map[int]any{1: 1, -1: 6, -2: append([]byte{1}, make([]byte, 31)...)},
		"an empty set":               []any{},
		"a set without a usable key": []any{map[int]any{1: 4, -1: x}},
		"a text":                     "did:key:z6Mk",
	} {
		data, err := cbor.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := aimem.DecodeKeys(data); !errors.Is(err, aimem.ErrKey) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, data := range map[string][]byte{
		"nothing":            nil,
		"doubled members":    {0xa4, 1, 1, 1, 1, 0x20, 6, 0x21, 0x40},
		"indefinite":         {0xbf, 1, 1, 0xff},
		"more than 64 KiB":   make([]byte, 64<<10+1),
		"something after it": {0xa1, 1, 1, 0},
	} {
		if got, err := aimem.DecodeKeys(data); !errors.Is(err, aimem.ErrKey) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := aimem.EncodeKey(aimem.Key{Public: "no key"}); !errors.Is(err, aimem.ErrKey) {
		t.Errorf("EncodeKey: %v", err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := aimem.EncodeKey(aimem.Key{Public: &p384.PublicKey}); !errors.Is(err, aimem.ErrKey) {
		t.Errorf("EncodeKey of P-384: %v", err)
	}
}
