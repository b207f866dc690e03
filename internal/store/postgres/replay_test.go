package postgres

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// TestReplayWrites repeats a request under its key: the answer is the same, and the commit has
// written something, so that it waits for replicas. The first one may have been lost on the way
// to them though this server has it.
func TestReplayWrites(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, nil)
	key, err := keys.FromSeed(make([]byte, 32))
	must(t, err)
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: s, Key: func(memory.DID) (keys.Private, bool) { return key, true }, Owner: key.DID()})
	caller := memory.Caller{Owner: key.DID(), Role: memory.Owner}
	draft := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "the ferry leaves at nine"}}, Key: "one"}
	first, err := v.Remember(t.Context(), caller, draft)
	must(t, err)
	before := pgtest.Query(t, url, `SELECT xmin::text FROM receipts`)
	again, err := v.Remember(t.Context(), caller, draft)
	must(t, err)
	if after := pgtest.Query(t, url, `SELECT xmin::text FROM receipts`); again.ID != first.ID || len(after) != 1 || slices.Equal(before, after) {
		t.Errorf("%s, then %s; the receipt was written by %q, then by %q", first.ID, again.ID, before, after)
	}
}
