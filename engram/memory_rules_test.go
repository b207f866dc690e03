package engram_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func onDay(day int) time.Time { return time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC) }

// emailStyle is a belief that was stated here.
func emailStyle() engram.Belief {
	return engram.Belief{ID: uuidOf(1, 1), Category: engram.Communication, Key: "email_style", Text: "long and formal", Confidence: 1,
		Source: engram.UserStated, Status: engram.Active, CreatedAt: onDay(1), LastConfirmed: onDay(1), Tags: []string{"email"}}
}

// corrected is emailStyle after the owner corrected it.
func corrected() (engram.Belief, engram.Change, engram.Correction) {
	b := emailStyle()
	b.Text, b.Source, b.LastConfirmed = "short", engram.Corrected, onDay(5)
	return b, engram.Change{ID: uuidOf(2, 1), Belief: b.ID, Old: "long and formal", New: "short", ChangedAt: onDay(5), Trigger: engram.UserCorrection, Context: "a letter", Note: "n"},
		engram.Correction{ID: uuidOf(3, 1), Belief: b.ID, By: engram.ByUser, CorrectedAt: onDay(5), Old: "long and formal", New: "short", Method: engram.Explicit}
}

func TestMapBuild(t *testing.T) {
	m := mapper()
	root := must(m.Draft(emailStyle()))
	t.Run("ENGRAM-3.4-2 a belief stated here is told as it was stated", func(t *testing.T) {
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root}}))
		wantWire(t, "belief", []engram.Belief{told.Belief}, []engram.Belief{emailStyle()})
		if root.Body.Text != "email_style: long and formal" || engram.BeliefID(root) != uuidOf(1, 1) || len(told.Losses) > 0 {
			t.Errorf("text %q, losses %v", root.Body.Text, told.Losses)
		}
	})
	b, c, by := corrected()
	second := must(m.Next(root, b, c, by))
	whole := engram.Lineage{Versions: []memory.Record{root, second}}
	t.Run("ENGRAM-3.5-9 ENGRAM-3.6-11 a correction is a successor, one entry of evolution and one of corrections", func(t *testing.T) {
		told := must(m.Belief(whole))
		wantWire(t, "belief", []engram.Belief{told.Belief}, []engram.Belief{b})
		wantWire(t, "evolution", told.Evolution, []engram.Change{c})
		wantWire(t, "corrections", told.Corrections, []engram.Correction{by})
		if second.Supersedes[0] != root.ID || !second.Time.ValidFrom.Equal(onDay(5)) {
			t.Errorf("supersedes %v from %v", second.Supersedes, second.Time.ValidFrom)
		}
	})
	t.Run("ENGRAM-3.5-9 the earlier entry stays as it was when the value changes again", func(t *testing.T) {
		b3, c3 := b, c
		b3.Text, c3.ID, c3.Old, c3.New, c3.ChangedAt, c3.Trigger = "one line", uuidOf(2, 2), "short", "one line", onDay(9), engram.NaturalUpdate
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root, second, must(m.Next(second, b3, c3))}}))
		wantWire(t, "evolution", told.Evolution, []engram.Change{c, c3})
		if len(told.Corrections) != 1 || told.Belief.Text != "one line" {
			t.Errorf("%d corrections, %q", len(told.Corrections), told.Belief.Text)
		}
	})
	t.Run("ENGRAM-3.4-19 a confirmation is a version without evolution", func(t *testing.T) {
		sure := b
		sure.LastConfirmed = onDay(8)
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root, second, must(m.Next(second, sure, engram.Change{ChangedAt: onDay(8)}))}}))
		if len(told.Evolution) != 1 || len(told.Corrections) != 1 || !told.Belief.LastConfirmed.Equal(onDay(8)) {
			t.Errorf("%d changes, %d corrections, confirmed %v", len(told.Evolution), len(told.Corrections), told.Belief.LastConfirmed)
		}
	})
	t.Run("ENGRAM-3.4-17 a belief put away is archived", func(t *testing.T) {
		away := b
		away.Status = engram.Archived
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root, second, must(m.Next(second, away, engram.Change{ChangedAt: onDay(8)}))}}))
		if told.Status != engram.Archived || len(told.Evolution) != 1 {
			t.Errorf("%s, %d changes", told.Status, len(told.Evolution))
		}
	})
}

