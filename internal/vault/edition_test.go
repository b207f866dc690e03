package vault_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/edition"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// goOver lets the memory speak 1.0.
func (h *house) goOver() edition.Report {
	h.T.Helper()
	report, err := h.SetEdition(h.Ctx, h.Me(), ump.LaterEdition, nil)
	if err != nil {
		h.T.Fatalf("go over to 1.0: %v", err)
	}
	return report
}

// spoken makes sure that the memory speaks an edition, and that every form of its
// owner's that it shows does.
func (h *house) spoken(edition string) {
	h.T.Helper()
	caps, err := h.Capabilities(h.Ctx, h.Me())
	if err != nil || caps.UMP != edition {
		h.T.Errorf("capabilities.ump is %q, %v; want %q", caps.UMP, err, edition)
	}
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Limit: 1000,
		Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, rec := range page.Records {
		if rec.Scope.Owner != h.Key.DID() {
			continue
		}
		rec = h.MustGet(rec.ID)
		if rec.Version != edition || !strings.Contains(string(rec.Form()), `"ump":"`+edition+`"`) {
			h.T.Errorf("%s is shown as %s, want edition %s", rec.ID, rec.Form(), edition)
		}
		vaulttest.Verified(h.T, rec)
	}
	if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
		h.T.Errorf("doctor finds %q, %v", findings, err)
	}
}

func TestEdition(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		l := vaulttest.Lived(t, open.suite())
		h := &house{l.House}
		mira := vaulttest.Seeded(t, 21)
		old := sealedBy(t, mira, memory.Public, "Mira signed this as 0.1")
		young := sealedBy(t, mira, memory.Public, "Mira signed this as 1.0", func(r *memory.Record) { r.Version = "1.0" })
		if _, err := h.importText(listed(old, young), vault.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		h.spoken("0.1")
		before := h.Count()
		origin := h.MustGet(l.First)
		head, err := h.Head(h.Ctx, h.Me())
		if err != nil {
			t.Fatal(err)
		}
		report := h.goOver()
		if report.From != "0.1" || report.To != "1.0" || report.Signed == 0 || report.Foreign != 2 || report.Damaged != 0 {
			t.Errorf("the report is %+v", report)
		}

		t.Run("UMP1-0-1 every record of the owner's is shown as 1.0", func(t *testing.T) {
			if h.T = t; h.Count() != before {
				t.Errorf("%d records, %d before", h.Count(), before)
			}
			h.spoken("1.0")
		})
		t.Run("UMP1-0-3 the first form is evidence, for the owner", func(t *testing.T) {
			rec, err := h.Get(h.Ctx, h.Me(), l.First, memory.OriginView)
			if err != nil || string(rec.Form()) != string(origin.Origin) || rec.Version != "0.1" {
				t.Errorf("the origin is %s, %v; want %s", rec.Form(), err, origin.Origin)
			}
			vaulttest.Verified(t, rec)
			rec, err = h.Get(h.Ctx, h.Peer(), l.Public, memory.OriginView)
			if err == nil && rec.Version != "1.0" {
				t.Errorf("a peer gets %s", rec.Form())
			}
		})
		t.Run("UMP1-0-5 born as 1.0, revised as 1.0", func(t *testing.T) {
			h.T = t
			id := h.Tell("said in 1.0", `"ump":"0.1"`)
			if rec := h.MustGet(id); rec.Version != "1.0" || rec.Current != nil {
				t.Errorf("born as %s", rec.Form())
			}
			next := memory.ID(h.Must(ump.OpRevise, `{"id":"`+string(l.Second)+`","patch":{"body":{"text":"the meeting is on Friday"}}}`)["id"].(string))
			if rec := h.MustGet(next); rec.Version != "1.0" || rec.Current != nil {
				t.Errorf("revised as %s", rec.Form())
			}
		})
		t.Run("UMP1-0-3 one's own signed 0.1 record is normalised", func(t *testing.T) {
			h.T = t
			own := sealedBy(t, h.Key, memory.Private, "signed elsewhere as 0.1")
			if _, err := h.importText(listed(own), vault.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
			rec := h.MustGet(own.ID)
			if rec.Version != "1.0" || string(rec.Origin) != string(own.Origin) || rec.Current == nil {
				t.Errorf("kept as %s, of %s", rec.Form(), rec.Origin)
			}
			again, err := h.importText(listed(own)+"\n", vault.ImportOptions{})
			if err != nil || again.Created != 0 || again.Merged != 1 {
				t.Errorf("imported again: %+v, %v", again, err)
			}
		})
		t.Run("UMP1-0-2 another owner's 0.1 record stays, is shown as that, and does not leave", func(t *testing.T) {
			if rec := h.MustGet(old.ID); string(rec.Form()) != string(old.Form()) {
				t.Errorf("kept as %s", rec.Form())
			}
			var left []string
			out, err := h.Export(h.Ctx, h.Me(), vault.ExportQuery{Verbatim: true}, func(rec memory.Record) error {
				left = append(left, rec.Version)
				return nil
			})
			if err != nil || slices.Contains(left, "0.1") || !slices.Contains(left, "1.0") {
				t.Errorf("left in editions %q, %v", left, err)
			}
			if len(out.Losses) != 1 || out.Losses[0].ID != old.ID {
				t.Errorf("left out are %v, want %s", out.Losses, old.ID)
			}
		})
		t.Run("UMP-3.8-5 the feed tells of nothing", func(t *testing.T) {
			events, _, err := h.Changes(h.Ctx, h.Me(), memory.Subscription{After: head})
			for _, e := range events {
				if e.ID == l.First || e.ID == l.Public {
					t.Errorf("the feed tells that %s was %s, %v", e.ID, e.Type, err)
				}
			}
		})
		t.Run("UMP1-0-6 an unknown major version is refused", func(t *testing.T) {
			_, err := h.Call(ump.OpRemember, h.Me(), `{"record":{"ump":"2.0","body":{"text":"from later on"}}}`)
			vaulttest.WantKind(t, err, memory.Unsupported)
		})
		t.Run("UMP1-0-4 no way back", func(t *testing.T) {
			_, err := h.SetEdition(h.Ctx, h.Me(), ump.Edition, nil)
			vaulttest.WantKind(t, err, memory.Unsupported)
			h.T = t
			h.spoken("1.0")
		})
		t.Run("it is logged once", func(t *testing.T) {
			if e := h.Logged(audit.Edition); e.Count != report.Signed || e.Format != "ump-1.0" {
				t.Errorf("logged is %+v", e)
			}
			if again := h.goOver(); again.Signed != 0 {
				t.Errorf("again: %+v", again)
			}
		})
	})
}

