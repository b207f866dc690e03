package vault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// sealedBy is a draft in JSON as its owner signs it, in whatever edition it names.
func sealedBy(t testing.TB, key keys.Private, visibility memory.Visibility, text string, change ...func(*memory.Record)) memory.Record {
	t.Helper()
	r := memory.Record{
		Version: "0.1", Kind: memory.Semantic, Body: memory.Body{Text: text},
		Scope:      memory.Scope{Owner: key.DID(), Visibility: visibility},
		Time:       memory.Times{Created: vaulttest.Start(), Observed: vaulttest.Start(), ValidFrom: vaulttest.Start()},
		Provenance: &memory.Provenance{Actor: string(key.DID()), ActorKind: memory.ByUser, Method: "said"},
	}
	for _, c := range change {
		c(&r)
	}
	r, err := ump.Author(r, &key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// listed is a file of records.
func listed(recs ...memory.Record) string {
	forms := make([]string, len(recs))
	for i, rec := range recs {
		forms[i] = string(rec.Form())
	}
	return "[" + strings.Join(forms, ",") + "]"
}

func (h *house) importText(text string, o vault.ImportOptions) (vault.ImportReport, error) {
	h.T.Helper()
	if o.Format == "" {
		o.Format = "ump"
	}
	return h.Import(h.Ctx, h.Me(), vaulttest.Document(h.T, text), o)
}

// exported lists the texts that leave, and what stays behind.
func (h *house) exported(c memory.Caller, q vault.ExportQuery) (texts []string, omitted map[string]int) {
	h.T.Helper()
	report, err := h.Export(h.Ctx, c, q, func(rec memory.Record) error {
		texts = append(texts, rec.Body.Text)
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return texts, report.Omitted
}

func TestForeignRecord(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		mira := vaulttest.Seeded(t, 21)
		shared := sealedBy(t, mira, memory.Shared, "Mira's team deploys the kestrel service on Fridays")
		public := sealedBy(t, mira, memory.Public, "The kestrel repository builds with make")
		own := h.Tell("The kestrel project is ours since May")
		report, err := h.importText(listed(shared, public), vault.ImportOptions{Adopt: mira.DID()})
		if err != nil || report.Created != 2 || report.Foreign != 2 {
			t.Fatalf("import: %+v, %v; want two records that stay Mira's", report, err)
		}

		t.Run("UMP-2.8-3 kept as its owner signed it", func(t *testing.T) {
			rec := h.MustGet(shared.ID)
			if string(rec.Form()) != string(shared.Form()) || rec.Scope.Owner != mira.DID() {
				t.Errorf("stored as %s, want %s", rec.Form(), shared.Form())
			}
			vaulttest.Verified(t, rec)
			if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
				t.Errorf("doctor finds %q, %v", findings, err)
			}
		})
		t.Run("UMP-3.2-1 found beside one's own, unless one's own is asked for", func(t *testing.T) {
			vaulttest.WantSet(t, h.TextsFor(h.Agent(), memory.Query{Text: "kestrel"}), shared.Body.Text, public.Body.Text, "The kestrel project is ours since May")
			vaulttest.WantSet(t, h.Texts(memory.Query{Text: "kestrel", Scope: memory.Scope{Owner: h.Key.DID()}}), "The kestrel project is ours since May")
			framed, err := h.Rehydrate(h.Ctx, h.Agent(), memory.Query{Text: "kestrel"})
			if err != nil || len(framed.Injected) != 3 || !strings.Contains(framed.Text, string(mira.DID())) {
				t.Errorf("framed %v and dropped %v, %v; want all three, with their owners", framed.Injected, framed.Dropped, err)
			}
			if brief, err := h.Brief(h.Ctx, h.Agent(), vault.BriefQuery{}); err != nil || strings.Contains(brief.Text, "Fridays") {
				t.Errorf("the brief tells of the owner %q, %v", brief.Text, err)
			}
		})
		t.Run("UMP-2.2-4 nobody else learns of it here", func(t *testing.T) {
			for name, c := range map[string]memory.Caller{"peer": h.Peer(), "stranger": {Owner: h.Key.DID()}} {
				vaulttest.WantSet(t, h.TextsFor(c, memory.Query{Text: "kestrel"}))
				_, err := h.Get(h.Ctx, c, public.ID, memory.CurrentView)
				if memory.KindOf(err) != memory.NotFound {
					t.Errorf("a %s gets it: %v", name, err)
				}
			}
		})
		t.Run("UMP-3.5-1 not revisable", func(t *testing.T) {
			_, err := h.Revise(h.Ctx, h.Me(), memory.Revision{ID: shared.ID, Patch: []byte(`{"body":{"text":"on Mondays"}}`)})
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			if !strings.Contains(err.Error(), "another owner") {
				t.Errorf("the refusal says %q, not why", err)
			}
		})
		t.Run("UMP-2.7-6 leaves as its own terms allow", func(t *testing.T) {
			texts, _ := h.exported(h.Me(), vault.ExportQuery{Verbatim: true})
			vaulttest.WantSet(t, texts, shared.Body.Text, public.Body.Text, "The kestrel project is ours since May")
			texts, omitted := h.exported(h.Me(), vault.ExportQuery{})
			if vaulttest.WantSet(t, texts, "The kestrel project is ours since May"); omitted["another owner's"] != 2 {
				t.Errorf("left out %v, want two of another owner", omitted)
			}
			texts, omitted = h.exported(h.Me(), vault.ExportQuery{Verbatim: true, ToPeer: true})
			if vaulttest.WantSet(t, texts, public.Body.Text); len(omitted) != 2 {
				t.Errorf("left out %v, want the shared one and the private one", omitted)
			}
		})
		t.Run("AIMEM-2.8-1 ENGRAM-3.7-20 no belief and no chunk of this owner's", func(t *testing.T) {
			for name, text := range h.Everywhere() {
				if !strings.Contains(name, "UMP") && strings.Contains(text, "Fridays") {
					t.Errorf("%s gives another owner's record as this owner's:\n%s", name, text)
				}
			}
			if left := h.Left(aimem.Export{}); left.Omitted["another owner's"] != 2 {
				t.Errorf("the bundle leaves out %v, want two of another owner", left.Omitted)
			}
		})
		t.Run("UMP-3.3-9 known again", func(t *testing.T) {
			again, err := h.importText(listed(public, shared), vault.ImportOptions{})
			if err != nil || again.Created != 0 || again.Merged != 2 {
				t.Errorf("imported again: %+v, %v; want nothing new", again, err)
			}
		})
		t.Run("UMP-3.6-1 forgotten here", func(t *testing.T) {
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: shared.ID, Reason: "outdated"}); err != nil {
				t.Fatal(err)
			}
			vaulttest.WantSet(t, h.Texts(memory.Query{Text: "kestrel"}), public.Body.Text, "The kestrel project is ours since May")
			if rec := h.MustGet(shared.ID); rec.Lifecycle.Status != memory.Tombstoned || rec.Integrity != nil {
				t.Errorf("status %s, integrity %v; want an unsigned tombstone", rec.Lifecycle.Status, rec.Integrity)
			}
			rec, err := h.Get(h.Ctx, h.Me(), shared.ID, memory.OriginView)
			if err != nil || string(rec.Form()) != string(shared.Form()) {
				t.Errorf("UMP-2-26 what its owner signed is %s, %v", rec.Form(), err)
			}
			events, _, err := h.Changes(h.Ctx, h.Me(), memory.Subscription{})
			last := memory.Event{}
			for _, e := range events {
				if e.ID == shared.ID {
					last = e
				}
			}
			if err != nil || last.Type != memory.WasTombstoned || last.Record != nil {
				t.Errorf("UMP-2-26 the feed tells %+v, %v; want no record in another owner's name", last, err)
			}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: public.ID, Reason: "other", Hard: true}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Get(h.Ctx, h.Me(), public.ID, memory.CurrentView); memory.KindOf(err) != memory.NotFound {
				t.Errorf("get after erasing: %v", err)
			}
			again, err := h.importText(listed(public), vault.ImportOptions{})
			if err != nil || again.Created != 0 || again.Conflicting != 1 {
				t.Errorf("what was erased came back: %+v, %v", again, err)
			}
			if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
				t.Errorf("doctor finds %q, %v", findings, err)
			}
		})
		if rec := h.MustGet(own); len(rec.SupersededBy) > 0 || !rec.Time.ValidTo.IsZero() {
			t.Errorf("the owner's own record was changed: %s", rec.Form())
		}
	})
}

