package vault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestImport(t *testing.T) {
	racing.Skip(t)
	onEach(t, testImport)
}

func testImport(t *testing.T, open opener) {
	for _, n := range []int{0, 1, vaulttest.Batch - 1, vaulttest.Batch, vaulttest.Batch + 1, 2*vaulttest.Batch + 11} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			h := open(t)
			vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{DryRun: true}), n, 0)
			if h.Count() != 0 {
				t.Fatal("a dry run stored something")
			}
			vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{Digest: "d"}), n, 0)
			if got := h.Count(); got != n {
				t.Fatalf("%d records, want %d", got, n)
			}
			if !h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{Digest: "d"}).Known && n > 0 {
				t.Fatal("the same document is not known again")
			}
			vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{DryRun: true}), 0, n)
			vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{Digest: "other"}), 0, n)
		})
	}
}

func TestImportFails(t *testing.T) {
	racing.Skip(t)
	for _, n := range []int{1, vaulttest.Batch, 2*vaulttest.Batch + 11} {
		h := open(t)
		r := vaulttest.Drafts(h.Key.DID(), n)
		r.Fail = &codec.ParseError{Format: "test", Path: "/9", Rule: "UMP-2-4", Err: errors.New("broken")}
		_, err := h.Import(h.Ctx, h.Me(), r, vault.ImportOptions{})
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		if h.Count() != 0 || len(h.Texts(memory.Query{Text: "imported fact"})) != 0 {
			t.Fatalf("after a failed import of %d, %d records are there", n, h.Count())
		}
		vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), n), vault.ImportOptions{}), n, 0)
	}
}

func TestImportUndo(t *testing.T) { onEach(t, testImportUndo) }

func testImportUndo(t *testing.T, open opener) {
	h := open(t)
	const all = vaulttest.Batch + 10
	report := h.MustTake(vaulttest.Drafts(h.Key.DID(), all), vault.ImportOptions{Digest: "d"})
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "imported fact number 7"})
	if err != nil {
		t.Fatal(err)
	}
	h.Must(ump.OpRevise, `{"id":"`+string(hits[0].Record.ID)+`","patch":{"body":{"text":"changed since"}}}`)
	plan, err := h.PlanUndo(h.Ctx, h.Me(), report.Number)
	if err != nil || plan.Remove != all-1 || plan.Changed != 1 || plan.BuiltOn != 0 || len(plan.Stay) != 1 || plan.Stay[0] != hits[0].Record.ID || h.Count() != all+1 {
		t.Fatalf("the plan is %+v, %v", plan, err)
	}
	done, err := h.Undo(h.Ctx, h.Me(), report.Number)
	if err != nil || done.Removed != all-1 || done.Kept != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := h.Count(); got != 2 {
		t.Fatalf("%d records left, want the revised one and its successor", got)
	}
	if _, err := h.Undo(h.Ctx, h.Me(), report.Number); memory.KindOf(err) != memory.NotFound {
		t.Fatalf("undone twice: %v", err)
	}
	for _, number := range []int64{report.Number, 77} {
		if _, err := h.PlanUndo(h.Ctx, h.Me(), number); memory.KindOf(err) != memory.NotFound {
			t.Errorf("a plan for import %d: %v", number, err)
		}
	}
}

// What was forgotten since its import, and what others build on, stays when the import is
// undone.
func TestImportUndoKeeps(t *testing.T) { onEach(t, testImportUndoKeeps) }

