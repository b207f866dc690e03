package engram_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// foreign is foreignExport, parsed.
func foreign(t *testing.T) engram.Document {
	t.Helper()
	d, _, err := engram.Parse([]byte(foreignExport), engram.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMapRecords(t *testing.T) {
	m := mapper()
	records, losses, err := m.Records(foreign(t))
	if err != nil || len(losses) > 0 || len(records) != 7 {
		t.Fatalf("%d records, %v, %v", len(records), losses, err)
	}
	t.Run("ENGRAM-3.5-11 versions are born closed, one where the next begins", func(t *testing.T) {
		old, now := records[1], records[2]
		changed := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
		if old.Body.Text != "letters: by post" || !old.Time.ValidTo.Equal(changed) || old.SupersededBy[0] != now.ID || now.Supersedes[0] != old.ID || !now.Time.ValidFrom.Equal(changed) || !now.Time.ValidTo.IsZero() {
			t.Errorf("%s", formsOf(records[1:3]))
		}
		if !old.Time.ValidAt(changed.Add(-time.Hour)) || now.Time.ValidAt(changed.Add(-time.Hour)) || !now.Time.ValidAt(changed) {
			t.Error("both or neither holds")
		}
	})
	t.Run("who asserted it and where it came from", func(t *testing.T) {
		p := records[2].Provenance
		if p.ActorKind != memory.ByImport || p.Source.Provider != "https://garden.example" || p.Method != "user_correction" || p.Evidence[0].Ref != "engram:evolution:1b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b01" {
			t.Errorf("%+v", p)
		}
		if records[2].Scope.User != "did:web:rosa.example" || records[2].Lifecycle.Decay != "stale_after:P30D" || *records[2].Lifecycle.Confidence != 0.7 {
			t.Errorf("%+v", records[2])
		}
	})
	t.Run("ENGRAM-3.2-13 what expires is the document, not what it says", func(t *testing.T) {
		for _, r := range records {
			if strings.Contains(string(r.Form()), "2026-05-01T20:00:00Z") {
				t.Errorf("%s", r.Form())
			}
		}
	})
	t.Run("a proposal that waits is no fact, in no format", func(t *testing.T) {
		for _, r := range records {
			if strings.Contains(string(r.Form()), "pigeon") && r.Lifecycle.Status != memory.Candidate {
				t.Errorf("%s", r.Form())
			}
		}
	})
	t.Run("ENGRAM-3.4-17 what is archived has ended", func(t *testing.T) {
		for _, r := range records {
			if r.Body.Text == "seat: window" && r.Time.ValidTo.IsZero() {
				t.Errorf("%s", r.Form())
			}
		}
	})
	t.Run("the same document twice gives the same records", func(t *testing.T) {
		again, _, _ := m.Records(foreign(t))
		if formsOf(again) != formsOf(records) {
			t.Error("they differ")
		}
	})
}

func TestMapLosses(t *testing.T) {
	b := emailStyle()
	twice := engram.Memory{Beliefs: []engram.Belief{b, b},
		Evolution:   []engram.Change{{ID: uuidOf(2, 1), Belief: uuidOf(1, 9), Old: "a", New: "b", ChangedAt: onDay(1)}},
		Corrections: []engram.Correction{{ID: uuidOf(3, 1), Belief: uuidOf(1, 9), CorrectedAt: onDay(1)}}}
	records, losses, err := mapper().Records(engram.Document{IssuedAt: onDay(9), Memory: twice})
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	var at []string
	for _, l := range losses {
		at = append(at, l.Pointer)
	}
	if got := strings.Join(at, " "); got != "/beliefs/1 /evolution/0 /corrections/0" {
		t.Errorf("ENGRAM-3.5-2 ENGRAM-3.6-2 losses at %s", got)
	}
	if _, err := mapper().Belief(engram.Lineage{}); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("a belief of nothing: %v", err)
	}
}

// TestMapRevised: what other formats change in a record shows in the belief, and what
// they cannot see stays.
func TestMapRevised(t *testing.T) {
	m := mapper()
	b, c, by := corrected()
	root := must(m.Draft(emailStyle()))
	second := must(m.Next(root, b, c, by))
	revise := func(change func(*memory.Record)) engram.BeliefHistory {
		next := second
		next.ID, next.Origin, next.Supersedes = "", nil, []memory.ID{second.ID}
		next.Time = memory.Times{Created: onDay(10), Observed: onDay(10), ValidFrom: onDay(10)}
		next.Provenance = &memory.Provenance{Actor: "x", ActorKind: memory.ByAgent, Method: "revise"}
		change(&next)
		return must(m.Belief(engram.Lineage{Versions: []memory.Record{root, second, must(ump.Author(next, nil))}}))
	}
	t.Run("a text that was revised elsewhere is a natural update", func(t *testing.T) {
		told := revise(func(r *memory.Record) { r.Body.Text = "email_style: curt" })
		if told.Belief.Text != "curt" || told.Source != engram.Inferred || told.Belief.Tags[0] != "email" || len(told.Evolution) != 2 || len(told.Corrections) != 1 {
			t.Errorf("%+v", told)
		}
		if e := told.Evolution[1]; e.Old != "short" || e.New != "curt" || e.Trigger != engram.NaturalUpdate || !engram.IsID(e.ID) || !e.ChangedAt.Equal(onDay(10)) {
			t.Errorf("%+v", e)
		}
	})
	t.Run("an entry of history belongs to one version, whoever kept it in the next", func(t *testing.T) {
		told := revise(func(r *memory.Record) {
			r.Body.Text = "email_style: curt"
			r.Body.Structured = bytes.Replace(r.Body.Structured, []byte(`["email"]`), []byte(`["mail"]`), 1)
		})
		if len(told.Evolution) != 2 || told.Evolution[1].ID == c.ID || told.Evolution[1].New != "curt" || len(told.Corrections) != 1 || told.Tags[0] != "mail" {
			t.Errorf("%+v", told)
		}
	})
	t.Run("confidence, hint of decay and end are what the record says", func(t *testing.T) {
		half := 0.5
		told := revise(func(r *memory.Record) {
			r.Lifecycle.Confidence, r.Lifecycle.Decay, r.Time.ValidTo = &half, "stale_after:P7D", onDay(11)
		})
		if told.Confidence != 0.5 || *told.StaleAfter != 7 || told.Status != engram.Archived || len(told.Evolution) != 1 {
			t.Errorf("%+v", told.Belief)
		}
	})
	t.Run("one that another belief replaced is archived", func(t *testing.T) {
		if told := revise(func(r *memory.Record) { r.SupersededBy = []memory.ID{"urn:ump:other"} }); told.Status != engram.Archived {
			t.Errorf("%s", told.Status)
		}
	})
}

func TestMapIdentity(t *testing.T) {
	m := mapper()
	i := engram.Identity{DisplayName: "Rosa", Timezone: "Europe/Berlin", Role: "Farmer", CreatedAt: onDay(1), LastUpdated: onDay(3)}
	older := must(m.IdentityRecord(i))
	i.Role, i.LastUpdated = "Cheesemaker", onDay(4)
	r := must(m.IdentityRecord(i))
	got, ok := m.Identity([]memory.Record{r, older})
	if !ok || r.Kind != memory.Identity || r.Body.Text != "Name: Rosa; timezone: Europe/Berlin; role: Cheesemaker" {
		t.Fatalf("%v, %q", ok, r.Body.Text)
	}
	wantWire(t, "ENGRAM-3.3-1 identity", []engram.Identity{got}, []engram.Identity{i})
	r.Body.Text = "Name: Rosa, retired"
	if engram.IsIdentity(r) {
		t.Error("an identity whose text was changed still counts")
	}
	if told := tellAll(t, m, []memory.Record{must(ump.Author(memory.Record{Kind: memory.Identity, Body: memory.Body{Text: "Rosa keeps goats."}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(1)}}, nil))}); told.Beliefs[0].Category != engram.CustomCategory || told.Beliefs[0].Tags[0] != "kind:identity" {
		t.Errorf("%+v", told.Beliefs)
	}
}