// A record of another owner ends nothing of this one's, and is ended by the later one
// of its own owner's.
func TestForeignSuccession(t *testing.T) {
	h := open(t)
	mira := vaulttest.Seeded(t, 21)
	h.More = append(h.More, mira) // who lives here, too: her key would sign
	own := h.Tell("The kestrel project is ours")
	first := sealedBy(t, mira, memory.Shared, "kestrel deploys on Fridays", func(r *memory.Record) { r.Supersedes = []memory.ID{own} })
	later := sealedBy(t, mira, memory.Shared, "kestrel deploys on Mondays", func(r *memory.Record) { r.Supersedes = []memory.ID{first.ID} })
	if _, err := h.importText(listed(first, later), vault.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	h.Pass(1)
	vaulttest.WantSet(t, h.Texts(memory.Query{Text: "kestrel"}), "The kestrel project is ours", later.Body.Text)
	if rec := h.MustGet(own); len(rec.SupersededBy) > 0 {
		t.Errorf("UMP-3.5-1 another owner's record ended %s", rec.Form())
	}
	if rec := h.MustGet(first.ID); rec.Integrity != nil || len(rec.SupersededBy) != 1 {
		t.Errorf("UMP-2.8-3 the ended form is %s; want one that nobody signed", rec.Form())
	}
	if versions, err := h.History(h.Ctx, h.Me(), own); err != nil || len(versions) != 1 {
		t.Errorf("the history of the owner's record has %d versions, %v", len(versions), err)
	}
	if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
		t.Errorf("doctor finds %q, %v", findings, err)
	}
}