func testImportUndoKeeps(t *testing.T, open opener) {
	h := open(t)
	report := h.MustTake(vaulttest.Drafts(h.Key.DID(), 3), vault.ImportOptions{Digest: "d"})
	find := func(n int) memory.ID {
		t.Helper()
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: fmt.Sprint("imported fact number ", n)})
		if err != nil || len(hits) == 0 {
			t.Fatal(err)
		}
		return hits[0].Record.ID
	}
	forgotten, ground := find(1), find(2)
	h.Must(ump.OpForget, `{"id":"`+string(forgotten)+`","reason":"user_revoked"}`)
	built := h.Tell("It follows from that", `"relations":[{"type":"derived_from","target":"`+string(ground)+`"}]`)
	done, err := h.Undo(h.Ctx, h.Me(), report.Number)
	if err != nil || done.Removed != 1 || done.Kept != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, id := range []memory.ID{forgotten, ground, built} {
		h.MustGet(id)
	}
}

func TestImportForgotten(t *testing.T) {
	h := open(t)
	h.MustTake(vaulttest.Drafts(h.Key.DID(), 3), vault.ImportOptions{})
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "imported fact number 1"})
	if err != nil {
		t.Fatal(err)
	}
	h.Must(ump.OpForget, `{"id":"`+string(hits[0].Record.ID)+`","reason":"user_revoked"}`)
	r := h.MustTake(vaulttest.Drafts(h.Key.DID(), 4), vault.ImportOptions{})
	vaulttest.WantCounts(t, r, 1, 2)
	if r.Conflicting != 1 || r.Skipped != 0 || len(r.Conflicts) != 1 || r.Conflicts[0].Some[0].ID != hits[0].Record.ID {
		t.Fatalf("conflicts %d, %v", r.Conflicting, r.Conflicts)
	}
}

