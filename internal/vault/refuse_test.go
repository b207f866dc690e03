package vault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// failing is a store that fails where a test wants it to.
type failing struct {
	store.Store
	update, view func(owner memory.DID) error
	altered      error // of looking whether rows are as they were stored
	compact      error
}

func (f *failing) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	if f.update != nil {
		if err := f.update(owner); err != nil {
			return err
		}
	}
	return f.Store.Update(ctx, owner, fn)
}

func (f *failing) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	if f.view != nil {
		if err := f.view(owner); err != nil {
			return err
		}
	}
	return f.Store.View(ctx, owner, func(r store.Reader) error { return fn(forgetful{r, f.altered}) })
}

// forgetful fails to say which rows were altered.
type forgetful struct {
	store.Reader
	err error
}

func (f forgetful) Altered(numbers []int64) ([]int64, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Reader.Altered(numbers)
}

func (f *failing) Compact(context.Context) error      { return f.compact }
func (f *failing) Owed(context.Context) (bool, error) { return true, nil }

// onFailing is h over a store that fails.
func (h *house) onFailing(f *failing) *vault.Vault {
	f.Store = h.Store
	return vault.New(vault.Options{Beliefs: belief.Open, Store: f, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Batch: vaulttest.Batch})
}

// TestLostWhileChecking loses the database while a record is checked, which is no
// word against the record: nobody is told that it is damaged, or gone, or that
// nothing has happened.
func TestLostWhileChecking(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	id := h.Tell("the ferry leaves at nine", shared)
	v := h.onFailing(&failing{altered: store.ErrUnavailable})
	for _, tt := range []struct {
		name string
		call func() error
	}{
		{"changes", func() error {
			events, next, err := v.Changes(h.Ctx, h.Me(), memory.Subscription{})
			if len(events) != 0 || next != 0 {
				t.Errorf("%v, and the next comes after %d", events, next)
			}
			return err
		}},
		{"recall", func() error { _, err := v.Recall(h.Ctx, h.Me(), memory.Query{Text: "ferry"}); return err }},
		{"a peer gets", func() error { _, err := v.Get(h.Ctx, h.Peer(), id, memory.CurrentView); return err }},
		{"a peer's successor", func() error {
			writer := h.Granted(memory.Grant{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}})
			body := `{"record":{"supersedes":["` + string(id) + `"],"body":{"text":"the ferry leaves at ten"}}}`
			_, err := ump.Dispatch(h.Ctx, v, ump.Call{Operation: ump.OpRemember, Caller: writer, Body: []byte(body)})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.call(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestWhatBefallsAStore: people are told what to do, and programs whether to try
// again.
func TestWhatBefallsAStore(t *testing.T) {
	h := open(t)
	id := h.Tell("here")
	for _, c := range []struct {
		cause  error
		passes bool
		says   string
	}{
		{store.ErrUnavailable, true, "the database cannot be reached and nothing was done: try again a little later"},
		{store.ErrUncertain, true, "the database was lost while this was being stored, and it is not known whether it was: send it again, with the same idempotency key if it has one"},
		{store.ErrBusy, true, "the store is busy and nothing was done: try again a little later"},
		{store.ErrArriving, true, "the owner's memory is on its way here from another store: try again when satchel store move is done"},
		{store.ErrClosed, true, "the server is shutting down: try again a little later"},
		{store.ErrFull, false, "there is no space left for the store: its operator has to make room"},
		{store.ErrReadOnly, false, "the store cannot be written: its operator has to look after that"},
		{store.ErrNewer, true, "the store was brought to a newer release, which this server is not yet: try again a little later, and have its operator start that release here"},
		{errors.New("something else"), false, "the store failed: satchel doctor says more"},
	} {
		fail := func(memory.DID) error { return fmt.Errorf("read: %w", c.cause) }
		v := h.onFailing(&failing{update: fail, view: fail})
		_, remember := v.Remember(h.Ctx, h.Me(), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "x"}}})
		_, get := v.Get(h.Ctx, h.Me(), id, memory.CurrentView)
		_, recall := v.Recall(h.Ctx, h.Me(), memory.Query{Text: "here"})
		_, admit := v.Admit(h.Ctx, vaulttest.TokenOf(t, h.Key, true))
		for what, err := range map[string]error{"remember": remember, "get": get, "recall": recall, "authenticate": admit} {
			e, ok := errors.AsType[*memory.Error](err)
			if !ok || e.Kind != memory.Internal || e.Op != what || e.Message != c.says {
				t.Errorf("%v: %s: %v", c.cause, what, err)
			}
			if !errors.Is(err, c.cause) || errors.Is(err, memory.ErrUnavailable) != c.passes {
				t.Errorf("%v: %s: the causes are %v; passes: %v", c.cause, what, err, c.passes)
			}
		}
	}
}

// TestTheStoreKnowsBetter: what a store says of a failure of its own stands.
func TestTheStoreKnowsBetter(t *testing.T) {
	h := open(t)
	named := &memory.Error{Kind: memory.Internal, Op: "write", Message: "another process holds the store", Err: store.ErrBusy}
	v := h.onFailing(&failing{update: func(memory.DID) error { return named }})
	_, err := v.Remember(h.Ctx, h.Me(), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "x"}}})
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || e.Message != named.Message || e.Op != "remember" || !errors.Is(err, memory.ErrUnavailable) || !errors.Is(err, store.ErrBusy) {
		t.Errorf("got %v", err)
	}
}