func TestForeignRefused(t *testing.T) {
	h := open(t)
	mira := vaulttest.Seeded(t, 21)
	private := sealedBy(t, mira, memory.Private, "kestrel is a secret")
	forged := sealedBy(t, mira, memory.Shared, "kestrel deploys on Fridays")
	unsigned := sealedBy(t, mira, memory.Shared, "kestrel deploys on Sundays")
	for name, c := range map[string]struct {
		doc  string
		kind memory.ErrorKind
	}{
		"UMP-3.3-10 private":           {listed(private), memory.ForbiddenScope},
		"UMP-2.8-1 changed":            {strings.Replace(listed(forged), "Fridays", "Mondays", 1), memory.SignatureInvalid},
		"UMP-3.3-10 without signature": {listed(must(ump.Amend(changed(unsigned), nil))), memory.ForbiddenScope},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.importText(c.doc, vault.ImportOptions{})
			vaulttest.WantKind(t, err, c.kind)
			if n := h.Count(); n != 0 {
				t.Errorf("%d records were stored", n)
			}
		})
	}
	t.Run("UMP-3.3-10 by remember", func(t *testing.T) {
		_, err := h.Remember(h.Ctx, h.Me(), memory.Draft{Record: forged, Complete: true})
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
}

func changed(rec memory.Record) memory.Record {
	rec.Body.Text += "!"
	return rec
}

func must(rec memory.Record, err error) memory.Record {
	if err != nil {
		panic(err)
	}
	return rec
}

func TestForeignID(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		own := sealedBy(t, h.Key, memory.Shared, "The harbour opens at six")
		other := sealedBy(t, h.Key, memory.Shared, "The harbour closes at nine")
		theirs := sealedBy(t, vaulttest.Seeded(t, 21), memory.Shared, "The harbour never opens", func(r *memory.Record) { r.ID = own.ID })
		if _, err := h.importText(listed(theirs), vault.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Run("UMP-3.3-11 another owner's record does not keep the owner's out", func(t *testing.T) {
			report, err := h.importText(listed(own, other), vault.ImportOptions{})
			if err != nil || report.Created != 2 || report.Displaced != 1 || report.Conflicting != 0 {
				t.Fatalf("import: %+v, %v; want two new records, of which one takes its id back", report, err)
			}
			if rec := h.MustGet(own.ID); string(rec.Form()) != string(own.Form()) {
				t.Errorf("%s is %s", own.ID, rec.Form())
			}
			vaulttest.WantSet(t, h.Texts(memory.Query{Text: "harbour"}), own.Body.Text, other.Body.Text)
			if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
				t.Errorf("doctor finds %q, %v", findings, err)
			}
		})
		t.Run("nor does one that was forgotten", func(t *testing.T) {
			mine := sealedBy(t, h.Key, memory.Shared, "The quay is long")
			held := sealedBy(t, vaulttest.Seeded(t, 21), memory.Shared, "The quay is short", func(r *memory.Record) { r.ID = mine.ID })
			if _, err := h.importText(listed(held), vault.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: mine.ID, Reason: "outdated"}); err != nil {
				t.Fatal(err)
			}
			if report, err := h.importText(listed(mine), vault.ImportOptions{}); err != nil || report.Displaced != 1 || h.MustGet(mine.ID).Body.Text != mine.Body.Text {
				t.Fatalf("import: %+v, %v", report, err)
			}
		})
		t.Run("nor does it take the place of the owner's", func(t *testing.T) {
			report, err := h.importText(listed(theirs), vault.ImportOptions{})
			if err != nil || report.Conflicting != 1 || h.MustGet(own.ID).Body.Text != own.Body.Text {
				t.Fatalf("import: %+v, %v", report, err)
			}
		})
	})
}

