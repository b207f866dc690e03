package rekey_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestRekey(t *testing.T) { onEach(t, testRekey) }

func testRekey(t *testing.T, open opener) {
	l := vaulttest.Lived(t, open.suite())
	before := map[memory.ID]memory.Record{}
	for _, id := range []memory.ID{l.First, l.Second, l.Forgotten, l.Emptied, l.Public, l.Proposed, l.Linked, l.Imported} {
		before[id] = l.MustGet(id)
	}
	token, _, err := l.MintToken(l.Ctx, l.Me(), vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: l.Now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	next, report := houseOf(l).rekey(vaulttest.Seeded(t, 8))
	if report.Records != 8 || report.Already != 0 || report.Imports != 1 {
		t.Errorf("the report is %+v", report)
	}

	t.Run("UMP-5.1-4 every record keeps its id and what it says, and is signed", func(t *testing.T) {
		for id, was := range before {
			rec := next.MustGet(id)
			vaulttest.Verified(t, rec)
			if rec.Scope.Owner != next.Key.DID() || rec.Body.Text != was.Body.Text || rec.Lifecycle.Status != was.Lifecycle.Status ||
				!rec.Time.ValidTo.Equal(was.Time.ValidTo) || fmt.Sprint(rec.Supersedes, rec.SupersededBy) != fmt.Sprint(was.Supersedes, was.SupersededBy) {
				t.Errorf("%s was\n%s\nand is\n%s", id, was.Form(), rec.Form())
			}
			origin, err := next.Get(next.Ctx, next.Me(), id, memory.OriginView)
			if err != nil {
				t.Fatal(err)
			}
			vaulttest.Verified(t, origin)
		}
		first := next.MustGet(l.First)
		if first.Scope.User != string(next.Key.DID()) {
			t.Errorf("the user is %s", first.Scope.User)
		}
		v, err := canon.Parse(first.Form(), canon.Options{})
		if err != nil || string(v.Get("x_unknown").Append(nil)) != `{"kept":[1,2.50]}` {
			t.Errorf("members that nobody knows are lost: %s", first.Form())
		}
		evidence := first.Provenance.Evidence
		if len(evidence) != 1 || evidence[0].Ref != "rekey:"+string(l.Key.DID()) {
			t.Errorf("the evidence is %v", evidence)
		}
	})
	t.Run("history, recall, lessons, projects and imports hold", func(t *testing.T) {
		versions, err := next.History(next.Ctx, next.Me(), l.Second)
		if err != nil || len(versions) != 2 || versions[0].ID != l.First {
			t.Errorf("the history has %d versions, %v", len(versions), err)
		}
		vaulttest.WantTexts(t, next.Texts(memory.Query{Text: "meeting", Limit: 1}), "the meeting is on Tuesday")
		vaulttest.WantTexts(t, next.Texts(memory.Query{Text: "open", Scope: memory.Scope{Project: "old-shop"}, Limit: 1}), "open to all")
		lesson := store.Lesson{}
		err = next.Store.View(next.Ctx, next.Key.DID(), func(r store.Reader) error {
			row, err := r.Row(l.Second)
			if err != nil {
				return err
			}
			lessons, err := r.Lessons([]int64{row.Number})
			lesson = lessons[0]
			return err
		})
		if err != nil || lesson.Followed != 1 {
			t.Errorf("the lesson is %+v, %v", lesson, err)
		}
		if again := next.MustTake(vaulttest.Note("", "the wiki says blue"), vault.ImportOptions{Digest: "d1"}); !again.Known {
			t.Error("the document is not known any more")
		}
		vaulttest.WantCounts(t, next.MustTake(vaulttest.Note("", "the wiki says green"), vault.ImportOptions{Digest: "d2"}), 1, 0)
		if got := next.MustGet(l.Imported); len(got.SupersededBy) != 1 {
			t.Error("the note that was edited does not continue the old one")
		}
	})
	t.Run("what was forgotten stays so, and what is said again is merged", func(t *testing.T) {
		report := next.MustTake(&vaulttest.Run{Records: []memory.Record{{Kind: memory.Semantic, Body: memory.Body{Text: "what nobody needs"}}}},
			vault.ImportOptions{Digest: "d3"})
		if report.Conflicting != 1 || report.Created != 0 {
			t.Errorf("an import brought it back: %+v", report)
		}
		v, err := next.Call(ump.OpRemember, next.Me(), `{"record":{"body":{"text":"open to all"},"scope":{"visibility":"public","project":"shop"}}}`)
		if err != nil || v["result"] != "merged" {
			t.Errorf("got %v, %v", v, err)
		}
	})
	t.Run("nothing is left of the old owner", func(t *testing.T) {
		err := next.Store.View(next.Ctx, l.Key.DID(), func(r store.Reader) error {
			n, err := r.Count(store.Filter{})
			if n != 0 {
				t.Errorf("%d records are left", n)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		findings, err := next.Health(next.Ctx)
		if err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
	})
	t.Run("tokens of the old owner end", func(t *testing.T) {
		_, err := next.Admit(next.Ctx, token)
		vaulttest.WantKind(t, err, memory.Unauthorized)
		if !errors.Is(err, ump.ErrTokenRevoked) {
			t.Errorf("refused because %v", err)
		}
	})
	t.Run("both audit logs tell of it", func(t *testing.T) {
		for who, other := range map[memory.DID]memory.DID{l.Key.DID(): next.Key.DID(), next.Key.DID(): l.Key.DID()} {
			c := memory.Caller{Owner: who, Role: memory.Owner}
			entries, err := next.Audit(next.Ctx, c, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, e := range entries {
				if e.Act == audit.Rekey && e.Count == 8 && e.Result == string(other) {
					told++
				}
			}
			if told != 1 {
				t.Errorf("the log of %s tells %d times", who, told)
			}
			if r, err := next.VerifyAudit(next.Ctx, c, nil); err != nil || !r.Sound() || r.Unsigned != 0 {
				t.Errorf("the log of %s: %+v, %v", who, r, err)
			}
		}
	})
	t.Run("a program of the old owner's writes nothing and says why", func(t *testing.T) {
		_, err := l.Call(ump.OpRemember, l.Me(), `{"record":{"body":{"text":"into the void"}}}`)
		if !errors.Is(err, vault.ErrMoved) {
			t.Errorf("remember: %v", err)
		}
		if _, err := l.Recall(l.Ctx, l.Me(), memory.Query{Text: "meeting"}); !errors.Is(err, vault.ErrMoved) {
			t.Errorf("recall: %v", err)
		}
	})
}

func TestRekeyThenUndo(t *testing.T) {
	h := open(t)
	old := h.Tell("the shop is in Bonn")
	r := vaulttest.Drafts(h.Key.DID(), 1)
	r.Records[0].Supersedes, r.Records[0].Time = []memory.ID{old}, memory.Times{Created: h.Now.Add(time.Minute)}
	number := h.MustTake(r, vault.ImportOptions{Digest: "d"}).Number
	h.Pass(time.Hour)
	if len(h.MustGet(old).SupersededBy) != 1 {
		t.Fatal("the import superseded nothing: the test could not fail")
	}
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	next.Pass(time.Hour)
	if done, err := next.Undo(next.Ctx, next.Me(), number); err != nil || done.Removed != 1 {
		t.Fatalf("undo removed %d, %v", done.Removed, err)
	}
	if rec := next.MustGet(old); len(rec.SupersededBy) != 0 || !rec.Time.ValidTo.IsZero() {
		t.Errorf("it was not reopened: %s", rec.Form())
	}
	vaulttest.WantTexts(t, next.Texts(memory.Query{Text: "shop", Limit: 1}), "the shop is in Bonn")
}

func TestRekeyIsTakenUpAgain(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyIsTakenUpAgain)
}

func testRekeyIsTakenUpAgain(t *testing.T, open opener) {
	h := open(t)
	const n = 2*vaulttest.Batch + 11
	h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{Digest: "d"})
	to := vaulttest.Seeded(t, 8)
	for stop := range 2 { // each attempt is cut off after one batch more
		ctx, cancel := context.WithCancel(h.Ctx)
		_, err := h.Rekey(ctx, h.Me(), to, func(int) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("attempt %d: %v", stop, err)
		}
		if _, err := h.FinishRekey(h.Ctx, h.Me(), to.DID()); memory.KindOf(err) != memory.InvalidRecord {
			t.Fatalf("an unfinished rekey was ended: %v", err)
		}
		if _, err := h.Call(ump.OpRemember, h.Me(), `{"record":{"body":{"text":"meanwhile"}}}`); !errors.Is(err, vault.ErrMoved) {
			t.Fatalf("somebody wrote meanwhile: %v", err)
		}
		if h.Count() != n {
			t.Fatal("the old owner's records are gone")
		}
	}
	if _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 9), nil); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("another key was taken: %v", err)
	}
	next, report := h.rekey(to)
	if report.Records != n || report.Already != 2*vaulttest.Batch || next.Count() != n {
		t.Errorf("the report is %+v, and %d records are there", report, next.Count())
	}
	if again, err := next.FinishRekey(h.Ctx, h.Me(), to.DID()); err != nil || again != h.Clears() {
		t.Errorf("a second end: %v, %v", again, err)
	}
	if findings, err := next.Health(next.Ctx); err != nil || len(findings) > 0 {
		t.Errorf("the store has %q, %v", findings, err)
	}
}

