package keys_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/mr-tron/base58"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// known are keys whose did:key others have computed. The last is test 1 of RFC
// 8032, section 7.1.
var known = []struct {
	name, seed, public string
	did                memory.DID
}{
	{"seed of sevens", strings.Repeat("07", 32), "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c",
		"did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z"},
	{"seed of elevens", strings.Repeat("0b", 32), "66be7e332c7a453332bd9d0a7f7db055f5c5ef1a06ada66d98b39fb6810c473a",
		"did:key:z6MkmNL6xksdEJENGk9Z1qqGsY5njKQdjU1UhnUEUvWyQUVX"},
	{"RFC 8032 test 1", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
		"did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"},
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sevens is the key of the first known seed.
func sevens(t testing.TB) keys.Private {
	t.Helper()
	p, err := keys.FromSeed(unhex(t, known[0].seed))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestKnownKeys(t *testing.T) {
	for _, k := range known {
		t.Run("UMP-5.1-2 "+k.name, func(t *testing.T) {
			p, err := keys.FromSeed(unhex(t, k.seed))
			if err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(p.Public()); got != k.public {
				t.Errorf("public key %s, want %s", got, k.public)
			}
			if p.DID() != k.did || keys.DID(p.Public()) != k.did {
				t.Errorf("got %s and %s, want %s", p.DID(), keys.DID(p.Public()), k.did)
			}
			for _, did := range []memory.DID{k.did, k.did + "#" + memory.DID(strings.TrimPrefix(string(k.did), "did:key:")), k.did + "#"} {
				if pub, err := keys.Public(did); err != nil || hex.EncodeToString(pub) != k.public {
					t.Errorf("%s: got %x, %v", did, pub, err)
				}
			}
		})
	}
}

// TestDIDRoundTrip: every public key comes back from its DID, and no DID with one
// character changed names the same key.
func TestDIDRoundTrip(t *testing.T) {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rapid.Check(t, func(t *rapid.T) {
		pub := rapid.SliceOfN(rapid.Byte(), 32, 32).Filter(func(b []byte) bool { return !keys.IsWeak(b) }).Draw(t, "public key")
		did := keys.DID(pub)
		back, err := keys.Public(did)
		if err != nil || string(back) != string(pub) || !strings.HasPrefix(string(did), "did:key:z6Mk") {
			t.Fatalf("%s: %x, %v", did, back, err)
		}
		i := rapid.IntRange(len("did:key:z"), len(did)-1).Draw(t, "place")
		c := digits[rapid.IntRange(0, len(digits)-1).Draw(t, "digit")]
		if other := did[:i] + memory.DID(c) + did[i+1:]; other != did {
			if back, err := keys.Public(other); err == nil && string(back) == string(pub) {
				t.Errorf("%s and %s name one key", did, other)
			}
		}
	})
}

func coded(b ...byte) memory.DID { return "did:key:z" + memory.DID(base58.Encode(b)) }

func TestPublicRefuses(t *testing.T) {
	key := make([]byte, 32)
	for _, test := range []struct {
		name string
		did  memory.DID
		want error
	}{
		{"did:web", "did:web:example.com", keys.ErrNotResolvable},
		{"did:plc", "did:plc:abcdefgh#atproto", keys.ErrNotResolvable},
		{"X25519", coded(append([]byte{0xec, 0x01}, key...)...), keys.ErrNotResolvable},
		{"secp256k1", coded(append([]byte{0xe7, 0x01, 0x02}, key...)...), keys.ErrNotResolvable},
		{"P-256", coded(append([]byte{0x80, 0x24, 0x02}, key...)...), keys.ErrNotResolvable},
		{"RSA", coded(append([]byte{0x85, 0x24}, make([]byte, 270)...)...), keys.ErrNotResolvable},
		{"opaque", "alice", keys.ErrMalformed},
		{"empty", "", keys.ErrMalformed},
		{"did:key without key", "did:key:", keys.ErrMalformed},
		{"only a fragment", "did:key:#z6Mk", keys.ErrMalformed},
		{"z alone", "did:key:z", keys.ErrMalformed},
		{"other multibase", "did:key:u7QEA", keys.ErrMalformed},
		{"not base58", "did:key:z6Mk0OIl", keys.ErrMalformed},
		{"cut off", known[0].did[:len(known[0].did)-1], keys.ErrMalformed},
		{"a character too many", known[0].did + "1", keys.ErrMalformed},
		{"31 bytes", coded(append([]byte{0xed, 0x01}, key[1:]...)...), keys.ErrMalformed},
		{"33 bytes", coded(append([]byte{0xed, 0x01, 0}, key...)...), keys.ErrMalformed},
		{"varint too long", coded(append([]byte{0xed, 0x81, 0x00}, key...)...), keys.ErrMalformed},
		{"varint without end", coded(0xed), keys.ErrMalformed},
		{"zeros", "did:key:z1111", keys.ErrNotResolvable},
		{"endless", "did:key:z" + memory.DID(strings.Repeat("9", 1<<20)), keys.ErrMalformed},
		{"path", known[0].did + "/x", keys.ErrMalformed},
		{"query", known[0].did + "?a=b", keys.ErrMalformed},
		{"blank behind", known[0].did + " ", keys.ErrMalformed},
		{"upper case method", "DID:KEY:" + known[0].did[8:], keys.ErrMalformed},
	} {
		pub, err := keys.Public(test.did)
		if !errors.Is(err, test.want) || pub != nil {
			t.Errorf("%s: got %x, %v; want %v", test.name, pub, err, test.want)
		}
		if err != nil && len(err.Error()) > 200 {
			t.Errorf("%s: the message has %d bytes", test.name, len(err.Error()))
		}
	}
}

func TestDIDSyntax(t *testing.T) {
	for _, did := range []memory.DID{known[0].did, "did:web:example.com", "did:web:example.com:users:a#key-1", "did:example:a%20b", "did:ion:EiA_x-y.z"} {
		t.Run("UMP-5.1-1 accepts "+string(did), func(t *testing.T) {
			if err := keys.CheckDID(did); err != nil {
				t.Error(err)
			}
		})
	}
	for _, did := range []memory.DID{"", "alice", "did:", "did:web", "did:web:", "did::x", "did:Web:x", "did:web:#x", "web:x", "did:web:a b", "did:web:a\n", " did:web:a", "did:wéb:a"} {
		t.Run("UMP-5.1-1 refuses "+string(did), func(t *testing.T) {
			if err := keys.CheckDID(did); !errors.Is(err, keys.ErrMalformed) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("UMP-5.1-1 only resolvable methods give a key", func(t *testing.T) {
		if _, err := keys.Public("did:web:example.com"); !errors.Is(err, keys.ErrNotResolvable) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDIDOfWrongLength(t *testing.T) {
	for _, n := range []int{0, 31, 33} {
		if got := keys.DID(make([]byte, n)); got != "" {
			t.Errorf("%d bytes: %s", n, got)
		}
	}
}

// TestWeakKeys: a key whose signatures anybody can make is refused (AIMEM 5.3, decision
// AD-23).
func TestWeakKeys(t *testing.T) {
	weak := []string{ // the points of small order, in every spelling that is read
		"0100000000000000000000000000000000000000000000000000000000000000",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
		"0100000000000000000000000000000000000000000000000000000000000080",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	}
	for _, text := range weak {
		pub := ed25519.PublicKey(unhex(t, text))
		if got, err := keys.Public(keys.DID(pub)); !keys.IsWeak(pub) || !errors.Is(err, keys.ErrMalformed) || got != nil {
			t.Errorf("%s: got %x, %v", text, got, err)
		}
	}
	if pub := sevens(t).Public(); keys.IsWeak(pub) {
		t.Errorf("%x is taken for weak", pub)
	}
}

func FuzzPublic(f *testing.F) {
	for _, k := range known {
		f.Add(string(k.did))
	}
	f.Add("did:web:example.com")
	f.Fuzz(func(t *testing.T, did string) {
		pub, err := keys.Public(memory.DID(did))
		if err != nil {
			if !errors.Is(err, keys.ErrMalformed) && !errors.Is(err, keys.ErrNotResolvable) {
				t.Fatalf("%v is of no kind", err)
			}
			return
		}
		if plain, _, _ := strings.Cut(did, "#"); string(keys.DID(pub)) != plain {
			t.Fatalf("%q became %s", did, keys.DID(pub))
		}
	})
}
