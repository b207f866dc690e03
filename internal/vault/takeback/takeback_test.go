package takeback_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/takeback"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a vault whose owner takes acts back.
type house struct {
	*vaulttest.House
	*takeback.Service
}

func onEach(t *testing.T, test func(*testing.T, house)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		h := open(t)
		test(t, house{h, takeback.New(h.Vault)})
	})
}

func (h house) forget(t *testing.T, f memory.ForgetRequest) {
	t.Helper()
	if f.Reason == "" {
		f.Reason = memory.UserRevoked
	}
	if _, err := h.Forget(h.Ctx, h.Me(), f); err != nil {
		t.Fatal(err)
	}
}

// undone takes the latest act back.
func (h house) undone(t *testing.T, did vault.UndoAct) takeback.Act {
	t.Helper()
	a, err := h.Service.Undo(h.Ctx, h.Me(), "")
	if err != nil || a.Did != did {
		t.Fatalf("%+v, %v", a, err)
	}
	return a
}

func (h house) acts(t *testing.T) int {
	t.Helper()
	list, err := h.Service.List(h.Ctx, h.Me())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// whole fails unless the record is in force, signed as a whole, and found.
func (h house) whole(t *testing.T, id memory.ID, text string) {
	t.Helper()
	rec := h.MustGet(id)
	if rec.Lifecycle.Status.Or() != memory.Active || !rec.Time.ValidTo.IsZero() || rec.Body.Text != text || rec.Integrity == nil || ump.Verify(rec.Form()) != nil {
		t.Errorf("%s is %s", id, rec.Form())
	}
	if got := h.Texts(memory.Query{Text: text}); len(got) != 1 || got[0] != text {
		t.Errorf("recall of %q finds %q", text, got)
	}
	if found, err := h.Health(h.Ctx); err != nil || len(found) > 0 {
		t.Errorf("health: %q, %v", found, err)
	}
}

// What was forgotten comes back under the same id, exactly as it was, and the log says so.
func TestUndoForget(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("The harbour opens at dawn.")
		before := h.MustGet(id)
		h.Pass(time.Minute)
		h.forget(t, memory.ForgetRequest{ID: id, Note: "a slip", Actor: "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"})
		if got := h.Texts(memory.Query{Text: "harbour"}); len(got) != 0 {
			t.Fatalf("forgotten, and found: %q", got)
		}
		if name, err := h.Of(h.Ctx, h.Me(), id); name == "" || err != nil {
			t.Fatalf("%q, %v", name, err)
		}
		h.forget(t, memory.ForgetRequest{ID: id}) // once more changes nothing
		h.Pass(30*time.Minute - time.Millisecond)
		a := h.undone(t, vault.UndoForget)
		if !slices.Equal(a.Records, []memory.ID{id}) {
			t.Errorf("%+v", a)
		}
		h.whole(t, id, "The harbour opens at dawn.")
		if after := h.MustGet(id); !bytes.Equal(after.Form(), before.Form()) {
			t.Errorf("it was %s\nand is %s", before.Form(), after.Form())
		}
		if e := h.Logged(audit.Undo); e.Reason != "forget" || e.Count != 1 || e.Who != audit.Owner || len(e.Records) != 1 {
			t.Errorf("the log has %+v", e)
		}
		if _, err := h.Service.Undo(h.Ctx, h.Me(), a.Name); memory.KindOf(err) != memory.NotFound {
			t.Errorf("once more: %v", err)
		}
	})
}

// Half an hour later, nothing is taken back.
func TestUndoEnds(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("The harbour opens at dawn.")
		h.forget(t, memory.ForgetRequest{ID: id})
		name, err := h.Of(h.Ctx, h.Me(), id)
		if err != nil {
			t.Fatal(err)
		}
		h.Pass(30 * time.Minute)
		if _, err := h.Service.Undo(h.Ctx, h.Me(), name); memory.KindOf(err) != memory.NotFound || h.acts(t) != 0 {
			t.Errorf("%v", err)
		}
		h.forget(t, memory.ForgetRequest{ID: h.Tell("The pier is closed.")}) // drops the mark that is over
		err = h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
			left, err := r.Attachments(store.AttachmentFilter{Space: vault.UndoSpace}, 0, 99)
			if len(left) != 1 {
				t.Errorf("%+v", left)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// All versions that were forgotten at once come back at once.
func TestUndoForgetAll(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		first := h.Tell("Tea at four.")
		h.Pass(time.Minute)
		last := h.Change(first, `{"body":{"text":"Tea at five."}}`)
		h.Pass(time.Minute)
		closed := h.MustGet(first)
		h.forget(t, memory.ForgetRequest{ID: last, Chain: true})
		if a := h.undone(t, vault.UndoForget); len(a.Records) != 2 {
			t.Errorf("%+v", a)
		}
		h.whole(t, last, "Tea at five.")
		if now := h.MustGet(first); !now.Time.ValidTo.Equal(closed.Time.ValidTo) || len(now.SupersededBy) != 1 {
			t.Errorf("the earlier version is %s", now.Form())
		}
	})
}