// TestRekeyBesideAWriter has somebody else remember without pause: what was
// acknowledged is there under the new owner, and the rest was refused.
func TestRekeyBesideAWriter(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyBesideAWriter)
}

func testRekeyBesideAWriter(t *testing.T, open opener) {
	h := open(t)
	h.MustTake(vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10), vault.ImportOptions{Digest: "d"})
	writer := over(t, h.Path, h.Again)
	defer writer.Store.Close()
	acknowledged, refused := make(chan memory.ID, 10_000), make(chan error, 1)
	go func() {
		defer close(acknowledged)
		for i := 0; ; i++ {
			rec := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("written meanwhile, number %d", i)}}
			done, err := writer.Remember(h.Ctx, h.Me(), memory.Draft{Record: rec})
			if err != nil {
				refused <- err
				return
			}
			acknowledged <- done.ID
		}
	}()
	first := <-acknowledged
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	next.MustGet(first)
	for id := range acknowledged {
		next.MustGet(id)
	}
	if err := <-refused; !errors.Is(err, vault.ErrMoved) {
		t.Errorf("the writer was stopped by %v", err)
	}
	if findings, err := next.Health(next.Ctx); err != nil || len(findings) > 0 {
		t.Errorf("the store has %q, %v", findings, err)
	}
}

