package vault_test

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
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// under is the same store as its next owner opens it.
func (h *house) under(key keys.Private) *house {
	next := &house{t: h.t, ctx: h.ctx, key: key, now: h.now, path: h.path, store: h.store, again: h.again}
	next.Vault = vault.New(vault.Options{
		Store: h.store, Now: func() time.Time { return next.now }, Release: "test", Bindings: []string{"file"},
		Key: next.holds, Signed: true, Tokens: true, Owner: key.DID(), Via: "cli", Producer: "satchel-test",
	})
	return next
}

// rekey carries everything over and ends what was before.
func (h *house) rekey(to keys.Private) (*house, rekey.Report) {
	h.t.Helper()
	report, err := h.Rekey(h.ctx, h.owner(), to, nil)
	if err != nil {
		h.t.Fatalf("rekey: %v", err)
	}
	next := h.under(to)
	if cleared, err := next.FinishRekey(h.ctx, h.owner(), to.DID()); err != nil || cleared != h.clears() {
		h.t.Fatalf("finish: cleared %v, %v", cleared, err)
	}
	return next, report
}

// life is a store in which everything has happened that a rekey carries over.
type life struct {
	*house
	first, second, forgotten, emptied, public, proposed, linked, imported memory.ID
	number                                                                int64
}

// lived fills a memory as one that was used for a while.
func lived(t *testing.T, open opener) *life {
	h := open(t)
	l := &life{house: h}
	l.first = h.keep(`{"body":{"text":"the meeting is on Monday"},"x_unknown":{"kept":[1,2.50]},"scope":{"user":` + quote(string(h.key.DID())) + `}}`).ID
	l.second = memory.ID(h.must(ump.OpRevise, `{"id":"`+string(l.first)+`","patch":{"body":{"text":"the meeting is on Tuesday"}}}`)["id"].(string))
	l.forgotten = h.tell("what nobody needs")
	h.must(ump.OpForget, `{"id":"`+string(l.forgotten)+`","reason":"outdated","note":"a remark"}`)
	l.emptied = h.tell("for one day only", `"consent":{"retention":"P1D"}`)
	l.public = h.tell("open to all", `"scope":{"visibility":"public","project":"shop"}`)
	l.proposed = h.tell("perhaps", `"lifecycle":{"status":"candidate"}`)
	l.linked = h.tell("Tuesday is busy", `"relations":[{"type":"depends_on","target":"`+string(l.second)+`"}]`)
	report := h.take(note(h.key.DID(), "the wiki says blue"), vault.ImportOptions{Name: "notes", Format: "test", Digest: "d1"})
	l.number = report.Number
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{Kinds: []memory.Kind{memory.Procedural}})
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("the import: %d records, %v", len(page.Records), err)
	}
	l.imported = page.Records[0].ID
	if err := h.Feedback(h.ctx, h.owner(), l.second, "followed", "s"); err != nil {
		t.Fatal(err)
	}
	if err := h.AliasProject(h.ctx, h.owner(), "old-shop", "shop"); err != nil {
		t.Fatal(err)
	}
	h.pass(48 * time.Hour)
	if n, err := h.Sweep(h.ctx, h.key.DID()); err != nil || n != 1 {
		t.Fatalf("swept %d, %v", n, err)
	}
	return l
}

// note is a document that tells of a thing elsewhere.
func note(owner memory.DID, text string) *run {
	return &run{records: []memory.Record{{
		Kind: memory.Procedural, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: owner, Project: "shop"},
		Time: memory.Times{Created: start},
		Provenance: &memory.Provenance{Actor: "x", ActorKind: memory.ByImport, Method: "test",
			Source: &memory.Source{Provider: "wiki", Ref: "pages/colour.md"}},
	}}}
}

func TestRekey(t *testing.T) { onEach(t, testRekey) }