// Undo ends with the retention of the record.
func TestUndoEndsWithRetention(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("The code is 4711.", `"consent":{"retention":"P1D"}`)
		h.Pass(24*time.Hour - 10*time.Minute)
		h.forget(t, memory.ForgetRequest{ID: id})
		h.Pass(10 * time.Minute)
		if _, err := h.Service.Undo(h.Ctx, h.Me(), ""); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("after its retention: %v", err)
		}
		if _, err := h.SweepAgreed(h.Ctx, h.Key.DID()); err != nil {
			t.Fatal(err)
		}
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		if h.acts(t) != 0 {
			t.Error("an emptied record can be taken back")
		}
	})
}

// An erasure leaves nothing to take back, and no word in the files.
func TestUndoEndsWithErasure(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("The code is zyzzyva.")
		h.Pass(time.Second)
		id = h.Change(id, `{"body":{"text":"The code is zyzzyvas, and no other."}}`)
		h.forget(t, memory.ForgetRequest{ID: id, Note: "zyzzyva"})
		if h.acts(t) != 1 { // that of the revision went
			t.Errorf("%d acts", h.acts(t))
		}
		h.undone(t, vault.UndoForget)
		h.forget(t, memory.ForgetRequest{ID: id})
		h.forget(t, memory.ForgetRequest{ID: id, Hard: true, Chain: true})
		if h.acts(t) != 0 {
			t.Error("what was erased can be taken back")
		}
		if _, err := h.Service.Undo(h.Ctx, h.Me(), ""); memory.KindOf(err) != memory.NotFound {
			t.Errorf("%v", err)
		}
		if !h.Clears() {
			return
		}
		files, err := filepath.Glob(h.Path + "*")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil || bytes.Contains(raw, []byte("zyzzyva")) {
				t.Errorf("%s holds what was erased, %v", f, err)
			}
		}
	})
}

// A mark holds nothing of what was forgotten.
func TestMarkHoldsNoContent(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("The code is zyzzyva.", `"scope":{"owner":"`+string(h.Key.DID())+`","project":"zyzzyva"}`)
		h.forget(t, memory.ForgetRequest{ID: id, Note: "zyzzyva"})
		err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
			marks, err := r.Attachments(store.AttachmentFilter{Space: vault.UndoSpace}, 0, 99)
			for _, a := range marks {
				if bytes.Contains(append([]byte(a.Key), a.Data...), []byte("zyzzyva")) {
					t.Errorf("%+v", a)
				}
			}
			if len(marks) != 1 {
				t.Errorf("%d marks", len(marks))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// What the owner revised is as before; what was revised or changed again is not taken back.
func TestUndoRevise(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("Tea at four.")
		before := h.MustGet(id)
		h.Pass(time.Minute)
		next := h.Change(id, `{"body":{"text":"Coffee at five."}}`)
		h.undone(t, vault.UndoRevise)
		h.whole(t, id, "Tea at four.")
		if after := h.MustGet(id); !bytes.Equal(after.Form(), before.Form()) {
			t.Errorf("it was %s\nand is %s", before.Form(), after.Form())
		}
		if got := h.Texts(memory.Query{Text: "coffee at five"}); slices.Contains(got, "Coffee at five.") {
			t.Errorf("still found: %q", got)
		}
		if _, err := h.Get(h.Ctx, h.Me(), next, memory.CurrentView); memory.KindOf(err) != memory.NotFound {
			t.Errorf("the version that was taken back: %v", err)
		}

		h.Pass(time.Minute)
		next = h.Change(id, `{"body":{"text":"Milk at six."}}`)
		name, err := h.Of(h.Ctx, h.Me(), next)
		if err != nil {
			t.Fatal(err)
		}
		h.Pass(time.Minute)
		last := h.Change(next, `{"body":{"text":"Juice at seven."}}`)
		if _, err := h.Service.Undo(h.Ctx, h.Me(), name); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("what was revised again: %v", err)
		}
		h.whole(t, last, "Juice at seven.")
	})
}

