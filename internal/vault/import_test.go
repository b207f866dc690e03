package vault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// run yields drafts, and fails at the end if told to.
type run struct {
	records []memory.Record
	fail    error
}

// Next returns the next record.
func (r *run) Next() (memory.Record, error) {
	if len(r.records) == 0 {
		if r.fail != nil {
			return memory.Record{}, r.fail
		}
		return memory.Record{}, io.EOF
	}
	rec := r.records[0]
	r.records = r.records[1:]
	return rec, nil
}

// Losses are none.
func (r *run) Losses() []codec.Loss { return nil }

// Close does nothing.
func (r *run) Close() error { return nil }

// drafts is a document of texts.
func drafts(owner memory.DID, n int) *run {
	r := &run{}
	for i := range n {
		r.records = append(r.records, memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("imported fact number %d", i)},
			Scope: memory.Scope{Owner: owner}, Time: memory.Times{Created: start.Add(-time.Duration(i) * time.Hour)},
			Provenance: &memory.Provenance{Actor: string(owner), ActorKind: memory.ByImport, Method: "test",
				Source: &memory.Source{Provider: "elsewhere"}},
		})
	}
	return r
}

// take imports a document as the owner.
func (h *house) take(r codec.Reader, o vault.ImportOptions) vault.ImportReport {
	h.t.Helper()
	report, err := h.Import(h.ctx, h.owner(), r, o)
	if err != nil {
		h.t.Fatal(err)
	}
	return report
}

// wantCounts compares the counts of a report.
func wantCounts(t testing.TB, r vault.ImportReport, created, merged int) {
	t.Helper()
	if r.Created != created || r.Merged != merged {
		t.Fatalf("created %d, merged %d, want %d and %d", r.Created, r.Merged, created, merged)
	}
}

func TestImport(t *testing.T) {
	racing.Skip(t)
	onEach(t, testImport)
}

func testImport(t *testing.T, open opener) {
	for _, n := range []int{0, 1, 255, 256, 257, 700} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			h := open(t)
			wantCounts(t, h.take(drafts(h.key.DID(), n), vault.ImportOptions{DryRun: true}), n, 0)
			if h.count() != 0 {
				t.Fatal("a dry run stored something")
			}
			wantCounts(t, h.take(drafts(h.key.DID(), n), vault.ImportOptions{Digest: "d"}), n, 0)
			if got := h.count(); got != n {
				t.Fatalf("%d records, want %d", got, n)
			}
			if !h.take(drafts(h.key.DID(), n), vault.ImportOptions{Digest: "d"}).Known && n > 0 {
				t.Fatal("the same document is not known again")
			}
			wantCounts(t, h.take(drafts(h.key.DID(), n), vault.ImportOptions{DryRun: true}), 0, n)
			wantCounts(t, h.take(drafts(h.key.DID(), n), vault.ImportOptions{Digest: "other"}), 0, n)
		})
	}
}

func TestImportFails(t *testing.T) {
	racing.Skip(t)
	for _, n := range []int{1, 256, 600} {
		h := open(t)
		r := drafts(h.key.DID(), n)
		r.fail = &codec.ParseError{Format: "test", Path: "/9", Rule: "UMP-2-4", Err: errors.New("broken")}
		_, err := h.Import(h.ctx, h.owner(), r, vault.ImportOptions{})
		wantKind(t, err, memory.InvalidRecord)
		if h.count() != 0 || len(h.texts(memory.Query{Text: "imported fact"})) != 0 {
			t.Fatalf("after a failed import of %d, %d records are there", n, h.count())
		}
		wantCounts(t, h.take(drafts(h.key.DID(), n), vault.ImportOptions{}), n, 0)
	}
}

func TestImportUndo(t *testing.T) { onEach(t, testImportUndo) }

func testImportUndo(t *testing.T, open opener) {
	h := open(t)
	report := h.take(drafts(h.key.DID(), 300), vault.ImportOptions{Digest: "d"})
	hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: "imported fact number 7"})
	if err != nil {
		t.Fatal(err)
	}
	h.must(ump.OpRevise, `{"id":"`+string(hits[0].Record.ID)+`","patch":{"body":{"text":"changed since"}}}`)
	done, err := h.Undo(h.ctx, h.owner(), report.Number)
	if err != nil || done.Removed != 299 || done.Kept != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := h.count(); got != 2 {
		t.Fatalf("%d records left, want the revised one and its successor", got)
	}
	if _, err := h.Undo(h.ctx, h.owner(), report.Number); memory.KindOf(err) != memory.NotFound {
		t.Fatalf("undone twice: %v", err)
	}
}