// TestMapCandidate is check 4 of the mapping.
func TestMapCandidate(t *testing.T) {
	m := mapper()
	root := must(m.Draft(emailStyle()))
	p := engram.Proposal{Belief: uuidOf(1, 1), New: "as telegrams", Context: "he laughed", Runtime: "pal", ObservedAt: onDay(3)}
	c := must(m.Candidate(root, p, uuidOf(3, 7), onDay(4)))
	t.Run("ENGRAM-3.6-3 a runtime's correction is a candidate that contradicts the current version", func(t *testing.T) {
		if c.Lifecycle.Status != memory.Candidate || c.Relations[0] != (memory.Relation{Type: memory.Contradicts, Target: string(root.ID)}) || c.Scope.Agent != "pal" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("ENGRAM-3.9-CORR-10 and is told as one that waits, its context to the owner alone", func(t *testing.T) {
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root}, Proposals: []memory.Record{c}}))
		want := engram.Correction{ID: uuidOf(3, 7), Belief: uuidOf(1, 1), By: engram.ByRuntime, CorrectedAt: onDay(4), Old: "long and formal", New: "as telegrams",
			Method: engram.Implicit, Status: engram.Pending, Runtime: "pal", ObservedAt: onDay(3)}
		wantWire(t, "corrections", told.Corrections, []engram.Correction{want})
		if told.Belief.Text != "long and formal" || told.Contexts[uuidOf(3, 7)] != "he laughed" || len(told.Evolution) > 0 {
			t.Errorf("%q, contexts %v", told.Belief.Text, told.Contexts)
		}
	})
	t.Run("a time yet to come is told as it was said, and delays nothing", func(t *testing.T) {
		p.ObservedAt = onDay(9)
		c := must(m.Candidate(root, p, uuidOf(3, 9), onDay(4)))
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root}, Proposals: []memory.Record{c}}))
		if !c.Time.ValidFrom.Equal(onDay(4)) || len(told.Corrections) != 1 || !told.Corrections[0].ObservedAt.Equal(onDay(9)) {
			t.Errorf("valid from %s, corrections %+v", c.Time.ValidFrom, told.Corrections)
		}
	})
	t.Run("ENGRAM-3.6-13 without a runtime it is the system's", func(t *testing.T) {
		p.Runtime = ""
		c := must(m.Candidate(root, p, uuidOf(3, 8), onDay(4)))
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root}, Proposals: []memory.Record{c}}))
		if told.Corrections[0].By != engram.BySystem {
			t.Errorf("by %s", told.Corrections[0].By)
		}
	})
	t.Run("a candidate of other makers waits, too", func(t *testing.T) {
		native := must(ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "email_style: never"}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(6)},
			Lifecycle: memory.Lifecycle{Status: memory.Candidate}, Relations: []memory.Relation{{Type: memory.Contradicts, Target: string(root.ID)}}}, nil))
		told := tellAll(t, m, []memory.Record{root, native})
		if len(told.Beliefs) != 1 || len(told.Corrections) != 1 || told.Corrections[0].New != "never" || told.Corrections[0].Runtime != "unknown" {
			t.Errorf("%+v", told.Corrections)
		}
	})
	t.Run("confirmed by any other means, it shows as value, evolution and correction", func(t *testing.T) {
		next := memory.Record{Kind: root.Kind, Body: root.Body, Scope: root.Scope, Time: memory.Times{Created: onDay(6)}, Supersedes: []memory.ID{root.ID},
			Provenance: &memory.Provenance{Actor: "x", ActorKind: memory.ByUser, Method: "user_correction"}}
		next.Body.Text = "email_style: as telegrams"
		next = must(ump.Author(next, nil))
		gone := c
		gone.Lifecycle.Status = memory.Tombstoned
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{root, next}, Proposals: []memory.Record{gone}}))
		if told.Belief.Text != "as telegrams" || told.Source != engram.Corrected || told.Belief.ID != uuidOf(1, 1) {
			t.Errorf("%+v", told.Belief)
		}
		if len(told.Evolution) != 1 || told.Evolution[0].New != "as telegrams" || told.Evolution[0].Trigger != engram.UserCorrection {
			t.Errorf("evolution %+v", told.Evolution)
		}
		if len(told.Corrections) != 2 || told.Corrections[1].By != engram.ByUser || told.Corrections[0].Status != engram.Rejected || told.Corrections[0].New != "" || len(told.Contexts) > 0 {
			t.Errorf("corrections %+v", told.Corrections)
		}
	})
}

