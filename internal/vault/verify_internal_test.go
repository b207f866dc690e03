package vault

import (
	"bytes"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestVerifyAhead: of records that are verified at once, those are known as verified that
// their owner signed, and no others.
func TestVerifyAhead(t *testing.T) {
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	var records []memory.Record
	for _, text := range []string{"The lantern hangs in the hall", "The lantern is lit", "The lantern is out"} {
		rec, err := ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text},
			Scope: memory.Scope{Owner: key.DID(), Visibility: memory.Private}, Time: memory.Times{Created: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}}, &key)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	forged := &records[1]
	forged.Origin = bytes.Replace(forged.Origin, []byte("is lit"), []byte("is odd"), 1)
	v := &verifier{access: &access{&journal{keyring: &keyring{core: new(core)}}}}
	v.verifyAhead(records)
	for i, rec := range records {
		err := v.sound(rec, key.DID())
		if genuine := i != 1; v.isVerified(ump.Fingerprint(rec.Form())) != genuine || (err == nil) != genuine {
			t.Errorf("UMP-7-7: record %d: %v", i, err)
		}
	}
}
