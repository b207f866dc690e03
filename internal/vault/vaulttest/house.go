package vaulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/edition"
	"github.com/satchel-memory/satchel/internal/vault/health"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Rekey calls rekey.Service.Rekey over this house. The next two methods work alike.
func (h *House) Rekey(ctx context.Context, from memory.Caller, to keys.Private, progress func(int)) (rekey.Report, error) {
	return rekey.New(h.Vault).Rekey(ctx, from, to, progress)
}

// FinishRekey calls rekey.Service.FinishRekey.
func (h *House) FinishRekey(ctx context.Context, from memory.Caller, to memory.DID) (bool, error) {
	return rekey.New(h.Vault).FinishRekey(ctx, from, to)
}

// AbandonRekey calls rekey.Service.AbandonRekey.
func (h *House) AbandonRekey(ctx context.Context, from memory.Caller, to memory.DID) error {
	return rekey.New(h.Vault).AbandonRekey(ctx, from, to)
}

// ExportBrain calls bundle.Service.ExportBrain over this house. ImportBrain works
// alike.
func (h *House) ExportBrain(ctx context.Context, c memory.Caller, q aimem.Export, write func(aimem.Brain, aimem.ExportReport) error) error {
	return bundles.New(h.Vault).ExportBrain(ctx, c, q, write)
}

// ImportBrain calls bundle.Service.ImportBrain.
func (h *House) ImportBrain(ctx context.Context, c memory.Caller, b *aimem.Bundle, o aimem.Import) (aimem.Report, error) {
	return bundles.New(h.Vault).ImportBrain(ctx, c, b, o)
}

// The services above the vault of a [House].
type (
	// Agents keeps definitions and checkpoints.
	Agents = agentstore.Service
	// Beliefs reads records as beliefs.
	Beliefs = belief.Service
	// Editions changes the editions of memories.
	Editions = edition.Service
	// Examiner looks for damage.
	Examiner = health.Service
	// Trust keeps the keys that owners trust.
	Trust = trust.Service
)

// House is a vault over a fresh store, with a clock that tests move.
type House struct {
	*vault.Vault
	*Beliefs
	*Trust
	*Agents
	*Editions
	*Examiner
	T     testing.TB
	Ctx   context.Context
	Key   keys.Private
	More  []keys.Private // further keys in the home folder
	Now   time.Time
	Path  string // the store's file, if it has one
	URL   string // the store's database otherwise
	Store store.Store
	// Again opens the same store once more, as another server would.
	Again func(seal func(memory.DID) []byte) store.Store

	options vault.Options
}

// Start is the time at which the clock begins.
func Start() time.Time { return time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC) }