func TestMapConstraint(t *testing.T) {
	m := mapper()
	k := engram.Constraint{ID: uuidOf(4, 1), Rule: "Never call before nine.", Category: "communication", CreatedAt: onDay(1), SetBy: "user_stated", Status: "active", Note: "n"}
	r := must(m.ConstraintRecord(k))
	got, ok := m.Constraint(r)
	if !ok || r.Body.Text != k.Rule || r.Kind != memory.Procedural {
		t.Fatalf("%v, %s", ok, r.Form())
	}
	wantWire(t, "constraint", []engram.Constraint{got}, []engram.Constraint{k})
	r.Lifecycle.Status, r.Time.ValidTo = memory.Tombstoned, onDay(2)
	if got, ok = m.Constraint(r); !ok || got.Status != "deleted" || got.Rule != "" || got.Note != "" || !got.DeletedAt.Equal(onDay(2)) {
		t.Errorf("%+v", got)
	}
	k.Status, k.DeletedAt = "deleted", onDay(5)
	if r = must(m.ConstraintRecord(k)); strings.Contains(string(r.Form()), "before nine") || r.Lifecycle.Status != memory.Tombstoned {
		t.Errorf("%s", r.Form())
	}
}

// TestMapRuntime is check 5 of the mapping: what a runtime gets carries no records.
func TestMapRuntime(t *testing.T) {
	r := must(ump.Author(memory.Record{Kind: memory.Procedural, Body: memory.Body{Text: "Milk at five."}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(1)}}, nil))
	told := must(mapper().Belief(engram.Lineage{Versions: []memory.Record{r}}))
	if told.Belief.Wire().Has("x_ump") || told.Category != engram.WorkStyle || told.Belief.Tags[0] != "kind:procedural" || told.Confidence != 0.6 {
		t.Errorf("%s", told.Belief.Wire().Append(nil))
	}
	if told = must(engram.Mapper{Forms: ump.Forms(), Owner: mapOwner, Residue: true}.Belief(engram.Lineage{Versions: []memory.Record{r}})); !told.Belief.Wire().Has("x_ump") {
		t.Error("the owner's own file lacks the record")
	}
	work := must(ump.Author(memory.Record{Kind: memory.Working, Body: memory.Body{Text: "Halfway."}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(1)}}, nil))
	if told = must(mapper().Belief(engram.Lineage{Versions: []memory.Record{work}})); told.Status != engram.Archived || told.Category != engram.Projects {
		t.Errorf("%+v", told.Belief)
	}
}

// TestMapSignature: a signature comes back with the very document that it covers, and
// with no other.
func TestMapSignature(t *testing.T) {
	opt := codec.Options{Owner: mapOwner, Now: mapNow}
	records, _ := open(t, opt, []byte(foreignExport))
	same, _ := export(t, opt, records...)
	if !bytes.Contains(same, []byte(`"signature":"AAAA"`)) || !bytes.Contains(same, []byte(`"kid":"k1"`)) {
		t.Errorf("%s", same)
	}
	fewer, _ := export(t, opt, records[:3]...)
	if bytes.Contains(fewer, []byte(`"AAAA"`+`,"identity"`)) || !bytes.Contains(fewer, []byte(`"signature":"unsigned-v1"`)) || bytes.Contains(fewer, []byte(`"issuer":{"did"`)) {
		t.Errorf("ENGRAM-12.6-1: %s", fewer)
	}
}
