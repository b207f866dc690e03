package aimem_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
)

// TestOpenSigned: the signature is looked at after the checksum and before the
// records.
func TestOpenSigned(t *testing.T) {
	text := withChunks(t, chunkOf("x", ""))
	b := open(t, text, aimem.Options{})
	key := seeded(t, 7)
	signature, err := aimem.Sign(key, aimem.PayloadOf(b, 0))
	if err != nil {
		t.Fatal(err)
	}
	trusted := func(producer string) ([]aimem.Key, error) {
		if producer != "garden" {
			t.Errorf("asked for the keys of %q", producer)
		}
		return []aimem.Key{aimem.PublicKey(key)}, nil
	}
	edited := sealed(t, `"format":"aimem-bundle","version":"1","producer":"garden","tenant_id":"urn:x:1","exported_at":"2026-06-12T10:00:01Z","scope":"FULL","chunks":[`+chunkOf("x", "")+`]`)
	faulty := withChunks(t, chunkOf("", ""))
	for name, test := range map[string]struct {
		text string
		o    aimem.Options
		code aimem.Code
		want aimem.Outcome
		warn int
	}{
		"AIMEM-5.3-1 trusted":                             {text, aimem.Options{Signature: signature, Trusted: trusted, Policy: aimem.RequireSignature}, "", aimem.Verified, 0},
		"AIMEM-5.3-1 of an unknown key":                   {text, aimem.Options{Signature: signature}, "", aimem.Untrusted, 1},
		"AIMEM-5.3-1 of an unknown key where required":    {text, aimem.Options{Signature: signature, Policy: aimem.RequireSignature}, aimem.SignatureUntrusted, "", 0},
		"AIMEM-5.3-1 absent":                              {text, aimem.Options{}, "", aimem.Absent, 0},
		"AIMEM-5.3-1 absent where required":               {text, aimem.Options{Policy: aimem.RequireSignature}, aimem.SignatureRequired, "", 0},
		"AIMEM-5.3-1 skipped":                             {edited, aimem.Options{Signature: signature, Policy: aimem.SkipSignature}, "", aimem.Skipped, 0},
		"AIMEM-5.4-3 of what was edited and summed anew":  {edited, aimem.Options{Signature: signature, Trusted: trusted, Policy: aimem.RequireSignature}, aimem.SignatureInvalid, "", 0},
		"AIMEM-5.4-3 a signature comes before the record": {faulty, aimem.Options{Signature: signature, Trusted: trusted}, aimem.SignatureInvalid, "", 0},
		"AIMEM-2.8-7 the checksum comes before it":        {strings.Replace(text, "sha256:", "sha256:0", 1), aimem.Options{Signature: []byte("none")}, aimem.ChecksumMismatch, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := aimem.Open(source("x", test.text), test.o)
			if faultOf(err).Code != test.code {
				t.Fatalf("got %v, want %q", err, test.code)
			}
			if err != nil {
				return
			}
			outcome, by := b.Signature()
			if outcome != test.want || len(b.Warnings()) != test.warn || (outcome == aimem.Verified) != (string(by.ID) == string(key.DID()) && test.o.Trusted != nil) {
				t.Errorf("got %s by %s, %+v", outcome, by.ID, b.Warnings())
			}
		})
	}
}