func testRekey(t *testing.T, open opener) {
	l := lived(t, open)
	before := map[memory.ID]memory.Record{}
	for _, id := range []memory.ID{l.first, l.second, l.forgotten, l.emptied, l.public, l.proposed, l.linked, l.imported} {
		before[id] = l.get(id)
	}
	token, _, err := l.MintToken(l.ctx, l.owner(), vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: l.now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	next, report := l.rekey(seeded(t, 8))
	if report.Records != 8 || report.Already != 0 || report.Imports != 1 {
		t.Errorf("the report is %+v", report)
	}

	t.Run("UMP-5.1-4 every record keeps its id and what it says, and is signed", func(t *testing.T) {
		for id, was := range before {
			rec := next.get(id)
			verified(t, rec)
			if rec.Scope.Owner != next.key.DID() || rec.Body.Text != was.Body.Text || rec.Lifecycle.Status != was.Lifecycle.Status ||
				!rec.Time.ValidTo.Equal(was.Time.ValidTo) || fmt.Sprint(rec.Supersedes, rec.SupersededBy) != fmt.Sprint(was.Supersedes, was.SupersededBy) {
				t.Errorf("%s was\n%s\nand is\n%s", id, was.Form(), rec.Form())
			}
			origin, err := next.Get(next.ctx, next.owner(), id, memory.OriginView)
			if err != nil {
				t.Fatal(err)
			}
			verified(t, origin)
		}
		first := next.get(l.first)
		if first.Scope.User != string(next.key.DID()) {
			t.Errorf("the user is %s", first.Scope.User)
		}
		v, err := canon.Parse(first.Form(), canon.Options{})
		if err != nil || string(v.Get("x_unknown").Append(nil)) != `{"kept":[1,2.50]}` {
			t.Errorf("members that nobody knows are lost: %s", first.Form())
		}
		evidence := first.Provenance.Evidence
		if len(evidence) != 1 || evidence[0].Ref != "rekey:"+string(l.key.DID()) {
			t.Errorf("the evidence is %v", evidence)
		}
	})
	t.Run("history, recall, lessons, projects and imports hold", func(t *testing.T) {
		versions, err := next.History(next.ctx, next.owner(), l.second)
		if err != nil || len(versions) != 2 || versions[0].ID != l.first {
			t.Errorf("the history has %d versions, %v", len(versions), err)
		}
		wantTexts(t, next.texts(memory.Query{Text: "meeting", Limit: 1}), "the meeting is on Tuesday")
		wantTexts(t, next.texts(memory.Query{Text: "open", Scope: memory.Scope{Project: "old-shop"}, Limit: 1}), "open to all")
		lesson := store.Lesson{}
		err = next.store.View(next.ctx, next.key.DID(), func(r store.Reader) error {
			row, err := r.Row(l.second)
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
		if again := next.take(note("", "the wiki says blue"), vault.ImportOptions{Digest: "d1"}); !again.Known {
			t.Error("the document is not known any more")
		}
		wantCounts(t, next.take(note("", "the wiki says green"), vault.ImportOptions{Digest: "d2"}), 1, 0)
		if got := next.get(l.imported); len(got.SupersededBy) != 1 {
			t.Error("the note that was edited does not continue the old one")
		}
	})
	t.Run("what was forgotten stays so, and what is said again is merged", func(t *testing.T) {
		report := next.take(&run{records: []memory.Record{{Kind: memory.Semantic, Body: memory.Body{Text: "what nobody needs"}}}},
			vault.ImportOptions{Digest: "d3"})
		if report.Conflicting != 1 || report.Created != 0 {
			t.Errorf("an import brought it back: %+v", report)
		}
		v, err := next.call(ump.OpRemember, next.owner(), `{"record":{"body":{"text":"open to all"},"scope":{"visibility":"public","project":"shop"}}}`)
		if err != nil || v["result"] != "merged" {
			t.Errorf("got %v, %v", v, err)
		}
	})
	t.Run("nothing is left of the old owner", func(t *testing.T) {
		err := next.store.View(next.ctx, l.key.DID(), func(r store.Reader) error {
			n, err := r.Count(store.Filter{})
			if n != 0 {
				t.Errorf("%d records are left", n)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		findings, err := next.Health(next.ctx)
		if err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
	})
	t.Run("tokens of the old owner end", func(t *testing.T) {
		_, err := next.Admit(next.ctx, token)
		wantKind(t, err, memory.Unauthorized)
		if !errors.Is(err, ump.ErrTokenRevoked) {
			t.Errorf("refused because %v", err)
		}
	})
	t.Run("both audit logs tell of it", func(t *testing.T) {
		for who, other := range map[memory.DID]memory.DID{l.key.DID(): next.key.DID(), next.key.DID(): l.key.DID()} {
			c := memory.Caller{Owner: who, Role: memory.Owner}
			entries, err := next.Audit(next.ctx, c, 0, 100)
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
			if r, err := next.VerifyAudit(next.ctx, c, nil); err != nil || !r.Sound() || r.Unsigned != 0 {
				t.Errorf("the log of %s: %+v, %v", who, r, err)
			}
		}
	})
	t.Run("a program of the old owner's writes nothing and says why", func(t *testing.T) {
		_, err := l.call(ump.OpRemember, l.owner(), `{"record":{"body":{"text":"into the void"}}}`)
		if !errors.Is(err, vault.ErrMoved) {
			t.Errorf("remember: %v", err)
		}
		if _, err := l.Recall(l.ctx, l.owner(), memory.Query{Text: "meeting"}); !errors.Is(err, vault.ErrMoved) {
			t.Errorf("recall: %v", err)
		}
	})
}

func TestRekeyThenUndo(t *testing.T) {
	h := open(t)
	old := h.tell("the shop is in Bonn")
	r := drafts(h.key.DID(), 1)
	r.records[0].Supersedes, r.records[0].Time = []memory.ID{old}, memory.Times{Created: h.now.Add(time.Minute)}
	number := h.take(r, vault.ImportOptions{Digest: "d"}).Number
	h.pass(time.Hour)
	if len(h.get(old).SupersededBy) != 1 {
		t.Fatal("the import superseded nothing: the test could not fail")
	}
	next, _ := h.rekey(seeded(t, 8))
	next.pass(time.Hour)
	if done, err := next.Undo(next.ctx, next.owner(), number); err != nil || done.Removed != 1 {
		t.Fatalf("undo removed %d, %v", done.Removed, err)
	}
	if rec := next.get(old); len(rec.SupersededBy) != 0 || !rec.Time.ValidTo.IsZero() {
		t.Errorf("it was not reopened: %s", rec.Form())
	}
	wantTexts(t, next.texts(memory.Query{Text: "shop", Limit: 1}), "the shop is in Bonn")
}

func TestRekeyIsTakenUpAgain(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyIsTakenUpAgain)
}

func testRekeyIsTakenUpAgain(t *testing.T, open opener) {
	h := open(t)
	const n = 700
	h.take(drafts(h.key.DID(), n), vault.ImportOptions{Digest: "d"})
	to := seeded(t, 8)
	for stop := range 2 { // each attempt is cut off after one batch more
		ctx, cancel := context.WithCancel(h.ctx)
		_, err := h.Rekey(ctx, h.owner(), to, func(int) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("attempt %d: %v", stop, err)
		}
		if _, err := h.FinishRekey(h.ctx, h.owner(), to.DID()); memory.KindOf(err) != memory.InvalidRecord {
			t.Fatalf("an unfinished rekey was ended: %v", err)
		}
		if _, err := h.call(ump.OpRemember, h.owner(), `{"record":{"body":{"text":"meanwhile"}}}`); !errors.Is(err, vault.ErrMoved) {
			t.Fatalf("somebody wrote meanwhile: %v", err)
		}
		if h.count() != n {
			t.Fatal("the old owner's records are gone")
		}
	}
	if _, err := h.Rekey(h.ctx, h.owner(), seeded(t, 9), nil); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("another key was taken: %v", err)
	}
	next, report := h.rekey(to)
	if report.Records != n || report.Already != 512 || next.count() != n {
		t.Errorf("the report is %+v, and %d records are there", report, next.count())
	}
	if again, err := next.FinishRekey(h.ctx, h.owner(), to.DID()); err != nil || again != h.clears() {
		t.Errorf("a second end: %v, %v", again, err)
	}
	if findings, err := next.Health(next.ctx); err != nil || len(findings) > 0 {
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
	h.take(drafts(h.key.DID(), 300), vault.ImportOptions{Digest: "d"})
	writer := over(t, h.path, h.again)
	defer writer.store.Close()
	acknowledged, refused := make(chan memory.ID, 10_000), make(chan error, 1)
	go func() {
		defer close(acknowledged)
		for i := 0; ; i++ {
			rec := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("written meanwhile, number %d", i)}}
			done, err := writer.Remember(h.ctx, h.owner(), memory.Draft{Record: rec})
			if err != nil {
				refused <- err
				return
			}
			acknowledged <- done.ID
		}
	}()
	first := <-acknowledged
	next, _ := h.rekey(seeded(t, 8))
	next.get(first)
	for id := range acknowledged {
		next.get(id)
	}
	if err := <-refused; !errors.Is(err, vault.ErrMoved) {
		t.Errorf("the writer was stopped by %v", err)
	}
	if findings, err := next.Health(next.ctx); err != nil || len(findings) > 0 {
		t.Errorf("the store has %q, %v", findings, err)
	}
}

func TestRekeyIsAbandoned(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyIsAbandoned)
}

func testRekeyIsAbandoned(t *testing.T, open opener) {
	h := open(t)
	h.take(drafts(h.key.DID(), 300), vault.ImportOptions{Digest: "d"})
	to := seeded(t, 8)
	ctx, cancel := context.WithCancel(h.ctx)
	if _, err := h.Rekey(ctx, h.owner(), to, func(int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := h.AbandonRekey(h.ctx, h.owner(), seeded(t, 9).DID()); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("a rekey to another key was given up: %v", err)
	}
	if err := h.AbandonRekey(h.ctx, h.owner(), to.DID()); err != nil {
		t.Fatal(err)
	}
	h.tell("life goes on")
	if h.count() != 301 || h.under(to).count() != 0 {
		t.Errorf("%d records, and %d under the other key", h.count(), h.under(to).count())
	}
	if next, report := h.rekey(to); report.Records != 301 || report.Already != 0 || next.count() != 301 {
		t.Errorf("the report is %+v", report)
	}
}

func TestRekeyThereAndBack(t *testing.T) {
	h := open(t)
	h.tell("the first key")
	next, _ := h.rekey(seeded(t, 8))
	next.tell("the second key")
	back, report := next.rekey(h.key)
	back.tell("the first again")
	if report.Records != 2 || back.count() != 3 {
		t.Errorf("%+v, and %d records", report, back.count())
	}
	if findings, err := back.Health(back.ctx); err != nil || len(findings) > 0 {
		t.Errorf("the store has %q, %v", findings, err)
	}
	owners, err := back.Owners(back.ctx, back.owner())
	if err != nil || len(owners) != 2 || owners[0].Records != 3 || owners[0].MovedTo != "" || owners[1].MovedTo != h.key.DID() {
		t.Errorf("the owners are %+v, %v", owners, err)
	}
}

func TestRekeyOntoSomebodyElse(t *testing.T) {
	h := open(t)
	h.tell("mine")
	other := h.under(seeded(t, 8))
	other.tell("theirs")
	_, err := h.Rekey(h.ctx, h.owner(), other.key, nil)
	wantKind(t, err, memory.InvalidRecord)
	h.tell("and nothing has begun")
	if other.count() != 1 {
		t.Error("the other owner has other records now")
	}
}

func TestRekeySignsNothingThatWasEdited(t *testing.T) {
	h := open(t)
	id := h.tell("the door code is 4711")
	h.tell("something else")
	err := h.store.Update(h.ctx, h.key.DID(), func(w store.Writer) error {
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
	_, err = h.Rekey(h.ctx, h.owner(), seeded(t, 8), nil)
	wantKind(t, err, memory.SignatureInvalid)
	if n := h.under(seeded(t, 8)).count(); n != 0 {
		t.Errorf("%d records were carried over", n)
	}
	h.tell("and nothing has begun")
}

func TestRekeyIsTheOwners(t *testing.T) {
	h := open(t)
	h.tell("something")
	for _, c := range []memory.Caller{h.agent(), h.peer(), {Owner: h.key.DID()}} {
		_, err := h.Rekey(h.ctx, c, seeded(t, 8), nil)
		wantKind(t, err, memory.ForbiddenScope)
		_, err = h.FinishRekey(h.ctx, c, seeded(t, 8).DID())
		wantKind(t, err, memory.ForbiddenScope)
		wantKind(t, h.AbandonRekey(h.ctx, c, seeded(t, 8).DID()), memory.ForbiddenScope)
	}
	_, err := h.Rekey(h.ctx, h.owner(), h.key, nil)
	wantKind(t, err, memory.InvalidRecord)
}

// opaque files what a tool of level 1 wrote: unsigned records of a plain name.
func (h *house) opaque(owner memory.DID, records ...memory.Record) []memory.ID {
	h.t.Helper()
	var ids []memory.ID
	err := h.store.Update(h.ctx, owner, func(w store.Writer) error {
		ids = nil
		var prior store.Row
		var priorRec memory.Record
		for i, rec := range records {
			rec.Kind, rec.Scope.Owner = memory.Semantic, owner
			rec.Time.Created = h.now.Add(time.Duration(i)*time.Second - time.Hour)
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
				prior.Current = closedBy(h.t, priorRec, rec.Time.Created, rec.ID)
				if err := w.Replace(prior, store.Links{}); err != nil {
					return err
				}
			}
			prior, priorRec = row, rec
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return ids
}

func TestRekeyFromAnOpaqueOwner(t *testing.T) { onEach(t, testRekeyFromAnOpaqueOwner) }

func testRekeyFromAnOpaqueOwner(t *testing.T, open opener) {
	t.Run("UMP-5.1-4 unsigned records of a plain name are signed, with their history", func(t *testing.T) {
		h := open(t)
		own := h.tell("mine from the beginning")
		ids := h.opaque("alice", memory.Record{Body: memory.Body{Text: "I drink tea"}, Scope: memory.Scope{User: "alice"}},
			memory.Record{Body: memory.Body{Text: "I drink coffee"}})
		alice := memory.Caller{Owner: "alice", Role: memory.Owner}
		report, err := h.Rekey(h.ctx, alice, h.key, nil)
		if err != nil || report.Records != 2 {
			t.Fatalf("%+v, %v", report, err)
		}
		if _, err := h.FinishRekey(h.ctx, alice, h.key.DID()); err != nil {
			t.Fatal(err)
		}
		for _, id := range append(ids, own) {
			verified(t, h.get(id))
		}
		if first := h.get(ids[0]); first.Scope.User != string(h.key.DID()) || first.Provenance.Evidence[0].Ref != "rekey:alice" {
			t.Errorf("it became %s", first.Form())
		}
		versions, err := h.History(h.ctx, h.owner(), ids[1])
		if err != nil || len(versions) != 2 {
			t.Errorf("the history has %d versions, %v", len(versions), err)
		}
		wantTexts(t, h.texts(memory.Query{Text: "coffee", Limit: 1}), "I drink coffee")
		if findings, err := h.Health(h.ctx); err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
	})
	t.Run("a record that is here already is kept once, and another under its id is refused", func(t *testing.T) {
		h := open(t)
		ids := h.opaque("alice", memory.Record{Body: memory.Body{Text: "I drink tea"}})
		var copied json.RawMessage
		err := h.store.View(h.ctx, "alice", func(r store.Reader) error {
			row, err := r.Row(ids[0])
			copied = row.Origin
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.take(document(t, "["+string(copied)+"]"), vault.ImportOptions{Adopt: "alice"})
		alice := memory.Caller{Owner: "alice", Role: memory.Owner}
		if report, err := h.Rekey(h.ctx, alice, h.key, nil); err != nil || report.Already != 1 || h.count() != 1 {
			t.Errorf("%+v, %v", report, err)
		}

		if err := h.AbandonRekey(h.ctx, alice, h.key.DID()); err != nil || h.count() != 1 {
			t.Errorf("giving it up left %d records, %v", h.count(), err)
		}

		bob := memory.Caller{Owner: "bob", Role: memory.Owner}
		h.opaque("bob", memory.Record{ID: ids[0], Body: memory.Body{Text: "I drink wine"}})
		_, err = h.Rekey(h.ctx, bob, h.key, nil)
		wantKind(t, err, memory.InvalidRecord)
		if h.get(ids[0]).Body.Text != "I drink tea" {
			t.Error("it was overwritten")
		}
	})
}
