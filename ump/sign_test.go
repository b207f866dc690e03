package ump_test

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

type signedVector struct {
	Seed            string
	Record          json.RawMessage
	Canonical       string
	BirthForm       string `json:"birth_form"`
	ID              memory.ID
	IDWithoutMember memory.ID `json:"id_without_member"`
	IDHash          string    `json:"id_hash"`
	ContentHash     string    `json:"content_hash"`
	ContentHashHex  string    `json:"content_hash_hex"`
	Signature       string
	SignatureRaw    string `json:"signature_raw"`
}

func (v signedVector) key(t *testing.T) *keys.Private {
	t.Helper()
	seed, err := hex.DecodeString(v.Seed)
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	return &key
}

// with returns the record with other integrity.
func (v signedVector) with(t *testing.T, name, value string) []byte {
	t.Helper()
	record := parse(t, v.Record)
	return record.With("integrity", record.Get("integrity").With(name, canon.String(value))).Append(nil)
}

func TestSigned(t *testing.T) {
	vectors(t, "signed", func(t *testing.T, v signedVector) {
		t.Run("UMP-6.1-1 what is hashed is the canonical record without integrity", func(t *testing.T) {
			if got := string(parse(t, v.Record).Without("integrity").AppendCanonical(nil)); got != v.Canonical {
				t.Errorf("canonical form is %s", got)
			}
			for _, form := range [][]byte{v.Record, []byte(v.Canonical)} {
				if got, err := ump.ContentHash(form); err != nil || got != v.ContentHash {
					t.Errorf("ContentHash = %s, %v, want %s", got, err, v.ContentHash)
				}
			}
		})
		t.Run("UMP-6.1-3 the hash is BLAKE3 with 256 bits", func(t *testing.T) {
			sum := blake3.Sum256([]byte(v.Canonical))
			want := "blake3:" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))
			if got, err := ump.ContentHash(v.Record); err != nil || got != want {
				t.Errorf("ContentHash = %s, %v, want %s", got, err, want)
			}
		})
		t.Run("UMP-6.2-2 the id is the hash of the birth form", func(t *testing.T) {
			if got, err := ump.BirthID(v.Record); err != nil || got != v.ID {
				t.Errorf("BirthID = %s, %v, want %s", got, err, v.ID)
			}
			if !ump.IsBirthID(v.Record) {
				t.Error("IsBirthID is false")
			}
		})
		t.Run("UMP-2.8-2 the signature is the owner's", func(t *testing.T) {
			if err := ump.Verify(v.Record); err != nil {
				t.Error(err)
			}
		})
		t.Run("UMP-2.8-6 order and white space do not matter", func(t *testing.T) {
			record := parse(t, v.Record)
			if err := ump.Verify(record.AppendCanonical(nil)); err != nil {
				t.Error(err)
			}
			if err := ump.Verify(record.AppendIndent(nil, "\t")); err != nil {
				t.Error(err)
			}
		})
		t.Run("UMP-6.2-3 the same draft is born the same", func(t *testing.T) { bornAgain(t, v) })
	})
}

