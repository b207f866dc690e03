package aaif_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// author is the first key of RFC 8032, section 7.1.
func author(t testing.TB) keys.Private {
	t.Helper()
	seed, err := hex.DecodeString("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
	if err != nil {
		t.Fatal(err)
	}
	return key(t, seed)
}

func key(t testing.TB, seed []byte) keys.Private {
	t.Helper()
	k, err := keys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const authored = `{"sc_standard":"SC-006","agent":{"name":"Example Agent","goal":"Assist users with their enquiries."},"provenance":{"authored_by":"test"}}`

func TestSign(t *testing.T) {
	mine, other := author(t), key(t, bytes.Repeat([]byte{7}, 32))
	trust := []ed25519.PublicKey{other.Public(), mine.Public()}
	signed := aaif.Sign(tree(t, authored), mine)
	t.Run("AAIF-12-16 the signature is that of the golden value", func(t *testing.T) {
		expect(t, signed.Get("provenance").Get("signature").Text(), "GEXA8lEOh/Q2Vf+h+KgXyAkjjZbJfeTiM9l7InMDTngkXxvJPawVU8bfZ8yr4aHOeZ6u7UN/rMpv0UfBWu4ZAw==")
		got, err := aaif.Verify(signed, trust)
		if err != nil || !got.Equal(mine.Public()) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-12-16 signing again gives the same, without provenance too", func(t *testing.T) {
		expect(t, string(aaif.Sign(signed, mine).Append(nil)), string(signed.Append(nil)))
		if _, err := aaif.Verify(aaif.Sign(tree(t, minimal), mine), trust); err != nil {
			t.Error(err)
		}
	})
	refused := []struct {
		id   string
		v    canon.Value
		keys []ed25519.PublicKey
		code aaif.Code
	}{
		{"AAIF-12-17 unsigned", tree(t, authored), trust, aaif.SignatureMissing},
		{"AAIF-12-17 changed", set(signed, "/agent/name", canon.String("Example agent")), trust, aaif.SignatureInvalid},
		{"AAIF-12-17 an extension changed", set(signed, "/x-more", canon.Int(1)), trust, aaif.SignatureInvalid},
		{"AAIF-12-17 a comment changed", set(signed, "/_comment", canon.String("hi")), trust, aaif.SignatureInvalid},
		{"AAIF-12-17 no key for the author", signed, nil, aaif.SignatureUntrusted},
		{"AAIF-12-17 another key for the author", signed, trust[:1], aaif.SignatureInvalid},
		{"AAIF-12-17 signed by a stranger who says so", aaif.Sign(aaif.WithSigner(tree(t, authored), mine.DID()), mine), trust[:1], aaif.SignatureUntrusted},
		{"AAIF-12-17 changed, and signed by a stranger who says so", set(aaif.Sign(aaif.WithSigner(tree(t, authored), mine.DID()), mine), "/agent/goal", canon.String("x")), nil, aaif.SignatureInvalid},
		{"AAIF-12-16 no base64", set(signed, "/provenance/signature", canon.String("?")), trust, aaif.SignatureInvalid},
		{"AAIF-12-16 no padding", set(signed, "/provenance/signature", canon.String(strings.TrimRight(signed.Get("provenance").Get("signature").Text(), "="))), trust, aaif.SignatureInvalid},
		{"AAIF-12-16 a line feed within", set(signed, "/provenance/signature", canon.String(strings.Replace(signed.Get("provenance").Get("signature").Text(), "A", "A\n", 1))), trust, aaif.SignatureInvalid},
		{"AAIF-12-16 a short one", set(signed, "/provenance/signature", canon.String("AAAA")), trust, aaif.SignatureInvalid},
		{"AAIF-12-16 a short one, whoever made it", set(signed, "/provenance/signature", canon.String("AAAA")), nil, aaif.SignatureInvalid},
		{"AAIF-12-17 a key that anybody can sign for", set(signed, "/provenance/signature", canon.String("AQ"+strings.Repeat("A", 84)+"==")), []ed25519.PublicKey{append([]byte{1}, make([]byte, 31)...)}, aaif.SignatureInvalid},
	}
	for _, c := range refused {
		t.Run(c.id, func(t *testing.T) {
			if _, err := aaif.Verify(c.v, c.keys); aaif.CodeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-12-16 order and spelling do not matter", func(t *testing.T) {
		respelled := strings.Replace(string(signed.AppendIndent(nil, "  ")), "Example", `\u0045xample`, 1)
		if _, err := aaif.Verify(tree(t, respelled), trust); err != nil {
			t.Error(err)
		}
	})
}

func TestAttest(t *testing.T) {
	mine := author(t)
	signed := aaif.Attest(sample(t, "report").Value, mine)
	t.Run("AAIF-6-12 an attestation covers the report", func(t *testing.T) {
		if _, err := aaif.VerifyAttestation(signed, []ed25519.PublicKey{mine.Public()}); err != nil {
			t.Error(err)
		}
		edited := set(signed, "/claims/0/level", canon.String("Stateful"))
		if _, err := aaif.VerifyAttestation(edited, []ed25519.PublicKey{mine.Public()}); aaif.CodeOf(err) != aaif.SignatureInvalid {
			t.Errorf("got %v", err)
		}
		if found := validator(t).Lint(aaif.Document{Kind: aaif.ReportKind, Value: signed}); len(found) > 0 {
			t.Errorf("got %s", show(found))
		}
	})
}

const checkpoint = `{"sc_standard":"SC-006","state_id":"d7e8f9a0-1234-4000-8000-000000000001","agent_id":"a1b2c3d4-0001-4000-8000-000000000001","checkpoint_at":"2026-06-10T09:17:43Z","status":"paused","iteration":3,"provenance":{"source_platform":"test"}}`

func TestChecksum(t *testing.T) {
	const golden = "504d471df92a3012d4d380d9fc9a0851f6135d2db258410fffc1e1cce3ed519d"
	v := tree(t, checkpoint)
	sealed := aaif.WithChecksum(v)
	t.Run("AAIF-8.1-23 the checksum is the golden value", func(t *testing.T) {
		expect(t, aaif.Checksum(v), golden)
		expect(t, sealed.Get("provenance").Get("checksum").Text(), golden)
		expect(t, aaif.Checksum(sealed), golden)
		expect(t, aaif.Checksum(tree(t, string(sealed.AppendCanonical(nil)))), golden)
		expect(t, string(aaif.WithChecksum(sealed).Append(nil)), string(sealed.Append(nil)))
	})
	t.Run("AAIF-8.1-24 it verifies, without provenance too", func(t *testing.T) {
		for _, v := range []canon.Value{sealed, aaif.WithChecksum(v.Without("provenance")), aaif.WithChecksum(sample(t, "state").Value)} {
			if err := aaif.VerifyChecksum(v); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("AAIF-8.1-24 AAIF-12-14 any other is refused", func(t *testing.T) {
		sum := func(s string) canon.Value { return set(sealed, "/provenance/checksum", canon.String(s)) }
		for _, v := range []canon.Value{v, v.Without("provenance"), sum(golden[1:]), sum(strings.ToUpper(golden)), sum(strings.Repeat("0", 64)), set(sealed, "/iteration", canon.Int(4)), set(sealed, "/x-a", canon.Null())} {
			if err := aaif.VerifyChecksum(v); aaif.CodeOf(err) != aaif.ChecksumMismatch || pathOf(err) != "/provenance/checksum" {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("AAIF-12-15 the digest of a token covers all but checksum and token", func(t *testing.T) {
		with := aaif.WithChecksum(set(v, "/provenance/migration_token", canon.String("a.b.c")))
		expect(t, aaif.Digest(with), aaif.Digest(v))
		if aaif.Checksum(with) == golden {
			t.Error("AAIF-8.1-23: the token is not covered by the checksum")
		}
		if aaif.Digest(aaif.WithChecksum(set(with, "/iteration", canon.Int(4)))) == aaif.Digest(v) {
			t.Error("another state has the same digest")
		}
	})
}

func TestWithoutTrace(t *testing.T) {
	t.Run("AAIF-12-18 no stack trace leaves, and the checksum is of what does", func(t *testing.T) {
		v := sample(t, "failed-state").Value
		out := aaif.WithChecksum(aaif.WithoutTrace(v))
		expect(t, out.Get("error").Has("stack_trace"), false)
		expect(t, out.Get("error").Get("code").Text(), "TOOL_TIMEOUT")
		if err := aaif.VerifyChecksum(out); err != nil {
			t.Error(err)
		}
		expect(t, v.Get("error").Has("stack_trace"), true)
		expect(t, string(aaif.WithoutTrace(tree(t, checkpoint)).Append(nil)), checkpoint)
	})
}

func TestChecksumOfDamagedBytes(t *testing.T) {
	t.Run("AAIF-12-14 one bit, anywhere", func(t *testing.T) {
		raw := aaif.WithChecksum(sample(t, "state").Value).Append(nil)
		for i := 0; i < len(raw); i += len(raw) / 50 {
			damaged := bytes.Clone(raw)
			damaged[i] ^= 1
			d, err := aaif.Read(damaged, aaif.ReadOptions{})
			if err == nil && aaif.VerifyChecksum(d.Value) == nil {
				t.Errorf("a bit at %d changed nothing", i)
			}
		}
	})
}