// A change that was cut off goes on, and what others write meanwhile is not missed.
func TestEditionCutOffAndBesideWriters(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		const batch, all = vaulttest.Batch, 2*vaulttest.Batch + 11
		h := open(t)
		for i := range all {
			h.Tell(fmt.Sprintf("fact number %d", i))
		}
		ctx, cancel := context.WithCancel(h.Ctx)
		_, err := h.SetEdition(ctx, h.Me(), ump.LaterEdition, func(done int) {
			if done >= batch {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off: %v", err)
		}
		if caps, _ := h.Capabilities(h.Ctx, h.Me()); caps.UMP != "0.1" {
			t.Errorf("it speaks %s before all is signed", caps.UMP)
		}
		if s, err := h.EditionStatus(h.Ctx, h.Me()); err != nil || s != (edition.Status{Speaks: "0.1", GoingOver: true, Left: all - batch}) {
			t.Errorf("UMP1-0-3 the status of a change that was cut off is %+v, %v", s, err)
		}
		beside := h.server()
		wrote := 0
		report, err := h.SetEdition(h.Ctx, h.Me(), ump.LaterEdition, func(int) {
			wrote++
			beside.Tell(fmt.Sprintf("written meanwhile %d", wrote))
		})
		if err != nil || report.Signed < all-batch-batch || report.Signed > all-batch+wrote {
			t.Fatalf("taken up: %+v, %v", report, err)
		}
		beside.Tell("written after, by a program that was open before")
		if n := h.Count(); n != all+1+wrote {
			t.Errorf("%d records, want %d", n, all+1+wrote)
		}
		h.spoken("1.0")
		if s, err := h.EditionStatus(h.Ctx, h.Me()); err != nil || s != (edition.Status{Speaks: "1.0"}) {
			t.Errorf("the status afterwards is %+v, %v", s, err)
		}
	})
}