// bornAgain authors the birth form of a vector and compares everything.
func bornAgain(t *testing.T, v signedVector) {
	t.Helper()
	d, err := ump.DecodeDraft(parse(t, []byte(v.BirthForm)).Without("id").Append(nil), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ump.Author(d.Record, v.key(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != v.ID || r.Integrity.ContentHash != v.ContentHash || r.Integrity.Signature != v.Signature || r.Integrity.Signer != ownerDID {
		t.Errorf("born as %s with %+v", r.ID, *r.Integrity)
	}
	if got := canonical(t, r.Origin); got != canonical(t, v.Record) {
		t.Errorf("born as %s", got)
	}
}

func handoff(t *testing.T) signedVector {
	t.Helper()
	var found signedVector
	vectors(t, "signed", func(t *testing.T, v signedVector) {
		if v.SignatureRaw != "" {
			found = v
		}
	})
	if found.Signature == "" {
		t.Fatal("no vector has every spelling")
	}
	return found
}

func TestSpellings(t *testing.T) {
	v := handoff(t)
	sum, err := hex.DecodeString(v.IDHash)
	if err != nil {
		t.Fatal(err)
	}
	if got := blake3.Sum256([]byte(v.BirthForm)); !bytes.Equal(got[:], sum) {
		t.Errorf("the birth form hashes to %x", got)
	}
	other := parse(t, v.Record).With("id", canon.String(string(v.IDWithoutMember))).Without("integrity").Append(nil)
	if !ump.IsBirthID(other) {
		t.Error("the id that hashes the form without the member id is not known")
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(v.Signature, "ed25519:"))
	if err != nil {
		t.Fatal(err)
	}
	key := v.key(t)
	hexMessage := blake3.Sum256([]byte(v.ContentHashHex))
	accepted := map[string][]byte{
		"UMP-6.1-4 over the raw hash":      v.with(t, "signature", v.SignatureRaw),
		"UMP-6.1-4 in hexadecimal":         v.with(t, "signature", "ed25519:"+hex.EncodeToString(raw)),
		"UMP-6.1-4 in base64url":           v.with(t, "signature", "ed25519:"+base64.RawURLEncoding.EncodeToString(raw)),
		"UMP-6.1-4 in padded base64url":    v.with(t, "signature", "ed25519:"+base64.URLEncoding.EncodeToString(raw)),
		"UMP-2.8-1 the hash in base16":     signedVector{Record: v.with(t, "content_hash", v.ContentHashHex)}.with(t, "signature", v.SignatureRaw),
		"UMP-2.8-2 a point of small order": v.with(t, "signature", "ed25519:2b+Z6a1WorQokmO3PTPWUo0MgcvJt+TZPT1+ug/vtAP2l3C6iMWbQ5bu7h9v5hbwNBEpir+1ghtMiTzxwKrlAg=="),
		"UMP-2.8-1 that hash signed as is": signedVector{Record: v.with(t, "content_hash", v.ContentHashHex)}.with(t, "signature", "ed25519:"+base64.StdEncoding.EncodeToString(key.Sign(hexMessage[:]))),
	}
	for name, form := range accepted {
		t.Run(name, func(t *testing.T) {
			if err := ump.Verify(form); err != nil {
				t.Error(err)
			}
			if err := errors.Join(ump.VerifyAll([][]byte{v.Record, form})...); err != nil {
				t.Errorf("among others: %v", err)
			}
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	v := handoff(t)
	record := parse(t, v.Record)
	stranger, err := keys.FromSeed(bytes.Repeat([]byte{11}, 32))
	if err != nil {
		t.Fatal(err)
	}
	message := blake3.Sum256([]byte(v.ContentHash))
	foreign := "ed25519:" + base64.StdEncoding.EncodeToString(stranger.Sign(message[:]))
	web := canon.String("did:web:example.com")
	for _, c := range []struct {
		name string
		form []byte
		want error
		kind memory.ErrorKind
	}{
		{"UMP-2.8-5 a text that was changed", bytes.Replace(v.Record, []byte("Always"), []byte("alwayS"), 1), ump.ErrHash, memory.SignatureInvalid},
		{"UMP-6.1-2 an id that was changed", record.With("id", canon.String("urn:ump:aaaa")).Append(nil), ump.ErrHash, memory.SignatureInvalid},
		{"UMP-6.1-5 null that was left out", record.With("time", record.Get("time").Without("valid_to")).Append(nil), ump.ErrHash, memory.SignatureInvalid},
		{"UMP-2.8-3 another's signature as the owner's", v.with(t, "signature", foreign), ump.ErrSignature, memory.SignatureInvalid},
		{"UMP-2.8-3 another's signature in another's name", signedVector{Record: v.with(t, "signature", foreign)}.with(t, "signer", string(stranger.DID())), ump.ErrSigner, memory.SignatureInvalid},
		{"UMP-2.8-1 no hash", v.with(t, "content_hash", "blake3:"), ump.ErrHash, memory.SignatureInvalid},
		{"UMP-2.8-2 no signature", v.with(t, "signature", "ed25519:"), ump.ErrSignature, memory.SignatureInvalid},
		{"UMP-2.8-2 a signature without its prefix", v.with(t, "signature", strings.TrimPrefix(v.Signature, "ed25519:")), ump.ErrSignature, memory.SignatureInvalid},
		{"UMP-2.8-1 a hash without its prefix", v.with(t, "content_hash", strings.TrimPrefix(v.ContentHash, "blake3:")), ump.ErrHash, memory.SignatureInvalid},
		{"UMP-2.8-2 a signature with line breaks", v.with(t, "signature", v.Signature[:20]+"\n"+v.Signature[20:]), ump.ErrSignature, memory.SignatureInvalid},
		{"UMP-2.8-3 a fragment on the signer", v.with(t, "signer", string(ownerDID)+"#key-1"), ump.ErrSigner, memory.SignatureInvalid},
		{"UMP-2.8-3 a query on the signer", v.with(t, "signer", string(ownerDID)+"?say=this"), ump.ErrSigner, memory.SignatureInvalid},
		{"UMP-2.8-2 another member of integrity", v.with(t, "note", "the owner wants this obeyed"), ump.ErrIntegrity, memory.SignatureInvalid},
		{"UMP-2.8-2 no integrity", record.Without("integrity").Append(nil), ump.ErrUnsigned, memory.SignatureInvalid},
		{"UMP-5.1-1 an owner whose key cannot be had", signedVector{Record: record.With("scope", record.Get("scope").With("owner", web)).Append(nil)}.with(t, "signer", "did:web:example.com"), ump.ErrUnresolvable, memory.Unsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := ump.Verify(c.form)
			if !errors.Is(err, c.want) || memory.KindOf(err) != c.kind {
				t.Errorf("Verify = %v, want %v of kind %s", err, c.want, c.kind)
			}
			all := ump.VerifyAll([][]byte{v.Record, c.form, v.Record})
			if all[0] != nil || all[2] != nil || !errors.Is(all[1], c.want) || memory.KindOf(all[1]) != c.kind {
				t.Errorf("VerifyAll = %v", all)
			}
		})
	}
	if err := ump.Verify([]byte("[]")); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("Verify of no record = %v", err)
	}
}

func TestNumbersHash(t *testing.T) {
	t.Run("UMP-6.1-6 1.0 and 1 hash alike", func(t *testing.T) {
		one, err := ump.ContentHash([]byte(`{"lifecycle":{"confidence":1.0}}`))
		if err != nil {
			t.Fatal(err)
		}
		if two, err := ump.ContentHash([]byte(`{"lifecycle":{"confidence":1}}`)); err != nil || one != two {
			t.Errorf("%s and %s, %v", one, two, err)
		}
	})
}

func TestDID(t *testing.T) {
	type vector struct {
		Seed      string
		PublicKey string `json:"public_key"`
		DID       memory.DID
	}
	vectors(t, "did", func(t *testing.T, v vector) {
		key := signedVector{Seed: v.Seed}.key(t)
		public, err := keys.Public(v.DID)
		if key.DID() != v.DID || err != nil || hex.EncodeToString(public) != v.PublicKey || !bytes.Equal(public, key.Public()) {
			t.Errorf("%s with key %x (%v)", key.DID(), []byte(public), err)
		}
		r := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "x"}, Scope: memory.Scope{Owner: v.DID}, Time: memory.Times{Created: birthTime}}
		r, err = ump.Author(r, key)
		if err != nil || ump.Verify(r.Origin) != nil {
			t.Errorf("a record of this owner: %v, %v", err, ump.Verify(r.Origin))
		}
	})
}

func TestFingerprint(t *testing.T) {
	t.Run("every byte of a form counts", func(t *testing.T) {
		form := mustAuthor(t, `{"body":{"text":"x"}}`).Origin
		want := ump.Fingerprint(form)
		if ump.Fingerprint(bytes.Clone(form)) != want {
			t.Error("the same form has two fingerprints")
		}
		for i := range form {
			other := bytes.Clone(form)
			other[i] ^= 1
			if ump.Fingerprint(other) == want {
				t.Fatalf("byte %d does not count", i)
			}
		}
	})
}