// dump exports everything as one UMP document.
func (h *house) dump(q vault.ExportQuery) (string, vault.ExportReport) {
	h.T.Helper()
	var all []string
	report, err := h.Export(h.Ctx, h.Me(), q, func(rec memory.Record) error {
		form, err := ump.Encode(rec)
		all = append(all, string(form))
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return "[" + strings.Join(all, ",") + "]", report
}

func TestExportImport(t *testing.T) { onEach(t, testExportImport) }

func testExportImport(t *testing.T, open opener) {
	h := open(t)
	id := h.Keep(`{"body":{"text":"Works at Acme."},"x-unknown":{"deep":[1.50]}}`).ID
	h.Pass(time.Hour)
	h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"Works at Bolt."}}}`)
	h.Tell("forgotten")
	h.Must(ump.OpForget, `{"id":"`+string(h.Tell("to be forgotten"))+`","reason":"other"}`)
	h.Tell("stays here", `"consent":{"exportable":false}`)
	h.Must(ump.OpRemember, `{"record":{"body":{"text":"carries a token","structured":{"token":"s3cret"}},
		"consent":{"redact":["body.structured.token"]}}}`)

	text, report := h.dump(vault.ExportQuery{})
	t.Run("UMP-1-4 UMP-4.3-8 UMP-2.7-6 what may leave leaves, the rest is counted", func(t *testing.T) {
		if report.Written != 4 || report.Omitted["forgotten"] != 1 || report.Omitted["consent: not exportable"] != 1 {
			t.Fatalf("%+v", report)
		}
	})
	t.Run("UMP-2.7-4 UMP-7-2 UMP-2.7-9 redaction applies to the owner's own file, and the policy travels", func(t *testing.T) {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "body.structured.token") {
			t.Fatal(text)
		}
	})
	t.Run("UMP-4.3-7 twice the same bytes", func(t *testing.T) {
		if again, _ := h.dump(vault.ExportQuery{}); again != text {
			t.Fatal("two exports differ")
		}
	})
	t.Run("UMP-5.1-5 UMP-0-2 another store of the owner takes it in, byte for byte", func(t *testing.T) {
		g := open(t)
		vaulttest.WantCounts(t, g.MustTake(vaulttest.Document(t, text), vault.ImportOptions{}), 4, 0)
		if back, _ := g.dump(vault.ExportQuery{}); back != text {
			t.Fatalf("got\n%s\nwant\n%s", back, text)
		}
		vaulttest.WantTexts(t, g.Texts(memory.Query{Text: "Works at"}), "Works at Acme.")
		g.Now = h.Now
		vaulttest.WantTexts(t, g.Texts(memory.Query{Text: "Works at"}), "Works at Bolt.")
	})
	t.Run("into the same store it changes nothing", func(t *testing.T) {
		vaulttest.WantCounts(t, h.MustTake(vaulttest.Document(t, text), vault.ImportOptions{}), 0, 4)
	})
	t.Run("UMP-2.8-5 one changed letter refuses all of it", func(t *testing.T) {
		g := open(t)
		_, err := g.Import(g.Ctx, g.Me(), vaulttest.Document(t, strings.Replace(text, "Acme", "Acne", 1)), vault.ImportOptions{})
		vaulttest.WantKind(t, err, memory.SignatureInvalid)
		if g.Count() != 0 {
			t.Fatal("something was stored")
		}
	})
	t.Run("a store that has the open form learns that it was closed", func(t *testing.T) {
		g := open(t)
		origin, err := h.Get(h.Ctx, h.Me(), id, memory.OriginView)
		if err != nil {
			t.Fatal(err)
		}
		g.MustTake(vaulttest.Document(t, "["+string(origin.Form())+"]"), vault.ImportOptions{})
		g.MustTake(vaulttest.Document(t, text), vault.ImportOptions{})
		if back, _ := g.dump(vault.ExportQuery{}); back != text {
			t.Fatalf("got\n%s\nwant\n%s", back, text)
		}
	})
	t.Run("UMP-2.7-6 asking for a record that must not leave is refused", func(t *testing.T) {
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "stays here"})
		if err != nil || len(hits) == 0 {
			t.Fatal("the owner's recall must still find it", err)
		}
		_, err = h.Export(h.Ctx, h.Me(), vault.ExportQuery{IDs: []memory.ID{hits[0].Record.ID}}, func(memory.Record) error { return nil })
		vaulttest.WantKind(t, err, memory.ConsentViolation)
	})
}

func TestImportAdopts(t *testing.T) {
	const text = `[{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"Works at Acme."},"scope":{"owner":"alice"},
		"time":{"created":"2026-01-01T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"},"superseded_by":["urn:ump:bbbb"],
		"provenance":{"actor":"alice","actor_kind":"user","method":"said"}},
		{"ump":"0.1","id":"urn:ump:bbbb","kind":"semantic","body":{"text":"Works at Bolt."},"scope":{"owner":"alice"},
		"time":{"created":"2026-02-01T00:00:00Z"},"supersedes":["urn:ump:aaaa"]}]`
	h := open(t)
	if _, err := h.Import(h.Ctx, h.Me(), vaulttest.Document(t, text), vault.ImportOptions{}); err == nil {
		t.Fatal("records of an opaque owner were taken in unasked")
	}
	t.Run("UMP-5.1-4 an opaque owner's records become the owner's, signed, with their history", func(t *testing.T) {
		vaulttest.WantCounts(t, h.MustTake(vaulttest.Document(t, text), vault.ImportOptions{Adopt: "alice"}), 2, 0)
		all, err := h.History(h.Ctx, h.Me(), "urn:ump:bbbb")
		if err != nil || len(all) != 2 || all[0].ID != "urn:ump:aaaa" {
			t.Fatalf("%d versions, %v", len(all), err)
		}
		for _, rec := range all {
			vaulttest.Verified(t, rec)
			if rec.Scope.Owner != h.Key.DID() || rec.Provenance.Actor != string(h.Key.DID()) {
				t.Fatalf("owner %q, actor %q", rec.Scope.Owner, rec.Provenance.Actor)
			}
		}
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "Works at"}), "Works at Bolt.")
		vaulttest.WantCounts(t, h.MustTake(vaulttest.Document(t, text), vault.ImportOptions{Adopt: "alice"}), 0, 2)
	})
}

func TestImportChains(t *testing.T) {
	one := func(id, supersedes string) string {
		return fmt.Sprintf(`{"ump":"0.1","id":"urn:ump:%s","kind":"semantic","body":{"text":"version %[1]s"},
			"scope":{"owner":"alice"},"time":{"created":"2026-01-01T00:00:00Z"},"supersedes":["urn:ump:%[2]s"]}`, id, supersedes)
	}
	for name, text := range map[string]string{
		"newest first":               one("d", "c") + "," + one("c", "b") + "," + one("b", "a"),
		"oldest first":               one("b", "a") + "," + one("c", "b") + "," + one("d", "c"),
		"biting its tail":            one("b", "d") + "," + one("c", "b") + "," + one("d", "c"),
		"superseding itself as well": one("b", "b") + "," + one("c", "b") + "," + one("d", "c"),
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			h.MustTake(vaulttest.Document(t, "["+text+"]"), vault.ImportOptions{Adopt: "alice"})
			for _, id := range []memory.ID{"urn:ump:b", "urn:ump:c", "urn:ump:d"} {
				if all, err := h.History(h.Ctx, h.Me(), id); err != nil || len(all) != 3 {
					t.Fatalf("history of %s has %d versions, %v", id, len(all), err)
				}
			}
		})
	}
}

// everything is all a store holds, seen or not: exports, changes and imports.
func (h *house) everything() string {
	h.T.Helper()
	text, _ := h.dump(vault.ExportQuery{})
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		changes, err := r.Changes(0, 1000)
		if err != nil {
			return err
		}
		n, length, err := r.Size()
		if err != nil {
			return err
		}
		text += fmt.Sprintf("\nchanges %d, documents %d of length %d", len(changes), n, length)
		imports, err := r.Imports()
		for _, i := range imports {
			rows, more := r.Rows(store.Filter{Import: i.Number}, store.Cursor{}, 1000)
			text += fmt.Sprintf("\nimport with %d rows %v", len(rows), more)
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return text
}

func TestFailedImportChangesNothing(t *testing.T) {
	racing.Skip(t)
	onEach(t, testFailedImportChangesNothing)
}

func testFailedImportChangesNothing(t *testing.T, open opener) {
	h := open(t)
	h.Tell("imported fact number 3", `"time":{"created":"2020-01-01T00:00:00Z"}`)
	before := h.everything()
	for _, n := range []int{5, 2*vaulttest.Batch + 11} {
		r := vaulttest.Drafts(h.Key.DID(), n)
		twice := r.Records[4]
		twice.Provenance = &memory.Provenance{Actor: "a", ActorKind: memory.ByUser, Method: "m", Evidence: []memory.Evidence{{Ref: "e"}}}
		evident := r.Records[3]
		evident.Provenance = twice.Provenance
		r.Records = append(r.Records, twice, evident)
		r.Fail = errors.New("the disk is gone")
		_, err := h.Import(h.Ctx, h.Me(), r, vault.ImportOptions{})
		if !errors.Is(err, r.Fail) || !strings.Contains(err.Error(), "the document cannot be read") { // the store did not fail
			t.Fatalf("%v", err)
		}
		after := h.everything()
		if i := strings.Index(after, "\nimport with 0 rows"); i >= 0 {
			after = after[:i]
		}
		if after != before {
			t.Fatalf("after a failed import of %d:\n%s\nwant\n%s", n, after, before)
		}
	}
}

func TestUndoRestoresWhatWasSuperseded(t *testing.T) {
	h := open(t)
	id := h.Tell("Works at Acme.", `"id":"urn:ump:acme"`)
	before, _ := h.dump(vault.ExportQuery{})
	owner := string(h.Key.DID())
	one := func(id, supersedes, text string, day int) string {
		return fmt.Sprintf(`{"ump":"0.1","id":"urn:ump:%s","kind":"semantic","body":{"text":"%s"},"scope":{"owner":"%s"},
			"time":{"created":"2026-07-%02dT00:00:00Z"},"supersedes":["urn:ump:%s"]}`, id, text, owner, day, supersedes)
	}
	report := h.MustTake(vaulttest.Document(t, "["+one("bolt", "acme", "Works at Bolt.", 1)+","+one("cone", "bolt", "Works at Cone.", 2)+"]"), vault.ImportOptions{})
	if h.MustGet(id).Time.ValidTo.IsZero() {
		t.Fatal("the import closed nothing")
	}
	done, err := h.Undo(h.Ctx, h.Me(), report.Number)
	if err != nil || done.Removed != 2 || done.Kept != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if after, _ := h.dump(vault.ExportQuery{}); after != before {
		t.Fatalf("after undo\n%s\nwant\n%s", after, before)
	}
}

func TestStalledImportIsGivenUp(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	stall := func(done int) {
		if done > 256 {
			return
		}
		h.Pass(time.Hour) // the process slept, and another one tidied up
		if n, err := h.Tidy(h.Ctx, h.Key.DID()); n != 1 || err != nil {
			t.Errorf("tidied %d, %v", n, err)
		}
	}
	_, err := h.Import(h.Ctx, h.Me(), vaulttest.Drafts(h.Key.DID(), 1200), vault.ImportOptions{Progress: stall})
	if err == nil || !strings.Contains(err.Error(), "stood still") {
		t.Fatalf("%v", err)
	}
	if n := h.Count(); n != 0 {
		t.Fatalf("%d records are there", n)
	}
	vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), 1200), vault.ImportOptions{}), 1200, 0)
}

func TestUnsignedCopyClosesNothing(t *testing.T) {
	h := open(t)
	id := h.Tell("my cat is called Fog")
	rec := h.MustGet(id)
	rec.Time.ValidTo, rec.SupersededBy = rec.Time.ValidFrom, []memory.ID{"urn:ump:evil"}
	forged, err := ump.Amend(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Import(h.Ctx, h.Me(), vaulttest.Document(t, "["+string(forged.Form())+"]"), vault.ImportOptions{})
	vaulttest.WantKind(t, err, memory.InvalidRecord)
	vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "cat"}), "my cat is called Fog")
}

func TestDryRunAgreesWithTheRealOne(t *testing.T) {
	h := open(t)
	h.Tell("one thing", `"id":"urn:ump:same"`)
	text := `[{"ump":"0.1","id":"urn:ump:same","kind":"semantic","body":{"text":"another"},"scope":{"owner":"` + string(h.Key.DID()) + `"},
		"time":{"created":"2026-01-01T00:00:00Z"}}]`
	for _, dry := range []bool{true, false} {
		_, err := h.Import(h.Ctx, h.Me(), vaulttest.Document(t, text), vault.ImportOptions{DryRun: dry})
		vaulttest.WantKind(t, err, memory.InvalidRecord)
	}
}

func TestImportLeavesOutWhatHasExpired(t *testing.T) {
	h := open(t)
	text := `[{"ump":"0.1","id":"urn:ump:gone","kind":"semantic","body":{"text":"over"},"scope":{"owner":"` + string(h.Key.DID()) + `"},
		"time":{"created":"2026-01-01T00:00:00Z"},"consent":{"retention":"P1D"}}]`
	r := h.MustTake(vaulttest.Document(t, text), vault.ImportOptions{})
	if r.Skipped != 1 || r.Created != 0 || len(r.Skips) != 1 || h.Count() != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestImportIsTheOwners(t *testing.T) {
	h := open(t)
	_, err := h.Import(h.Ctx, h.Agent(), vaulttest.Drafts(h.Key.DID(), 1), vault.ImportOptions{})
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
}

func TestImportOfARedactedExport(t *testing.T) {
	h, g := open(t), open(t)
	h.Tell("carries provenance", `"consent":{"redact":["provenance"]}`)
	text, _ := h.dump(vault.ExportQuery{})
	vaulttest.WantCounts(t, g.MustTake(vaulttest.Document(t, text), vault.ImportOptions{}), 1, 0)
	vaulttest.WantCounts(t, h.MustTake(vaulttest.Document(t, text), vault.ImportOptions{}), 0, 1)
}

func TestImportOfAnEditedNote(t *testing.T) { onEach(t, testImportOfAnEditedNote) }

func testImportOfAnEditedNote(t *testing.T, open opener) {
	h := open(t)
	note := func(text string, at time.Time) *vaulttest.Run {
		r := vaulttest.Drafts(h.Key.DID(), 1)
		r.Records[0].Body.Text, r.Records[0].Time.Created = text, at
		r.Records[0].Provenance.Source.Ref = "memory/use-pnpm.md"
		return r
	}
	vaulttest.WantCounts(t, h.MustTake(note("Use pnpm, never npm.", vaulttest.Start().Add(-time.Hour)), vault.ImportOptions{}), 1, 0)
	vaulttest.WantCounts(t, h.MustTake(note("Use pnpm, never npm or yarn.", vaulttest.Start().Add(-time.Minute)), vault.ImportOptions{}), 1, 0)
	vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "npm"}), "Use pnpm, never npm or yarn.")
	t.Run("and once more changes nothing", func(t *testing.T) {
		vaulttest.WantCounts(t, h.MustTake(note("Use pnpm, never npm or yarn.", vaulttest.Start()), vault.ImportOptions{}), 0, 1)
	})
	t.Run("undone, the older one is in force again", func(t *testing.T) {
		if _, err := h.Undo(h.Ctx, h.Me(), 2); err != nil {
			t.Fatal(err)
		}
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "npm"}), "Use pnpm, never npm.")
	})
	t.Run("what was forgotten is not continued", func(t *testing.T) {
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "npm"})
		if err != nil {
			t.Fatal(err)
		}
		h.Must(ump.OpForget, `{"id":"`+string(hits[0].Record.ID)+`","reason":"other"}`)
		h.MustTake(note("Use bun.", vaulttest.Start()), vault.ImportOptions{})
		if rec := h.MustGet(hits[0].Record.ID); len(rec.SupersededBy) > 0 {
			t.Fatal("the tombstone changed")
		}
	})
}

// A whole document whose undoing was cut off is not taken for whole: it stands as being
// undone, is not imported again meanwhile, and the same call completes the undoing.
func TestImportUndoCutOff(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		o := vault.ImportOptions{Digest: "d"}
		number := h.MustTake(vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10), o).Number
		ctx, cut := context.WithCancel(h.Ctx)
		defer cut()
		if _, err := h.UndoTelling(ctx, h.Me(), number, func(vault.UndoReport) { cut() }); err == nil || h.Count() == 0 {
			t.Fatalf("it was not cut off: %v, %d left", err, h.Count())
		}
		imports, err := h.Imports(h.Ctx, h.Me())
		if err != nil || vault.ImportStatusOf(imports[0], h.Now) != vault.ImportGoingBack {
			t.Errorf("its status is %q, %v", vault.ImportStatusOf(imports[0], h.Now), err)
		}
		_, err = h.Import(h.Ctx, h.Me(), vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10), o)
		vaulttest.WantKind(t, err, memory.Unsupported)
		if plan, err := h.PlanUndo(h.Ctx, h.Me(), number); err != nil || plan.Remove != h.Count() {
			t.Errorf("%+v, %v; %d left", plan, err, h.Count())
		}
		if _, err := h.Undo(h.Ctx, h.Me(), number); err != nil || h.Count() != 0 {
			t.Errorf("%v; %d left", err, h.Count())
		}
		vaulttest.WantCounts(t, h.MustTake(vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10), o), vaulttest.Batch+10, 0)
	})
}
