package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// brainRow finds the rows that a mutant names.
var brainRow = regexp.MustCompile(`AIMEM-[0-9.]+-[0-9]+`)

// readersToken lets its bearer read, and neither export nor import.
func readersToken(t *testing.T, key keys.Private) string {
	t.Helper()
	token, err := ump.MintToken(ump.Claims{Issuer: key.DID(), Verbs: []memory.Verb{memory.ReadVerb}, ID: "reader", Expires: time.Now().Add(time.Hour)}, key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// sealedBundle returns a bundle of so many chunks.
func sealedBundle(chunks int) string {
	text := `{"format":"aimem-bundle","version":"1","producer":"elsewhere","tenant_id":"https://example.com/you","exported_at":"2026-06-12T10:00:00Z","scope":"FULL","edges":[],"entities":[],"chunk_entities":[],"chunks":[`
	for i := range chunks {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"id":"urn:aimem:elsewhere:%d","content":"Brought thing %d.","memory_type":"fact","created_at":"2026-04-01T09:30:00Z"}`, i, i)
	}
	v, err := canon.Parse([]byte(text+"]}"), canon.Options{})
	if err != nil {
		panic(err)
	}
	return string(resealed(v).Append(nil))
}

// resealed computes the checksum of a bundle anew.
func resealed(v canon.Value) canon.Value {
	v = v.Without("checksum")
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return v.With("checksum", canon.String("sha256:"+hex.EncodeToString(sum[:])))
}

func readReply(t *testing.T, got *http.Response) *reply {
	t.Helper()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Error(err)
	}
	return &reply{got.StatusCode, got.Header, body}
}