// What others shared comes after what the owner says as well.
func TestForeignRank(t *testing.T) {
	h := open(t)
	h.Tell("The lighthouse is white")
	h.Pass(90 * 24 * time.Hour)
	theirs := sealedBy(t, vaulttest.Seeded(t, 21), memory.Shared, "The lighthouse is white", func(r *memory.Record) {
		r.Time = memory.Times{Created: h.Now, Observed: h.Now, ValidFrom: h.Now}
	})
	if _, err := h.importText(listed(theirs), vault.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "Is the lighthouse white?"})
	if err != nil || len(hits) != 2 || hits[0].Record.Scope.Owner != h.Key.DID() {
		t.Errorf("%+v, %v; want the owner's first", hits, err)
	}
}

// However many records there are, those of other owners do not count in a brief.
func TestForeignCount(t *testing.T) {
	h := open(t)
	theirs := sealedBy(t, vaulttest.Seeded(t, 21), memory.Shared, "The mill stands still", func(r *memory.Record) {
		r.Scope.Project, r.Time.Created = "mill", vaulttest.Start().AddDate(-1, 0, 0)
	})
	forms := []memory.Record{theirs}
	for i := range 2001 {
		forms = append(forms, sealedBy(t, h.Key, memory.Private, fmt.Sprintf("The quay has bollard %d", i), func(r *memory.Record) { r.Scope.Project = "quay" }))
	}
	if _, err := h.importText(listed(forms...), vault.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	brief, err := h.Brief(h.Ctx, h.Me(), vault.BriefQuery{})
	if err != nil || len(brief.Elsewhere) != 1 || brief.Elsewhere[0].Records != 2001 {
		t.Errorf("%+v, %v; want the project quay alone", brief.Elsewhere, err)
	}
}