// TestFilesAreTheOperators: what is erased is gone at once, and lies in dead pages
// until the operator clears them; nothing fails because of that.
func TestFilesAreTheOperators(t *testing.T) {
	h := open(t)
	v := h.onFailing(&failing{compact: &memory.Error{Kind: memory.Internal, Message: "satchel store scrub", Err: store.ErrOperator}})
	id := h.Tell("to be erased")
	if how, err := v.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.Outdated, Hard: true}); how != memory.ErasePending || err != nil {
		t.Errorf("forget: %q, %v", how, err)
	}
	if n, err := v.Sweep(h.Ctx, h.Key.DID()); n != 0 || err != nil {
		t.Errorf("sweep: %d, %v", n, err)
	}
	if err := v.SweepAll(h.Ctx); err != nil {
		t.Errorf("sweep all: %v", err)
	}
	if cleared, err := v.EraseOwner(h.Ctx, h.Me()); cleared || err != nil {
		t.Errorf("erase: %v, %v", cleared, err)
	}
	broken := h.onFailing(&failing{compact: errors.New("the disk is gone")})
	if err := broken.SweepAll(h.Ctx); memory.KindOf(err) != memory.Internal {
		t.Errorf("another failure: %v", err)
	}
}

// TestClearingForOthers: a program that clears the files after an erasure, of an
// owner whom it never served, leaves what vouches for that owner.
func TestClearingForOthers(t *testing.T) { onEach(t, testClearingForOthers) }