// A fact that was confirmed waits again, and one that was rejected, too.
func TestUndoFact(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		found := memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: "likes quinces"}, Scope: memory.Scope{Owner: h.Key.DID()},
			Provenance: &memory.Provenance{Actor: "assistant", ActorKind: memory.ByModel, Method: vault.Found},
		}
		if _, err := h.Suggest(h.Ctx, h.Me(), []memory.Record{found}, false); err != nil {
			t.Fatal(err)
		}
		waits := func() []memory.Record {
			list, err := h.Waiting(h.Ctx, h.Me())
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		id := waits()[0].ID
		h.Pass(time.Minute)
		done, err := h.Revise(h.Ctx, h.Me(), memory.Revision{ID: id, Patch: []byte(`{"lifecycle":{"status":"active"}}`)})
		if err != nil || len(waits()) != 0 {
			t.Fatal(waits(), err)
		}
		h.undone(t, vault.UndoConfirm)
		if w := waits(); len(w) != 1 || w[0].ID != id || len(h.Texts(memory.Query{Text: "quinces"})) != 0 {
			t.Errorf("%+v waits", w)
		}
		if _, err := h.Get(h.Ctx, h.Me(), done.ID, memory.CurrentView); memory.KindOf(err) != memory.NotFound {
			t.Errorf("what was confirmed: %v", err)
		}
		h.forget(t, memory.ForgetRequest{ID: id, Reason: memory.Incorrect})
		if len(waits()) != 0 {
			t.Fatal("a rejected fact waits")
		}
		h.undone(t, vault.UndoForget)
		if w := waits(); len(w) != 1 || w[0].ID != id {
			t.Errorf("%+v waits", w)
		}
	})
}

// A correction that was decided waits again, and the belief is as before.
func TestUndoCorrection(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		b, err := h.Believe(h.Ctx, h.Me(), engram.Belief{Category: engram.Communication, Key: "email_style", Text: "short"}, false)
		if err != nil {
			t.Fatal(err)
		}
		h.Pass(time.Minute)
		runtime := h.Granted(memory.Grant{ID: "a", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Runtime: &memory.Runtime{Name: "Claw", Scope: string(engram.Full)}, Expires: h.Now.Add(99 * time.Hour)})
		k, err := h.Propose(h.Ctx, runtime, engram.Proposal{Belief: b.Belief.ID, New: "longer", Context: "said so", Runtime: "claw", ObservedAt: h.Now})
		if err != nil {
			t.Fatal(err)
		}
		for _, confirm := range []bool{true, false, true} {
			h.Pass(time.Minute)
			if done, err := h.Resolve(h.Ctx, h.Me(), k.ID, confirm, "a note"); err != nil || (done.Now == "longer") != confirm {
				t.Fatalf("%+v, %v", done, err)
			}
			a, err := h.Service.Undo(h.Ctx, h.Me(), "")
			if err != nil || (a.Did == vault.UndoConfirm) != confirm {
				t.Fatalf("%v: %+v, %v", confirm, a, err)
			}
			list, err := h.Corrections(h.Ctx, h.Me(), false)
			if err != nil || len(list) != 1 || list[0].Status != engram.Pending || list[0].Now != "short" || list[0].New != "longer" || list[0].Note != "" {
				t.Errorf("after %v: %+v, %v", confirm, list, err)
			}
			if found, err := h.Health(h.Ctx); err != nil || len(found) > 0 {
				t.Errorf("health: %q, %v", found, err)
			}
		}
	})
}

// Only the owner in person takes back.
func TestUndoWhose(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		h.forget(t, memory.ForgetRequest{ID: h.Tell("Tea at four.")})
		for _, c := range []memory.Caller{h.Agent(), h.Peer(), {}, {Owner: "did:key:other", Role: memory.Owner}} {
			if _, err := h.Service.Undo(h.Ctx, c, ""); err == nil {
				t.Errorf("%+v takes back", c)
			}
			if list, _ := h.Service.List(h.Ctx, c); len(list) != 0 {
				t.Errorf("%+v sees %+v", c, list)
			}
		}
		if h.acts(t) != 1 {
			t.Error("it is gone")
		}
	})
}