func TestImportForgotten(t *testing.T) {
	h := open(t)
	h.take(drafts(h.key.DID(), 3), vault.ImportOptions{})
	hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: "imported fact number 1"})
	if err != nil {
		t.Fatal(err)
	}
	h.must(ump.OpForget, `{"id":"`+string(hits[0].Record.ID)+`","reason":"user_revoked"}`)
	r := h.take(drafts(h.key.DID(), 4), vault.ImportOptions{})
	wantCounts(t, r, 1, 2)
	if r.Conflicting != 1 || r.Skipped != 0 || len(r.Conflicts) != 1 || r.Conflicts[0].Some[0].ID != hits[0].Record.ID {
		t.Fatalf("conflicts %d, %v", r.Conflicting, r.Conflicts)
	}
}

// dump exports everything as one UMP document.
func (h *house) dump(q vault.ExportQuery) (string, vault.ExportReport) {
	h.t.Helper()
	var all []string
	report, err := h.Export(h.ctx, h.owner(), q, func(rec memory.Record) error {
		form, err := ump.Encode(rec)
		all = append(all, string(form))
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return "[" + strings.Join(all, ",") + "]", report
}

func TestExportImport(t *testing.T) { onEach(t, testExportImport) }

func testExportImport(t *testing.T, open opener) {
	h := open(t)
	id := h.keep(`{"body":{"text":"Works at Acme."},"x-unknown":{"deep":[1.50]}}`).ID
	h.pass(time.Hour)
	h.must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"Works at Bolt."}}}`)
	h.tell("forgotten")
	h.must(ump.OpForget, `{"id":"`+string(h.tell("to be forgotten"))+`","reason":"other"}`)
	h.tell("stays here", `"consent":{"exportable":false}`)
	h.must(ump.OpRemember, `{"record":{"body":{"text":"carries a token","structured":{"token":"s3cret"}},
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
		wantCounts(t, g.take(document(t, text), vault.ImportOptions{}), 4, 0)
		if back, _ := g.dump(vault.ExportQuery{}); back != text {
			t.Fatalf("got\n%s\nwant\n%s", back, text)
		}
		wantTexts(t, g.texts(memory.Query{Text: "Works at"}), "Works at Acme.")
		g.now = h.now
		wantTexts(t, g.texts(memory.Query{Text: "Works at"}), "Works at Bolt.")
	})
	t.Run("into the same store it changes nothing", func(t *testing.T) {
		wantCounts(t, h.take(document(t, text), vault.ImportOptions{}), 0, 4)
	})
	t.Run("UMP-2.8-5 one changed letter refuses all of it", func(t *testing.T) {
		g := open(t)
		_, err := g.Import(g.ctx, g.owner(), document(t, strings.Replace(text, "Acme", "Acne", 1)), vault.ImportOptions{})
		wantKind(t, err, memory.SignatureInvalid)
		if g.count() != 0 {
			t.Fatal("something was stored")
		}
	})
	t.Run("a store that has the open form learns that it was closed", func(t *testing.T) {
		g := open(t)
		origin, err := h.Get(h.ctx, h.owner(), id, memory.OriginView)
		if err != nil {
			t.Fatal(err)
		}
		g.take(document(t, "["+string(origin.Form())+"]"), vault.ImportOptions{})
		g.take(document(t, text), vault.ImportOptions{})
		if back, _ := g.dump(vault.ExportQuery{}); back != text {
			t.Fatalf("got\n%s\nwant\n%s", back, text)
		}
	})
	t.Run("UMP-2.7-6 asking for a record that must not leave is refused", func(t *testing.T) {
		hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: "stays here"})
		if err != nil || len(hits) == 0 {
			t.Fatal("the owner's recall must still find it", err)
		}
		_, err = h.Export(h.ctx, h.owner(), vault.ExportQuery{IDs: []memory.ID{hits[0].Record.ID}}, func(memory.Record) error { return nil })
		wantKind(t, err, memory.ConsentViolation)
	})
}