func testClearingForOthers(t *testing.T, open opener) {
	h := open.shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	id, err := h.Says(h.Admitted(ada), "to be erased")
	if err != nil {
		t.Fatal(err)
	}
	err = h.Store.Update(h.Ctx, ada.DID(), func(w store.Writer) error { return w.Delete(id) }) // not cleared away yet
	if err != nil {
		t.Fatal(err)
	}
	other := h.server()
	own := other.Tell("the home owner's")
	if _, err := other.Forget(h.Ctx, other.Me(), memory.ForgetRequest{ID: own, Reason: memory.Outdated, Hard: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Says(h.Admitted(ada), "still let in"); err != nil {
		t.Error(err)
	}
	h.Healthy()
}

func TestTendAll(t *testing.T) { onEach(t, testTendAll) }

func testTendAll(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob, gone := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22), vaulttest.Seeded(t, 23)
	h.Add(ada, store.Quota{})
	h.Order(vault.AccountOrder{Public: bob.DID()})
	h.Add(gone, store.Quota{})
	const short = `"consent":{"retention":"P1D"}`
	ids := map[memory.DID]memory.ID{h.Key.DID(): h.Tell("for a day", short)}
	var err error
	if ids[ada.DID()], err = h.Says(h.Admitted(ada), "for a day", short); err != nil {
		t.Fatal(err)
	}
	rec := vaulttest.SignedBy(t, bob, "for a day", func(r *memory.Record) { r.Consent = &memory.Consent{Retention: "P1D"} })
	h.Brings(h.Admitted(bob), rec)
	ids[bob.DID()] = rec.ID
	updates := 0
	dying := h.onFailing(&failing{update: func(memory.DID) error {
		if updates++; updates > 1 {
			return store.ErrUnavailable
		}
		return nil
	}})
	if err := dying.Open(h.Ctx, ada.DID()); err != nil {
		t.Fatal(err)
	}
	if _, err = dying.Import(h.Ctx, vaulttest.InPerson(ada), vaulttest.Drafts(ada.DID(), vaulttest.Batch+10), vault.ImportOptions{Digest: "d"}); !errors.Is(err, memory.ErrUnavailable) {
		t.Fatalf("the import was not cut off: %v", err)
	}
	h.Pass(48 * time.Hour)
	swept := func(owner memory.DID) bool {
		t.Helper()
		var row store.Row
		err := h.Store.View(h.Ctx, owner, func(r store.Reader) (err error) {
			row, err = r.Row(ids[owner])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return row.Origin == nil
	}
	if err := h.server().SweepAll(h.Ctx); err != nil || swept(h.Key.DID()) || swept(ada.DID()) {
		t.Fatalf("nothing bears the clock out yet: %v", err)
	}
	h.Pass(25 * time.Hour)
	later := h.server() // knows nobody yet
	lost := errors.New("this owner's rows cannot be written")
	shaky := &failing{update: func(owner memory.DID) error {
		if owner == h.Key.DID() {
			return lost
		}
		return nil
	}}
	later.Vault = later.onFailing(shaky)
	if err := later.SweepAll(h.Ctx); !errors.Is(err, lost) {
		t.Errorf("the failure is not told: %v", err)
	}
	if swept(h.Key.DID()) || !swept(ada.DID()) || !swept(bob.DID()) {
		t.Errorf("swept: home %v, ada %v, bob %v; want only the first to fail", swept(h.Key.DID()), swept(ada.DID()), swept(bob.DID()))
	}
	shaky.update = nil
	later.Pass(15 * time.Minute) // it is due again
	if err := later.SweepAll(h.Ctx); err != nil || !swept(h.Key.DID()) {
		t.Errorf("sweep all: %v", err)
	}
	shell, err := later.Get(h.Ctx, later.Admitted(ada), ids[ada.DID()], memory.CurrentView)
	if err != nil || shell.Body.Text != ump.ErasedExpired {
		t.Fatalf("%q, %v", shell.Body.Text, err)
	}
	vaulttest.Verified(t, shell)
	if n := h.Usage(ada.DID()).Records; n != vaulttest.Batch+1 {
		t.Fatalf("%d records before tidying, want one and those of the import", n)
	}
	if err := later.TidyAll(h.Ctx); err != nil {
		t.Error(err)
	}
	if n := h.Usage(ada.DID()).Records; n != 1 {
		t.Errorf("%d records after tidying", n)
	}
	for _, owner := range []memory.DID{ada.DID(), bob.DID()} {
		if err := h.Store.Update(h.Ctx, owner, func(w store.Writer) error { return w.Schedule(store.Sweep, later.Now) }); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	shaky.view = func(memory.DID) error { calls++; return store.ErrUnavailable }
	if err := later.SweepAll(h.Ctx); !errors.Is(err, store.ErrUnavailable) || calls != 1 {
		t.Errorf("without the store: %v after %d calls, want one", err, calls)
	}
	shaky.view = nil
	later.Healthy()
}