func TestRekeyIsAbandoned(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyIsAbandoned)
}

func testRekeyIsAbandoned(t *testing.T, open opener) {
	h := open(t)
	h.MustTake(vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10), vault.ImportOptions{Digest: "d"})
	to := vaulttest.Seeded(t, 8)
	ctx, cancel := context.WithCancel(h.Ctx)
	if _, err := h.Rekey(ctx, h.Me(), to, func(int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := h.AbandonRekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 9).DID()); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("a rekey to another key was given up: %v", err)
	}
	if err := h.AbandonRekey(h.Ctx, h.Me(), to.DID()); err != nil {
		t.Fatal(err)
	}
	h.Tell("life goes on")
	if h.Count() != vaulttest.Batch+11 || h.under(to).Count() != 0 {
		t.Errorf("%d records, and %d under the other key", h.Count(), h.under(to).Count())
	}
	if next, report := h.rekey(to); report.Records != vaulttest.Batch+11 || report.Already != 0 || next.Count() != vaulttest.Batch+11 {
		t.Errorf("the report is %+v", report)
	}
}

func TestRekeyThereAndBack(t *testing.T) {
	h := open(t)
	h.Tell("the first key")
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	next.Tell("the second key")
	back, report := next.rekey(h.Key)
	back.Tell("the first again")
	if report.Records != 2 || back.Count() != 3 {
		t.Errorf("%+v, and %d records", report, back.Count())
	}
	if findings, err := back.Health(back.Ctx); err != nil || len(findings) > 0 {
		t.Errorf("the store has %q, %v", findings, err)
	}
	owners, err := back.Owners(back.Ctx, back.Me(), "")
	if err != nil || len(owners) != 2 || owners[0].Records != 3 || owners[0].MovedTo != "" || owners[1].MovedTo != h.Key.DID() {
		t.Errorf("the owners are %+v, %v", owners, err)
	}
}

func TestRekeyOntoSomebodyElse(t *testing.T) {
	h := open(t)
	h.Tell("mine")
	other := h.under(vaulttest.Seeded(t, 8))
	other.Tell("theirs")
	_, err := h.Rekey(h.Ctx, h.Me(), other.Key, nil)
	vaulttest.WantKind(t, err, memory.InvalidRecord)
	h.Tell("and nothing has begun")
	if other.Count() != 1 {
		t.Error("the other owner has other records now")
	}
}

func TestRekeySignsNothingThatWasEdited(t *testing.T) {
	h := open(t)
	id := h.Tell("the door code is 4711")
	h.Tell("something else")
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		row, err := w.Row(id)
		if err != nil {
			return err
		}
		row.Origin = []byte(strings.Replace(string(row.Origin), "4711", "0000", 1))
		return w.Replace(row, store.Links{})
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil)
	vaulttest.WantKind(t, err, memory.SignatureInvalid)
	if n := h.under(vaulttest.Seeded(t, 8)).Count(); n != 0 {
		t.Errorf("%d records were carried over", n)
	}
	h.Tell("and nothing has begun")
}

func TestRekeyIsTheOwners(t *testing.T) {
	h := open(t)
	h.Tell("something")
	for _, c := range []memory.Caller{h.Agent(), h.Peer(), {Owner: h.Key.DID()}} {
		_, err := h.Rekey(h.Ctx, c, vaulttest.Seeded(t, 8), nil)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.FinishRekey(h.Ctx, c, vaulttest.Seeded(t, 8).DID())
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		vaulttest.WantKind(t, h.AbandonRekey(h.Ctx, c, vaulttest.Seeded(t, 8).DID()), memory.ForbiddenScope)
	}
	_, err := h.Rekey(h.Ctx, h.Me(), h.Key, nil)
	vaulttest.WantKind(t, err, memory.InvalidRecord)
}

