package vault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// house is a vault over a fresh store, with a clock that tests move.
type house struct {
	*vault.Vault
	t     testing.TB
	ctx   context.Context
	key   keys.Private
	more  []keys.Private // in the home folder, besides
	now   time.Time
	path  string // of the file, if the store is in one
	url   string // of the database otherwise
	store store.Store
	// again opens the same store once more, as another server does.
	again func(seal func(memory.DID) []byte) store.Store
}

// start is when the clock begins.
var start = time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)

// seeded returns the key that a byte gives.
func seeded(t testing.TB, b byte) keys.Private {
	t.Helper()
	k, err := keys.FromSeed(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// open opens a vault over a fresh embedded store.
func open(t testing.TB) *house {
	t.Helper()
	h := openAt(t, filepath.Join(t.TempDir(), "satchel.db"))
	t.Cleanup(func() { _ = h.store.Close() })
	return h
}

// openAt opens a vault over the embedded store at path.
func openAt(t testing.TB, path string) *house {
	t.Helper()
	return over(t, path, func(seal func(memory.DID) []byte) store.Store {
		return sqlitetest.Open(t, path, sqlite.Options{Seal: seal})
	})
}

// over is a vault over a store that can be opened again and again.
func over(t testing.TB, path string, again func(func(memory.DID) []byte) store.Store) *house {
	h := &house{t: t, ctx: context.Background(), key: seeded(t, 7), now: start, path: path, again: again}
	h.store = again(h.seal)
	h.Vault = vault.New(vault.Options{
		Store: h.store, Now: func() time.Time { return h.now }, Release: "test", Bindings: []string{"file"},
		Key:    h.holds,
		Signed: true, Tokens: true, Owner: h.key.DID(), Via: "cli", Producer: "satchel-test",
	})
	return h
}

// clears reports whether the store clears its files itself: a database is its
// operator's to clear.
func (h *house) clears() bool { return h.path != "" }

// owner is the owner in person.
func (h *house) owner() memory.Caller { return memory.Caller{Owner: h.key.DID(), Role: memory.Owner} }

// agent is an assistant of the owner.
func (h *house) agent() memory.Caller {
	return memory.Caller{Owner: h.key.DID(), Role: memory.Agent, Agent: "claude-code", Session: "sess_1"}
}

// holds returns the key of an owner whose key is in the home folder.
func (h *house) holds(did memory.DID) (keys.Private, bool) {
	for _, k := range append([]keys.Private{h.key}, h.more...) {
		if k.DID() == did {
			return k, true
		}
	}
	return keys.Private{}, false
}

// storeKey seals the rows of those whose keys no home folder has.
func storeKey(t testing.TB) keys.Private { return seeded(t, 99) }

// seal is what a store seals the rows of an owner with.
func (h *house) seal(owner memory.DID) []byte {
	if k, ok := h.holds(owner); ok {
		return vault.SealSecret(k)
	}
	return vault.SealSecretOf(storeKey(h.t), owner)
}

// peer is who holds a token that grants reading what is shared.
func (h *house) peer() memory.Caller { return h.granted(memory.Grant{}) }

// granted is who holds a token with this grant; without verbs, for reading.
func (h *house) granted(g memory.Grant) memory.Caller {
	if g.Verbs == nil {
		g.Verbs = []memory.Verb{memory.ReadVerb}
	}
	if g.ID == "" {
		g.ID = "t1"
	}
	return memory.Caller{Owner: h.key.DID(), Role: memory.Peer, Grant: &g, Session: "token:" + g.ID}
}

// pass moves the clock on.
func (h *house) pass(d time.Duration) { h.now = h.now.Add(d) }

// call runs an operation through the dispatcher, as every binding does.
func (h *house) call(op ump.Operation, c memory.Caller, body string) (map[string]any, error) {
	h.t.Helper()
	out, err := ump.Dispatch(h.ctx, h.Vault, ump.Call{Operation: op, Caller: c, Body: []byte(body)})
	if err != nil {
		return nil, err
	}
	var v map[string]any
	if err := json.Unmarshal(out, &v); err != nil {
		h.t.Fatalf("%s answered what is not JSON: %v", op, err)
	}
	return v, nil
}

// must runs an operation as the owner, which has to succeed.
func (h *house) must(op ump.Operation, body string) map[string]any {
	h.t.Helper()
	v, err := h.call(op, h.owner(), body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", op, body, err)
	}
	return v
}

// tell remembers a text and returns its id.
func (h *house) tell(text string, more ...string) memory.ID {
	h.t.Helper()
	members := append([]string{`"body":{"text":` + quote(text) + `}`}, more...)
	v := h.must(ump.OpRemember, `{"record":{`+strings.Join(members, ",")+`}}`)
	if v["result"] != "created" {
		h.t.Fatalf("remember %q: result %v, want created", text, v["result"])
	}
	return memory.ID(v["id"].(string))
}

// keep remembers a draft in JSON without the dispatcher, which refuses members that
// the specification does not name.
func (h *house) keep(draft string) memory.Remembered {
	h.t.Helper()
	d, err := ump.DecodeDraft([]byte(draft), codec.Options{Owner: h.key.DID()})
	if err != nil {
		h.t.Fatal(err)
	}
	done, err := h.Remember(h.ctx, h.owner(), d)
	if err != nil {
		h.t.Fatal(err)
	}
	return done
}

// quote spells a text as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// get returns the present form of a record.
func (h *house) get(id memory.ID) memory.Record {
	h.t.Helper()
	rec, err := h.Get(h.ctx, h.owner(), id, memory.CurrentView)
	if err != nil {
		h.t.Fatalf("get %s: %v", id, err)
	}
	return rec
}

// texts recalls as the owner and returns the texts found.
func (h *house) texts(q memory.Query) []string {
	h.t.Helper()
	return h.textsFor(h.owner(), q)
}

// textsFor recalls as somebody and returns the texts.
func (h *house) textsFor(c memory.Caller, q memory.Query) []string {
	h.t.Helper()
	hits, err := h.Recall(h.ctx, c, q)
	if err != nil {
		h.t.Fatalf("recall %q: %v", q.Text, err)
	}
	var out []string
	for _, hit := range hits {
		out = append(out, hit.Record.Body.Text)
	}
	return out
}

// count returns how many records the owner has.
func (h *house) count() int {
	h.t.Helper()
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{
		Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}, Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	return len(page.Records)
}

// wantSet compares texts in any order.
func wantSet(t testing.TB, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// wantKind wants an error of a kind.
func wantKind(t testing.TB, err error, want memory.ErrorKind) {
	t.Helper()
	if got := memory.KindOf(err); got != want {
		t.Fatalf("got kind %q (%v), want %q", got, err, want)
	}
}

// wantTexts wants these texts in this order.
func wantTexts(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func verified(t testing.TB, rec memory.Record) {
	t.Helper()
	if err := ump.Verify(rec.Form()); err != nil {
		t.Fatalf("record %s does not verify: %v", rec.ID, err)
	}
}

// document reads UMP JSON as an import would.
func document(t testing.TB, text string) codec.Reader {
	t.Helper()
	r, err := ump.Format().Open(codec.Source{Name: "x.ump.json", File: strings.NewReader(text), Size: int64(len(text))},
		codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}
