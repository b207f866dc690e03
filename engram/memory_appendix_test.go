package engram_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const mapOwner = memory.DID("did:key:z6MkmapOwner")

func mapNow() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

func mapper() engram.Mapper { return engram.Mapper{Forms: ump.Forms(), Owner: mapOwner, Now: mapNow} }

// tellAll tells records as the core objects, as a conversion without a store does.
func tellAll(t testing.TB, m engram.Mapper, records []memory.Record) engram.Memory {
	t.Helper()
	var rest []memory.Record
	var told []engram.BeliefHistory
	for _, r := range records {
		if _, ok := m.Constraint(r); !ok && !engram.IsIdentity(r) {
			rest = append(rest, r)
		}
	}
	for _, l := range engram.Lineages(rest) {
		b, err := m.Belief(l)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, b)
	}
	out := engram.Collect(told)
	out.Identity, _ = m.Identity(records)
	for _, r := range records {
		if k, ok := m.Constraint(r); ok {
			out.Constraints = append(out.Constraints, k)
		}
	}
	return out
}

// TestMapAppendixA is check 1 of the mapping.
func TestMapAppendixA(t *testing.T) {
	m := mapper()
	for name, raw := range examples(t) {
		t.Run("ENGRAM-A-3 comes back as it was: "+name, func(t *testing.T) {
			d := parsed(t, raw)
			records, losses, err := m.Records(d)
			if err != nil || len(losses) > 0 {
				t.Fatalf("%v, losses %v", err, losses)
			}
			if len(records) != 5 {
				t.Fatalf("%d records", len(records))
			}
			wantMemory(t, tellAll(t, m, records), d.Memory)
		})
	}
}