// TestMapRecordOfUMP is check 2 of the mapping.
func TestMapRecordOfUMP(t *testing.T) {
	key := ownKey()
	sure := 0.82
	r := must(ump.Author(memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: "Use tabs here.", Structured: []byte(`{"tool":"gofmt"}`)},
		Scope: memory.Scope{Owner: key.DID(), Project: "github.com/a/b", Visibility: memory.Private}, Time: memory.Times{Created: onDay(2), Observed: onDay(1)},
		Lifecycle: memory.Lifecycle{Confidence: &sure}, Relations: []memory.Relation{{Type: memory.About, Target: "entity:Code Style"}},
		Provenance: &memory.Provenance{Actor: "a", ActorKind: memory.ByUser, Method: "user_correction"},
	}, &key))
	told := must(mapper().Belief(engram.Lineage{Versions: []memory.Record{r}}))
	want := engram.Belief{ID: engram.IDFrom("engram-ump:" + string(r.ID)), Category: engram.CustomCategory, Key: "code_style", Text: "In github.com/a/b: Use tabs here.",
		Confidence: 0.82, Source: engram.Corrected, Status: engram.Active, CreatedAt: onDay(1), Tags: []string{}}
	wantWire(t, "belief", []engram.Belief{told.Belief}, []engram.Belief{want})
	if len(told.Losses) != 1 {
		t.Errorf("losses %v", told.Losses)
	}
	opt := codec.Options{Owner: key.DID(), Now: mapNow}
	data, _ := export(t, opt, r)
	again, losses := open(t, opt, data)
	if len(losses) > 0 || formsOf(again) != formsOf([]memory.Record{r}) || ump.Verify(again[0].Form()) != nil {
		t.Errorf("%v, %s", losses, formsOf(again))
	}
	t.Run("edited, the belief is what shows, and the record is not restored", func(t *testing.T) {
		edited := bytes.Replace(data, []byte(`"value":"In github.com/a/b: Use tabs`), []byte(`"value":"In github.com/a/b: Use blanks`), 1)
		again, losses := open(t, opt, edited)
		if len(losses) != 1 || len(again) != 1 || again[0].Integrity != nil || !strings.Contains(again[0].Body.Text, "blanks") {
			t.Errorf("losses %v, records %v", losses, formsOf(again))
		}
	})
	t.Run("an edit takes back no consent", func(t *testing.T) {
		bound := r
		bound.ID, bound.Origin, bound.Consent = "", nil, &memory.Consent{Retention: "P900D"}
		data, _ := export(t, opt, must(ump.Author(bound, &key)))
		again, _ := open(t, opt, bytes.Replace(data, []byte(`"value":"In github.com/a/b: Use tabs`), []byte(`"value":"In github.com/a/b: Use blanks`), 1))
		if len(again) != 1 || again[0].Consent == nil || again[0].Consent.Retention != "P900D" {
			t.Errorf("%s", formsOf(again))
		}
		unread := bytes.Replace(bytes.Replace(data, []byte(`"kind":"semantic"`), []byte(`"kind":"odd"`), 1), []byte("P900D"), []byte("PxD"), 1)
		if again, _ = open(t, opt, unread); len(again) != 1 || again[0].Consent == nil || *again[0].Consent.Exportable {
			t.Errorf("%s", formsOf(again))
		}
	})
	t.Run("somebody else's records do not come back as theirs", func(t *testing.T) {
		m := engram.Mapper{Forms: ump.Forms(), Owner: mapOwner, Now: mapNow}
		d, _, err := engram.Parse(data, engram.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		records, losses, err := m.Records(d)
		if err != nil || len(losses) == 0 || records[len(records)-1].Scope.Owner != mapOwner {
			t.Errorf("%v, %v, %s", err, losses, formsOf(records))
		}
	})
	t.Run("sealed, what the owner has not signed does not come back", func(t *testing.T) {
		bare := r
		bare.Origin = must(canon.Parse(r.Origin, canon.Options{})).Without("integrity").Append(nil)
		bare = must(ump.Forms().Decode(bare.Origin))
		data, _ := export(t, opt, bare)
		d, _, err := engram.Parse(data, engram.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m := engram.Mapper{Forms: ump.Forms(), Owner: key.DID(), Now: mapNow, Sealed: true}
		if records, losses, err := m.Records(d); err != nil || len(losses) == 0 || strings.Contains(formsOf(records), string(bare.ID)) {
			t.Errorf("%v, %v, %s", err, losses, formsOf(records))
		}
	})
}