// Seeded returns the key whose seed repeats a byte.
func Seeded(t testing.TB, b byte) keys.Private {
	t.Helper()
	k, err := keys.FromSeed(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Open opens a vault over a fresh embedded store.
func Open(t testing.TB) *House {
	t.Helper()
	h := OpenAt(t, filepath.Join(t.TempDir(), "satchel.db"))
	t.Cleanup(func() { _ = h.Store.Close() })
	return h
}

// OpenAt opens a vault over the embedded store at path.
func OpenAt(t testing.TB, path string) *House {
	t.Helper()
	return Over(t, path, func(seal func(memory.DID) []byte) store.Store {
		return sqlitetest.Open(t, path, sqlite.Options{Seal: seal})
	})
}

// Over opens a vault over a store that again opens, any number of times.
func Over(t testing.TB, path string, again func(func(memory.DID) []byte) store.Store) *House {
	h := &House{T: t, Ctx: context.Background(), Key: Seeded(t, 7), Now: Start(), Path: path, Again: again}
	h.Store = again(h.Seal)
	h.Serve(vault.Options{
		Store: h.Store, Now: func() time.Time { return h.Now }, Release: "test", Bindings: []string{"file"},
		Key:    h.Holds,
		Signed: true, Tokens: true, Owner: h.Key.DID(), Via: "cli", Producer: "satchel-test",
	})
	return h
}

// Batch is how many records a house stages, takes back or signs in one transaction: a few,
// so that an import of several batches is small.
const Batch = 32

// Serve opens the vault, its beliefs and the other services above it.
func (h *House) Serve(o vault.Options) {
	o.Beliefs, o.Batch = belief.Open, Batch
	h.options = o
	h.Vault = vault.New(o)
	h.Beliefs, h.Trust, h.Agents = belief.Of(h.Vault), trust.New(h.Vault), agentstore.New(h.Vault)
	h.Editions, h.Examiner = edition.New(h.Vault), health.New(h.Vault)
}

// Means opens the vault anew, with a search by meaning.
func (h *House) Means(m meaning.Options) *meaning.Service {
	o := h.options
	o.Meaning = meaning.Open(m)
	h.Serve(o)
	return meaning.Of(h.Vault)
}

// Clears reports whether the store clears its own files. A database is cleared by its
// operator.
func (h *House) Clears() bool { return h.Path != "" }

// Me returns the owner in person.
func (h *House) Me() memory.Caller { return memory.Caller{Owner: h.Key.DID(), Role: memory.Owner} }

// Agent returns an assistant of the owner.
func (h *House) Agent() memory.Caller {
	return memory.Caller{Owner: h.Key.DID(), Role: memory.Agent, Agent: "claude-code", Session: "sess_1"}
}

// Holds returns the key of an owner whose key is in the home folder.
func (h *House) Holds(did memory.DID) (keys.Private, bool) {
	for _, k := range append([]keys.Private{h.Key}, h.More...) {
		if k.DID() == did {
			return k, true
		}
	}
	return keys.Private{}, false
}

// storeKey seals the rows of owners whose keys are in no home folder.
func storeKey(t testing.TB) keys.Private { return Seeded(t, 99) }

// Seal returns the secret with which a store seals an owner's rows.
func (h *House) Seal(owner memory.DID) []byte {
	if k, ok := h.Holds(owner); ok {
		return vault.SealSecret(k)
	}
	return vault.SealSecretOf(storeKey(h.T), owner)
}

// Peer returns the bearer of a token for reading shared records.
func (h *House) Peer() memory.Caller { return h.Granted(memory.Grant{}) }

// Granted returns the bearer of a token with this grant; without verbs, for reading.
func (h *House) Granted(g memory.Grant) memory.Caller {
	if g.Verbs == nil {
		g.Verbs = []memory.Verb{memory.ReadVerb}
	}
	if g.ID == "" {
		g.ID = "t1"
	}
	return memory.Caller{Owner: h.Key.DID(), Role: memory.Peer, Grant: &g, Session: "token:" + g.ID}
}

// Pass moves the clock on.
func (h *House) Pass(d time.Duration) { h.Now = h.Now.Add(d) }

// Call runs an operation through the dispatcher, as every binding does.
func (h *House) Call(op ump.Operation, c memory.Caller, body string) (map[string]any, error) {
	h.T.Helper()
	out, err := ump.Dispatch(h.Ctx, h.Vault, ump.Call{Operation: op, Caller: c, Body: []byte(body)})
	if err != nil {
		return nil, err
	}
	var v map[string]any
	if err := json.Unmarshal(out, &v); err != nil {
		h.T.Fatalf("%s answered what is not JSON: %v", op, err)
	}
	return v, nil
}

// Must runs an operation as the owner, and fails the test if it fails.
func (h *House) Must(op ump.Operation, body string) map[string]any {
	h.T.Helper()
	v, err := h.Call(op, h.Me(), body)
	if err != nil {
		h.T.Fatalf("%s %s: %v", op, body, err)
	}
	return v
}

// Tell remembers a text and returns its id.
func (h *House) Tell(text string, more ...string) memory.ID {
	h.T.Helper()
	members := append([]string{`"body":{"text":` + Quote(text) + `}`}, more...)
	v := h.Must(ump.OpRemember, `{"record":{`+strings.Join(members, ",")+`}}`)
	if v["result"] != "created" {
		h.T.Fatalf("remember %q: result %v, want created", text, v["result"])
	}
	return memory.ID(v["id"].(string))
}

// Keep remembers a draft in JSON without the dispatcher, which refuses members that
// the specification does not name.
func (h *House) Keep(draft string) memory.RememberResult {
	h.T.Helper()
	d, err := ump.DecodeDraft([]byte(draft), codec.Options{Owner: h.Key.DID()})
	if err != nil {
		h.T.Fatal(err)
	}
	done, err := h.Remember(h.Ctx, h.Me(), d)
	if err != nil {
		h.T.Fatal(err)
	}
	return done
}

// Quote spells a text as JSON.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// MustGet returns the present form of a record.
func (h *House) MustGet(id memory.ID) memory.Record {
	h.T.Helper()
	rec, err := h.Get(h.Ctx, h.Me(), id, memory.CurrentView)
	if err != nil {
		h.T.Fatalf("get %s: %v", id, err)
	}
	return rec
}

// Texts recalls as the owner and returns the texts found.
func (h *House) Texts(q memory.Query) []string {
	h.T.Helper()
	return h.TextsFor(h.Me(), q)
}

// TextsFor recalls as caller c and returns the texts found.
func (h *House) TextsFor(c memory.Caller, q memory.Query) []string {
	h.T.Helper()
	hits, err := h.Recall(h.Ctx, c, q)
	if err != nil {
		h.T.Fatalf("recall %q: %v", q.Text, err)
	}
	var out []string
	for _, hit := range hits {
		out = append(out, hit.Record.Body.Text)
	}
	return out
}

// Count returns how many records the owner has.
func (h *House) Count() int {
	h.T.Helper()
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{
		Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}, Limit: 1000})
	if err != nil {
		h.T.Fatal(err)
	}
	return len(page.Records)
}

// WantSet compares texts in any order.
func WantSet(t testing.TB, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// WantKind fails the test unless err has a kind.
func WantKind(t testing.TB, err error, want memory.ErrorKind) {
	t.Helper()
	if got := memory.KindOf(err); got != want {
		t.Fatalf("got kind %q (%v), want %q", got, err, want)
	}
}

// WantTexts fails the test unless the texts are these, in this order.
func WantTexts(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// Verified fails the test unless the record's signature verifies.
func Verified(t testing.TB, rec memory.Record) {
	t.Helper()
	if err := ump.Verify(rec.Form()); err != nil {
		t.Fatalf("record %s does not verify: %v", rec.ID, err)
	}
}

// Document reads UMP JSON as an import would.
func Document(t testing.TB, text string) codec.Reader {
	t.Helper()
	r, err := ump.Format().Open(codec.Source{Name: "x.ump.json", File: strings.NewReader(text), Size: int64(len(text))},
		codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}
