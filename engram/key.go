package engram

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/keys"
)

// Key is an entry of the list of keys (section 3.8).
type Key struct {
	Kid                  string
	Public               []byte // 32 bytes
	CreatedAt, ExpiresAt time.Time
}

// NewKey lists a public key for a year (ENGRAM-3.8-19).
func NewKey(kid string, public ed25519.PublicKey, created time.Time) Key {
	created = created.UTC().Truncate(time.Second)
	return Key{Kid: kid, Public: public, CreatedAt: created, ExpiresAt: created.AddDate(1, 0, 0)}
}

// IssuerKey derives the key that signs an owner's exports. It reveals nothing of the
// owner's key. Each generation, from 1, has another key.
func IssuerKey(owner keys.Private, generation int) (keys.Private, error) {
	if owner.IsZero() {
		return keys.Private{}, keys.ErrNoKey
	}
	if generation < 1 {
		return keys.Private{}, fmt.Errorf("derive the issuer's key: there is no generation %d", generation)
	}
	return keys.FromSeed(owner.Secret("satchel Engram issuer key " + strconv.Itoa(generation)))
}

// KidOf names a key by the month of its creation: key-2026-04, then key-2026-04-2 and so on
// while names are taken.
func KidOf(created time.Time, taken ...string) string {
	name := created.UTC().Format("key-2006-01")
	for n, kid := 2, name; ; n++ {
		if !slices.Contains(taken, kid) {
			return kid
		}
		kid = name + "-" + strconv.Itoa(n)
	}
}

// EncodeKeys writes the list of keys (ENGRAM-3.8-17).
func EncodeKeys(list []Key) []byte {
	return keyList(list, func(k Key) canon.Value {
		var o object
		o.must("kid", k.Kid)
		o.must("alg", "Ed25519")
		o.must("use", "sig")
		o.must("public_key", base64.RawURLEncoding.EncodeToString(k.Public))
		o.time("created_at", k.CreatedAt)
		o.time("expires_at", k.ExpiresAt)
		return o.value()
	})
}

// JWKS writes the same keys as a JWK set (RFC 7517, RFC 8037; ENGRAM-3.8-32).
func JWKS(list []Key) []byte {
	return keyList(list, func(k Key) canon.Value {
		var o object
		o.must("kty", "OKP")
		o.must("crv", "Ed25519")
		o.must("x", base64.RawURLEncoding.EncodeToString(k.Public))
		o.must("kid", k.Kid)
		o.must("alg", "EdDSA")
		o.must("use", "sig")
		return o.value()
	})
}

func keyList(list []Key, write func(Key) canon.Value) []byte {
	items := make([]canon.Value, len(list))
	for i, k := range list {
		items[i] = write(k)
	}
	return canon.Object(canon.Member{Name: "keys", Value: canon.Array(items...)}).Append(nil)
}

// maxKeyList bounds a list of keys.
const maxKeyList = 1 << 20

// DecodeKeys reads a list of keys. It leaves out entries that cannot verify anything:
// another algorithm or use, a key of other than 32 bytes, a key that anybody can sign for,
// or no time (ENGRAM-3.8-18, ENGRAM-3.8-24). It fails with a [*codec.ParseError] on
// anything but a list, and on two keys with one kid.
func DecodeKeys(raw []byte) ([]Key, error) {
	v, err := canon.Parse(raw, canon.Options{Bytes: maxKeyList})
	if err != nil {
		return nil, notJSON(err)
	}
	items := v.Get("keys")
	if items.Type() != canon.TypeArray {
		return nil, &codec.ParseError{Format: Name, Path: "/keys", Rule: "ENGRAM-3.8-17", Err: errors.New("there is no list of keys")}
	}
	var list []Key
	for i, item := range items.Items() {
		k, ok := readKey(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(list, func(other Key) bool { return other.Kid == k.Kid }) {
			return nil, &codec.ParseError{Format: Name, Path: canon.Pointer("keys", strconv.Itoa(i)), Rule: "ENGRAM-3.8-11", Err: errors.New("two keys have one kid")}
		}
		list = append(list, k)
	}
	return list, nil
}

func readKey(v canon.Value) (Key, bool) {
	public, ok := decode64(v.Get("public_key").Text(), ed25519.PublicKeySize)
	k := Key{Kid: v.Get("kid").Text(), Public: public, CreatedAt: instant(v.Get("created_at")), ExpiresAt: instant(v.Get("expires_at"))}
	usable := ok && !keys.IsWeak(public) && k.Kid != "" && !k.CreatedAt.IsZero() && !k.ExpiresAt.IsZero()
	return k, usable && v.Get("alg").Text() == "Ed25519" && v.Get("use").Text() == "sig"
}