func TestImportAdopts(t *testing.T) {
	const text = `[{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"Works at Acme."},"scope":{"owner":"alice"},
		"time":{"created":"2026-01-01T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"},"superseded_by":["urn:ump:bbbb"],
		"provenance":{"actor":"alice","actor_kind":"user","method":"said"}},
		{"ump":"0.1","id":"urn:ump:bbbb","kind":"semantic","body":{"text":"Works at Bolt."},"scope":{"owner":"alice"},
		"time":{"created":"2026-02-01T00:00:00Z"},"supersedes":["urn:ump:aaaa"]}]`
	h := open(t)
	if _, err := h.Import(h.ctx, h.owner(), document(t, text), vault.ImportOptions{}); err == nil {
		t.Fatal("records of an opaque owner were taken in unasked")
	}
	t.Run("UMP-5.1-4 an opaque owner's records become the owner's, signed, with their history", func(t *testing.T) {
		wantCounts(t, h.take(document(t, text), vault.ImportOptions{Adopt: "alice"}), 2, 0)
		all, err := h.History(h.ctx, h.owner(), "urn:ump:bbbb")
		if err != nil || len(all) != 2 || all[0].ID != "urn:ump:aaaa" {
			t.Fatalf("%d versions, %v", len(all), err)
		}
		for _, rec := range all {
			verified(t, rec)
			if rec.Scope.Owner != h.key.DID() || rec.Provenance.Actor != string(h.key.DID()) {
				t.Fatalf("owner %q, actor %q", rec.Scope.Owner, rec.Provenance.Actor)
			}
		}
		wantTexts(t, h.texts(memory.Query{Text: "Works at"}), "Works at Bolt.")
		wantCounts(t, h.take(document(t, text), vault.ImportOptions{Adopt: "alice"}), 0, 2)
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
			h.take(document(t, "["+text+"]"), vault.ImportOptions{Adopt: "alice"})
			for _, id := range []memory.ID{"urn:ump:b", "urn:ump:c", "urn:ump:d"} {
				if all, err := h.History(h.ctx, h.owner(), id); err != nil || len(all) != 3 {
					t.Fatalf("history of %s has %d versions, %v", id, len(all), err)
				}
			}
		})
	}
}

// everything is all a store holds, seen or not: exports, changes and imports.
func (h *house) everything() string {
	h.t.Helper()
	text, _ := h.dump(vault.ExportQuery{})
	err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
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
		h.t.Fatal(err)
	}
	return text
}

func TestFailedImportChangesNothing(t *testing.T) {
	racing.Skip(t)
	onEach(t, testFailedImportChangesNothing)
}