// Who takes another owner's memories over keeps the edition of the own memory.
func TestRekeyIntoAnotherEdition(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		for _, edition := range []string{"0.1", "1.0"} {
			t.Run("UMP1-0-1 into "+edition, func(t *testing.T) {
				old, home := twoHomes(t, open)
				if edition == "1.0" {
					home.goOver()
				} else {
					old.goOver()
				}
				own := home.Tell("the home's own")
				if _, err := home.Rekey(home.Ctx, old.Me(), home.Key, nil); err != nil {
					t.Fatal(err)
				}
				if _, err := home.FinishRekey(home.Ctx, old.Me(), home.Key.DID()); err != nil {
					t.Fatal(err)
				}
				home.spoken(edition)
				if rec := home.MustGet(own); rec.Version != edition {
					t.Errorf("the home's own is shown as %s", rec.Form())
				}
				later := home.Tell("told afterwards")
				if rec := home.MustGet(later); rec.Version != edition || rec.Current != nil {
					t.Errorf("born as %s", rec.Form())
				}
			})
		}
	})
}

// twoHomes are a memory with a version that was replaced, a forgotten one and one of
// another owner's, and the home that is to take it over.
func twoHomes(t *testing.T, open opener) (old, home *house) {
	t.Helper()
	old = open(t)
	first := old.Tell("the bus leaves at six")
	old.Must(ump.OpRevise, `{"id":"`+string(first)+`","patch":{"body":{"text":"the bus leaves at seven"}}}`)
	old.Must(ump.OpForget, `{"id":"`+string(old.Tell("what nobody needs"))+`","reason":"outdated"}`)
	if _, err := old.importText(listed(sealedBy(t, vaulttest.Seeded(t, 21), memory.Public, "Mira signed this as 0.1")), vault.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	return old, old.under(vaulttest.Seeded(t, 9))
}

// A new key changes nothing of the edition.
func TestRekeyKeepsTheEdition(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	first := h.Tell("born as 0.1")
	h.goOver()
	next, _ := h.rekey(vaulttest.Seeded(t, 9))
	next.spoken("1.0")
	if rec, err := next.Get(next.Ctx, next.Me(), first, memory.OriginView); err != nil || rec.Version != "0.1" {
		t.Errorf("the evidence is %s, %v", rec.Form(), err)
	}
}

func TestEditionOfAnEmptyMemory(t *testing.T) {
	h := open(t)
	h.goOver()
	h.spoken("1.0")
	if _, err := h.SetEdition(h.Ctx, h.Me(), ump.Edition, nil); err != nil {
		t.Fatalf("UMP1-0-4 an empty memory goes back: %v", err)
	}
	h.Tell("born as 0.1")
	h.spoken("0.1")
	said := h.Tell("said as 1.0", `"ump":"1.0"`)
	if rec := h.MustGet(said); rec.Version != "1.0" {
		t.Errorf("UMP-2-2 what is said as 1.0 is kept as %s", rec.Form())
	}
	_, err := h.SetEdition(h.Ctx, h.Me(), "2.0", nil)
	vaulttest.WantKind(t, err, memory.InvalidRecord)
	_, err = h.SetEdition(h.Ctx, h.Agent(), ump.LaterEdition, nil)
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
}

// The transaction says which edition a record is born in, whatever was heard before.
func TestEditionBesideAStaleHint(t *testing.T) {
	h := open(t)
	h.goOver()
	edition, err := vault.BornBeside(h.Ctx, h.Vault, h.Key.DID(), ump.Edition)
	if err != nil || edition != ump.LaterEdition {
		t.Errorf("UMP1-0-5 born as %q, %v; want 1.0", edition, err)
	}
	beside := h.server()
	beside.goOver()
	if _, err := h.SetEdition(h.Ctx, h.Me(), ump.Edition, nil); err != nil {
		t.Fatal(err)
	}
	id := beside.Tell("told by a program that has not heard of the way back")
	if rec := h.MustGet(id); rec.Version != ump.Edition {
		t.Errorf("UMP1-0-4 born as %s; want 0.1", rec.Form())
	}
}