// opaque files what a tool of level 1 wrote: unsigned records of a plain name.
func (h *house) opaque(owner memory.DID, records ...memory.Record) []memory.ID {
	h.T.Helper()
	var ids []memory.ID
	err := h.Store.Update(h.Ctx, owner, func(w store.Writer) error {
		ids = nil
		var prior store.Row
		var priorRec memory.Record
		for i, rec := range records {
			rec.Kind, rec.Scope.Owner = memory.Semantic, owner
			rec.Time.Created = h.Now.Add(time.Duration(i)*time.Second - time.Hour)
			rec.Provenance = &memory.Provenance{Actor: string(owner), ActorKind: memory.ByUser, Method: "told"}
			if i > 0 {
				rec.Supersedes = ids[i-1:]
			}
			rec, err := ump.Author(rec, nil)
			if err != nil {
				return err
			}
			ids = append(ids, rec.ID)
			row := store.Row{ID: rec.ID, Origin: rec.Origin, Columns: store.Columns{Kind: rec.Kind, Status: memory.Active,
				Visibility: memory.Private, Created: rec.Time.Created, From: rec.Time.From(), Duplicate: "x", Lineage: ids[0]}}
			if _, err := w.Insert(row, store.Document{}, store.Links{Supersedes: rec.Supersedes}); err != nil {
				return err
			}
			if i > 0 {
				if prior, err = w.Row(prior.ID); err != nil {
					return err
				}
				prior.Current = vaulttest.ClosedBy(h.T, priorRec, rec.Time.Created, rec.ID)
				if err := w.Replace(prior, store.Links{}); err != nil {
					return err
				}
			}
			prior, priorRec = row, rec
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return ids
}

func TestRekeyFromAnOpaqueOwner(t *testing.T) { onEach(t, testRekeyFromAnOpaqueOwner) }

func testRekeyFromAnOpaqueOwner(t *testing.T, open opener) {
	t.Run("UMP-5.1-4 unsigned records of a plain name are signed, with their history", func(t *testing.T) {
		h := open(t)
		own := h.Tell("mine from the beginning")
		ids := h.opaque("alice", memory.Record{Body: memory.Body{Text: "I drink tea"}, Scope: memory.Scope{User: "alice"}},
			memory.Record{Body: memory.Body{Text: "I drink coffee"}})
		alice := memory.Caller{Owner: "alice", Role: memory.Owner}
		report, err := h.Rekey(h.Ctx, alice, h.Key, nil)
		if err != nil || report.Records != 2 {
			t.Fatalf("%+v, %v", report, err)
		}
		if _, err := h.FinishRekey(h.Ctx, alice, h.Key.DID()); err != nil {
			t.Fatal(err)
		}
		for _, id := range append(ids, own) {
			vaulttest.Verified(t, h.MustGet(id))
		}
		if first := h.MustGet(ids[0]); first.Scope.User != string(h.Key.DID()) || first.Provenance.Evidence[0].Ref != "rekey:alice" {
			t.Errorf("it became %s", first.Form())
		}
		versions, err := h.History(h.Ctx, h.Me(), ids[1])
		if err != nil || len(versions) != 2 {
			t.Errorf("the history has %d versions, %v", len(versions), err)
		}
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "coffee", Limit: 1}), "I drink coffee")
		if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
	})
	t.Run("a record that is here already is kept once, and another under its id is refused", func(t *testing.T) {
		h := open(t)
		ids := h.opaque("alice", memory.Record{Body: memory.Body{Text: "I drink tea"}})
		var copied json.RawMessage
		err := h.Store.View(h.Ctx, "alice", func(r store.Reader) error {
			row, err := r.Row(ids[0])
			copied = row.Origin
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.MustTake(vaulttest.Document(t, "["+string(copied)+"]"), vault.ImportOptions{Adopt: "alice"})
		alice := memory.Caller{Owner: "alice", Role: memory.Owner}
		if report, err := h.Rekey(h.Ctx, alice, h.Key, nil); err != nil || report.Already != 1 || h.Count() != 1 {
			t.Errorf("%+v, %v", report, err)
		}

		if err := h.AbandonRekey(h.Ctx, alice, h.Key.DID()); err != nil || h.Count() != 1 {
			t.Errorf("giving it up left %d records, %v", h.Count(), err)
		}

		bob := memory.Caller{Owner: "bob", Role: memory.Owner}
		h.opaque("bob", memory.Record{ID: ids[0], Body: memory.Body{Text: "I drink wine"}})
		_, err = h.Rekey(h.Ctx, bob, h.Key, nil)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		if h.MustGet(ids[0]).Body.Text != "I drink tea" {
			t.Error("it was overwritten")
		}
	})
}
