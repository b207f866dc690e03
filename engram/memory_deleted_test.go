package engram_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestMapDeleted is check 3 of the mapping.
func TestMapDeleted(t *testing.T) {
	const marker = "quokka-4711"
	m := mapper()
	b := emailStyle()
	b.Text = marker
	r := must(m.Draft(b))
	r.Lifecycle.Status, r.Time.ValidTo = memory.Tombstoned, onDay(7)
	p := must(m.Candidate(r, engram.Proposal{Belief: b.ID, New: marker, Runtime: "pal", Context: marker}, uuidOf(3, 1), onDay(3)))
	t.Run("ENGRAM-3.4-13 ENGRAM-3.4-15 a deleted record is a tombstone that says nothing", func(t *testing.T) {
		for _, m := range []engram.Mapper{m, {Forms: ump.Forms(), Owner: mapOwner, Now: mapNow, Residue: true}} {
			told := must(m.Belief(engram.Lineage{Versions: []memory.Record{r}, Proposals: []memory.Record{p}}))
			want := engram.Belief{ID: b.ID, Category: b.Category, Key: b.Key, Source: b.Source, Status: engram.Deleted, CreatedAt: b.CreatedAt, DeletedAt: onDay(7)}
			wantWire(t, "belief", []engram.Belief{told.Belief}, []engram.Belief{want})
			if len(told.Corrections)+len(told.Evolution)+len(told.Contexts) > 0 {
				t.Errorf("history is left: %+v", told)
			}
		}
	})
	t.Run("what is left of a record that was forgotten comes back as it was", func(t *testing.T) {
		key := ownKey()
		full := must(ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: marker}, Scope: memory.Scope{Owner: key.DID()}, Time: memory.Times{Created: onDay(1), ValidTo: onDay(2)}}, &key))
		shell := must(ump.Shell(full, ump.Erased, &key))
		opt := codec.Options{Owner: key.DID(), Now: mapNow}
		data, losses := export(t, opt, shell)
		again, further := open(t, opt, data)
		if len(losses)+len(further) > 0 || formsOf(again) != formsOf([]memory.Record{shell}) || !bytes.Contains(data, []byte(`"status":"deleted"`)) {
			t.Errorf("%v %v %s\n%s", losses, further, formsOf(again), data)
		}
	})
	t.Run("ENGRAM-3.4-15 a key that nobody stated is not told", func(t *testing.T) {
		native := must(ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: marker}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(1), ValidTo: onDay(2)},
			Lifecycle: memory.Lifecycle{Status: memory.Tombstoned}, Relations: []memory.Relation{{Type: memory.About, Target: "entity:" + marker}}}, nil))
		told := must(m.Belief(engram.Lineage{Versions: []memory.Record{native}}))
		if told.Key != "deleted" || strings.Contains(string(told.Belief.Wire().Append(nil)), marker) {
			t.Errorf("%s", told.Belief.Wire().Append(nil))
		}
	})
	t.Run("ENGRAM-3.4-15 a deleted belief is a tombstone, whatever it still says", func(t *testing.T) {
		gone := engram.Belief{ID: b.ID, Category: b.Category, Key: "k", Text: marker, Confidence: 1, Source: b.Source, Status: engram.Deleted, CreatedAt: onDay(1), DeletedAt: onDay(2), Tags: []string{marker}}
		d := engram.Document{IssuedAt: onDay(3), Memory: engram.Memory{Beliefs: []engram.Belief{gone}, Evolution: []engram.Change{{ID: uuidOf(2, 1), Belief: b.ID, Old: marker, New: marker}}}}
		records, losses, err := m.Records(d)
		if err != nil || len(records) != 1 || len(losses) != 1 {
			t.Fatalf("%d records, %v, %v", len(records), losses, err)
		}
		if r := records[0]; r.Lifecycle.Status != memory.Tombstoned || r.Body.Text != "[erased]" || strings.Contains(formsOf(records), marker) || !r.Time.ValidTo.Equal(onDay(2)) {
			t.Errorf("%s", formsOf(records))
		}
	})
	t.Run("UMP-2.7-2 what may not be kept any longer is a tombstone", func(t *testing.T) {
		old := must(ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: marker}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(1)}, Consent: &memory.Consent{Retention: "P1D"}}, nil))
		if told := must(m.Belief(engram.Lineage{Versions: []memory.Record{old}})); told.Status != engram.Deleted || !told.DeletedAt.Equal(onDay(2)) || strings.Contains(string(told.Belief.Wire().Append(nil)), marker) {
			t.Errorf("%s", told.Belief.Wire().Append(nil))
		}
	})
	t.Run("UMP-2.7-3 what may not be exported is in no export", func(t *testing.T) {
		no := false
		kept := must(ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: marker}, Scope: memory.Scope{Owner: mapOwner}, Time: memory.Times{Created: onDay(1)}, Consent: &memory.Consent{Exportable: &no}}, nil))
		if data, losses := export(t, codec.Options{Now: mapNow}, kept); bytes.Contains(data, []byte(marker)) || len(losses) != 1 {
			t.Errorf("%v\n%s", losses, data)
		}
	})
}
