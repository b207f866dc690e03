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
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// goOver lets the memory speak 1.0.
func (h *house) goOver() vault.EditionReport {
	h.t.Helper()
	report, err := h.SetEdition(h.ctx, h.owner(), ump.LaterEdition, nil)
	if err != nil {
		h.t.Fatalf("go over to 1.0: %v", err)
	}
	return report
}

// spoken makes sure that the memory speaks an edition, and that every form of its
// owner's that it shows does.
func (h *house) spoken(edition string) {
	h.t.Helper()
	caps, err := h.Capabilities(h.ctx, h.owner())
	if err != nil || caps.UMP != edition {
		h.t.Errorf("capabilities.ump is %q, %v; want %q", caps.UMP, err, edition)
	}
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{Limit: 1000,
		Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, rec := range page.Records {
		if rec.Scope.Owner != h.key.DID() {
			continue
		}
		rec = h.get(rec.ID)
		if rec.Version != edition || !strings.Contains(string(rec.Form()), `"ump":"`+edition+`"`) {
			h.t.Errorf("%s is shown as %s, want edition %s", rec.ID, rec.Form(), edition)
		}
		verified(h.t, rec)
	}
	if findings, err := h.Health(h.ctx); err != nil || len(findings) > 0 {
		h.t.Errorf("doctor finds %q, %v", findings, err)
	}
}

func TestEdition(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		l := lived(t, open)
		h := l.house
		mira := seeded(t, 21)
		old := sealedBy(t, mira, memory.Public, "Mira signed this as 0.1")
		young := sealedBy(t, mira, memory.Public, "Mira signed this as 1.0", func(r *memory.Record) { r.Version = "1.0" })
		if _, err := h.importText(listed(old, young), vault.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		h.spoken("0.1")
		before := h.count()
		origin := h.get(l.first)
		head, err := h.Head(h.ctx, h.owner())
		if err != nil {
			t.Fatal(err)
		}
		report := h.goOver()
		if report.From != "0.1" || report.To != "1.0" || report.Signed == 0 || report.Foreign != 2 || report.Damaged != 0 {
			t.Errorf("the report is %+v", report)
		}

		t.Run("UMP1-0-1 every record of the owner's is shown as 1.0", func(t *testing.T) {
			if h.t = t; h.count() != before {
				t.Errorf("%d records, %d before", h.count(), before)
			}
			h.spoken("1.0")
		})
		t.Run("UMP1-0-3 the first form is evidence, for the owner", func(t *testing.T) {
			rec, err := h.Get(h.ctx, h.owner(), l.first, memory.OriginView)
			if err != nil || string(rec.Form()) != string(origin.Origin) || rec.Version != "0.1" {
				t.Errorf("the origin is %s, %v; want %s", rec.Form(), err, origin.Origin)
			}
			verified(t, rec)
			rec, err = h.Get(h.ctx, h.peer(), l.public, memory.OriginView)
			if err == nil && rec.Version != "1.0" {
				t.Errorf("a peer gets %s", rec.Form())
			}
		})
		t.Run("UMP1-0-5 born as 1.0, revised as 1.0", func(t *testing.T) {
			h.t = t
			id := h.tell("said in 1.0", `"ump":"0.1"`)
			if rec := h.get(id); rec.Version != "1.0" || rec.Current != nil {
				t.Errorf("born as %s", rec.Form())
			}
			next := memory.ID(h.must(ump.OpRevise, `{"id":"`+string(l.second)+`","patch":{"body":{"text":"the meeting is on Friday"}}}`)["id"].(string))
			if rec := h.get(next); rec.Version != "1.0" || rec.Current != nil {
				t.Errorf("revised as %s", rec.Form())
			}
		})
		t.Run("UMP1-0-3 one's own signed 0.1 record is normalised", func(t *testing.T) {
			h.t = t
			own := sealedBy(t, h.key, memory.Private, "signed elsewhere as 0.1")
			if _, err := h.importText(listed(own), vault.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
			rec := h.get(own.ID)
			if rec.Version != "1.0" || string(rec.Origin) != string(own.Origin) || rec.Current == nil {
				t.Errorf("kept as %s, of %s", rec.Form(), rec.Origin)
			}
			again, err := h.importText(listed(own)+"\n", vault.ImportOptions{})
			if err != nil || again.Created != 0 || again.Merged != 1 {
				t.Errorf("imported again: %+v, %v", again, err)
			}
		})
		t.Run("UMP1-0-2 another owner's 0.1 record stays, is shown as that, and does not leave", func(t *testing.T) {
			if rec := h.get(old.ID); string(rec.Form()) != string(old.Form()) {
				t.Errorf("kept as %s", rec.Form())
			}
			var left []string
			out, err := h.Export(h.ctx, h.owner(), vault.ExportQuery{Verbatim: true}, func(rec memory.Record) error {
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
			events, _, err := h.Changes(h.ctx, h.owner(), memory.Subscription{After: head})
			for _, e := range events {
				if e.ID == l.first || e.ID == l.public {
					t.Errorf("the feed tells that %s was %s, %v", e.ID, e.Type, err)
				}
			}
		})
		t.Run("UMP1-0-6 an unknown major version is refused", func(t *testing.T) {
			_, err := h.call(ump.OpRemember, h.owner(), `{"record":{"ump":"2.0","body":{"text":"from later on"}}}`)
			wantKind(t, err, memory.Unsupported)
		})
		t.Run("UMP1-0-4 no way back", func(t *testing.T) {
			_, err := h.SetEdition(h.ctx, h.owner(), ump.Edition, nil)
			wantKind(t, err, memory.Unsupported)
			h.t = t
			h.spoken("1.0")
		})
		t.Run("it is logged once", func(t *testing.T) {
			if e := h.logged(audit.Edition); e.Count != report.Signed || e.Format != "ump-1.0" {
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
		h := open(t)
		for i := range 600 {
			h.tell(fmt.Sprintf("fact number %d", i))
		}
		ctx, cancel := context.WithCancel(h.ctx)
		_, err := h.SetEdition(ctx, h.owner(), ump.LaterEdition, func(done int) {
			if done >= 256 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off: %v", err)
		}
		if caps, _ := h.Capabilities(h.ctx, h.owner()); caps.UMP != "0.1" {
			t.Errorf("it speaks %s before all is signed", caps.UMP)
		}
		if s, err := h.EditionStatus(h.ctx, h.owner()); err != nil || s != (vault.EditionStatus{Speaks: "0.1", GoingOver: true, Left: 600 - 256}) {
			t.Errorf("UMP1-0-3 the status of a change that was cut off is %+v, %v", s, err)
		}
		beside := h.server()
		wrote := 0
		report, err := h.SetEdition(h.ctx, h.owner(), ump.LaterEdition, func(int) {
			wrote++
			beside.tell(fmt.Sprintf("written meanwhile %d", wrote))
		})
		if err != nil || report.Signed < 600-256-256 || report.Signed > 600-256+wrote {
			t.Fatalf("taken up: %+v, %v", report, err)
		}
		beside.tell("written after, by a program that was open before")
		if n := h.count(); n != 601+wrote {
			t.Errorf("%d records, want %d", n, 601+wrote)
		}
		h.spoken("1.0")
		if s, err := h.EditionStatus(h.ctx, h.owner()); err != nil || s != (vault.EditionStatus{Speaks: "1.0"}) {
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
				own := home.tell("the home's own")
				if _, err := home.Rekey(home.ctx, old.owner(), home.key, nil); err != nil {
					t.Fatal(err)
				}
				if _, err := home.FinishRekey(home.ctx, old.owner(), home.key.DID()); err != nil {
					t.Fatal(err)
				}
				home.spoken(edition)
				if rec := home.get(own); rec.Version != edition {
					t.Errorf("the home's own is shown as %s", rec.Form())
				}
				later := home.tell("told afterwards")
				if rec := home.get(later); rec.Version != edition || rec.Current != nil {
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
	first := old.tell("the bus leaves at six")
	old.must(ump.OpRevise, `{"id":"`+string(first)+`","patch":{"body":{"text":"the bus leaves at seven"}}}`)
	old.must(ump.OpForget, `{"id":"`+string(old.tell("what nobody needs"))+`","reason":"outdated"}`)
	if _, err := old.importText(listed(sealedBy(t, seeded(t, 21), memory.Public, "Mira signed this as 0.1")), vault.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	return old, old.under(seeded(t, 9))
}

// A new key changes nothing of the edition.
func TestRekeyKeepsTheEdition(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	first := h.tell("born as 0.1")
	h.goOver()
	next, _ := h.rekey(seeded(t, 9))
	next.spoken("1.0")
	if rec, err := next.Get(next.ctx, next.owner(), first, memory.OriginView); err != nil || rec.Version != "0.1" {
		t.Errorf("the evidence is %s, %v", rec.Form(), err)
	}
}

func TestEditionOfAnEmptyMemory(t *testing.T) {
	h := open(t)
	h.goOver()
	h.spoken("1.0")
	if _, err := h.SetEdition(h.ctx, h.owner(), ump.Edition, nil); err != nil {
		t.Fatalf("UMP1-0-4 an empty memory goes back: %v", err)
	}
	h.tell("born as 0.1")
	h.spoken("0.1")
	said := h.tell("said as 1.0", `"ump":"1.0"`)
	if rec := h.get(said); rec.Version != "1.0" {
		t.Errorf("UMP-2-2 what is said as 1.0 is kept as %s", rec.Form())
	}
	_, err := h.SetEdition(h.ctx, h.owner(), "2.0", nil)
	wantKind(t, err, memory.InvalidRecord)
	_, err = h.SetEdition(h.ctx, h.agent(), ump.LaterEdition, nil)
	wantKind(t, err, memory.ForbiddenScope)
}

// The transaction says which edition a record is born in, whatever was heard before.
func TestEditionBesideAStaleHint(t *testing.T) {
	h := open(t)
	h.goOver()
	edition, err := vault.BornBeside(h.ctx, h.Vault, h.key.DID(), ump.Edition)
	if err != nil || edition != ump.LaterEdition {
		t.Errorf("UMP1-0-5 born as %q, %v; want 1.0", edition, err)
	}
	beside := h.server()
	beside.goOver()
	if _, err := h.SetEdition(h.ctx, h.owner(), ump.Edition, nil); err != nil {
		t.Fatal(err)
	}
	id := beside.tell("told by a program that has not heard of the way back")
	if rec := h.get(id); rec.Version != ump.Edition {
		t.Errorf("UMP1-0-4 born as %s; want 0.1", rec.Form())
	}
}