func testFailedImportChangesNothing(t *testing.T, open opener) {
	h := open(t)
	h.tell("imported fact number 3", `"time":{"created":"2020-01-01T00:00:00Z"}`)
	before := h.everything()
	for _, n := range []int{5, 600} {
		r := drafts(h.key.DID(), n)
		twice := r.records[4]
		twice.Provenance = &memory.Provenance{Actor: "a", ActorKind: memory.ByUser, Method: "m", Evidence: []memory.Evidence{{Ref: "e"}}}
		evident := r.records[3]
		evident.Provenance = twice.Provenance
		r.records = append(r.records, twice, evident)
		r.fail = errors.New("the disk is gone")
		_, err := h.Import(h.ctx, h.owner(), r, vault.ImportOptions{})
		if !errors.Is(err, r.fail) || !strings.Contains(err.Error(), "the document cannot be read") { // the store did not fail
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
	id := h.tell("Works at Acme.", `"id":"urn:ump:acme"`)
	before, _ := h.dump(vault.ExportQuery{})
	owner := string(h.key.DID())
	one := func(id, supersedes, text string, day int) string {
		return fmt.Sprintf(`{"ump":"0.1","id":"urn:ump:%s","kind":"semantic","body":{"text":"%s"},"scope":{"owner":"%s"},
			"time":{"created":"2026-07-%02dT00:00:00Z"},"supersedes":["urn:ump:%s"]}`, id, text, owner, day, supersedes)
	}
	report := h.take(document(t, "["+one("bolt", "acme", "Works at Bolt.", 1)+","+one("cone", "bolt", "Works at Cone.", 2)+"]"), vault.ImportOptions{})
	if h.get(id).Time.ValidTo.IsZero() {
		t.Fatal("the import closed nothing")
	}
	done, err := h.Undo(h.ctx, h.owner(), report.Number)
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
		h.pass(time.Hour) // the process slept, and another one tidied up
		if n, err := h.Tidy(h.ctx, h.key.DID()); n != 1 || err != nil {
			t.Errorf("tidied %d, %v", n, err)
		}
	}
	_, err := h.Import(h.ctx, h.owner(), drafts(h.key.DID(), 1200), vault.ImportOptions{Progress: stall})
	if err == nil || !strings.Contains(err.Error(), "stood still") {
		t.Fatalf("%v", err)
	}
	if n := h.count(); n != 0 {
		t.Fatalf("%d records are there", n)
	}
	wantCounts(t, h.take(drafts(h.key.DID(), 1200), vault.ImportOptions{}), 1200, 0)
}

func TestUnsignedCopyClosesNothing(t *testing.T) {
	h := open(t)
	id := h.tell("my cat is called Fog")
	rec := h.get(id)
	rec.Time.ValidTo, rec.SupersededBy = rec.Time.ValidFrom, []memory.ID{"urn:ump:evil"}
	forged, err := ump.Amend(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Import(h.ctx, h.owner(), document(t, "["+string(forged.Form())+"]"), vault.ImportOptions{})
	wantKind(t, err, memory.InvalidRecord)
	wantTexts(t, h.texts(memory.Query{Text: "cat"}), "my cat is called Fog")
}

func TestDryRunAgreesWithTheRealOne(t *testing.T) {
	h := open(t)
	h.tell("one thing", `"id":"urn:ump:same"`)
	text := `[{"ump":"0.1","id":"urn:ump:same","kind":"semantic","body":{"text":"another"},"scope":{"owner":"` + string(h.key.DID()) + `"},
		"time":{"created":"2026-01-01T00:00:00Z"}}]`
	for _, dry := range []bool{true, false} {
		_, err := h.Import(h.ctx, h.owner(), document(t, text), vault.ImportOptions{DryRun: dry})
		wantKind(t, err, memory.InvalidRecord)
	}
}

func TestImportLeavesOutWhatHasExpired(t *testing.T) {
	h := open(t)
	text := `[{"ump":"0.1","id":"urn:ump:gone","kind":"semantic","body":{"text":"over"},"scope":{"owner":"` + string(h.key.DID()) + `"},
		"time":{"created":"2026-01-01T00:00:00Z"},"consent":{"retention":"P1D"}}]`
	r := h.take(document(t, text), vault.ImportOptions{})
	if r.Skipped != 1 || r.Created != 0 || len(r.Skips) != 1 || h.count() != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestImportIsTheOwners(t *testing.T) {
	h := open(t)
	_, err := h.Import(h.ctx, h.agent(), drafts(h.key.DID(), 1), vault.ImportOptions{})
	wantKind(t, err, memory.ForbiddenScope)
}

func TestImportOfARedactedExport(t *testing.T) {
	h, g := open(t), open(t)
	h.tell("carries provenance", `"consent":{"redact":["provenance"]}`)
	text, _ := h.dump(vault.ExportQuery{})
	wantCounts(t, g.take(document(t, text), vault.ImportOptions{}), 1, 0)
	wantCounts(t, h.take(document(t, text), vault.ImportOptions{}), 0, 1)
}

func TestImportOfAnEditedNote(t *testing.T) { onEach(t, testImportOfAnEditedNote) }

func testImportOfAnEditedNote(t *testing.T, open opener) {
	h := open(t)
	note := func(text string, at time.Time) *run {
		r := drafts(h.key.DID(), 1)
		r.records[0].Body.Text, r.records[0].Time.Created = text, at
		r.records[0].Provenance.Source.Ref = "memory/use-pnpm.md"
		return r
	}
	wantCounts(t, h.take(note("Use pnpm, never npm.", start.Add(-time.Hour)), vault.ImportOptions{}), 1, 0)
	wantCounts(t, h.take(note("Use pnpm, never npm or yarn.", start.Add(-time.Minute)), vault.ImportOptions{}), 1, 0)
	wantTexts(t, h.texts(memory.Query{Text: "npm"}), "Use pnpm, never npm or yarn.")
	t.Run("and once more changes nothing", func(t *testing.T) {
		wantCounts(t, h.take(note("Use pnpm, never npm or yarn.", start), vault.ImportOptions{}), 0, 1)
	})
	t.Run("undone, the older one is in force again", func(t *testing.T) {
		if _, err := h.Undo(h.ctx, h.owner(), 2); err != nil {
			t.Fatal(err)
		}
		wantTexts(t, h.texts(memory.Query{Text: "npm"}), "Use pnpm, never npm.")
	})
	t.Run("what was forgotten is not continued", func(t *testing.T) {
		hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: "npm"})
		if err != nil {
			t.Fatal(err)
		}
		h.must(ump.OpForget, `{"id":"`+string(hits[0].Record.ID)+`","reason":"other"}`)
		h.take(note("Use bun.", start), vault.ImportOptions{})
		if rec := h.get(hits[0].Record.ID); len(rec.SupersededBy) > 0 {
			t.Fatal("the tombstone changed")
		}
	})
}
