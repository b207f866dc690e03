package engram_test

import (
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// FuzzParse holds that what is read is written the same, that nothing is a violation
// of what was read, and that nothing but the signed bytes verifies.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(dialect))
	f.Add(issued(f))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, _, err := engram.Parse(raw, engram.ReadOptions{})
		if err != nil {
			return
		}
		out, err := engram.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		if !canon.Identical(tree(t, string(out)), tree(t, string(raw))) {
			t.Errorf("read  %s\nwrote %s", raw, out)
		}
		for _, v := range engram.Validate(out, false) {
			if !v.Warning {
				t.Errorf("read, and refused: %+v", v)
			}
		}
		engram.Validate(out, true)
		if _, _, err := engram.Select(d.Memory, engram.Query{Scope: engram.Minimal}); err != nil {
			t.Error(err)
		}
		engram.Render(d, engram.PromptOptions{Now: d.IssuedAt})
		engram.Verify(out, engram.VerifyOptions{Now: d.IssuedAt})
	})
}

// FuzzParseDelta holds that a delta that is read can be applied and written again.
func FuzzParseDelta(f *testing.F) {
	f.Add([]byte(emptyDelta))
	f.Add([]byte(`{"engram_version":"0.1","generated_at":"2026-05-01T12:00:00Z","changes":{"beliefs":{"added":[{"id":"a"}],"updated":[],"deleted":[{"id":"b"}]},"corrections":{"added":[]},"evolution":{"added":[{"id":"e","belief_id":"b"}]}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := engram.ParseDelta(raw, engram.ReadOptions{})
		if err != nil {
			return
		}
		for _, b := range engram.Apply(parsed(t, []byte(sample)), d).Beliefs {
			for _, dead := range d.Deleted {
				if b.ID == dead.ID {
					t.Errorf("%q is still there", b.ID)
				}
			}
		}
		if _, err := engram.ParseDelta(engram.EncodeDelta(d), engram.ReadOptions{}); err != nil {
			t.Errorf("%v of %s", err, engram.EncodeDelta(d))
		}
	})
}

// FuzzDecodeKeys holds that a list of keys that is read is written and read the same.
func FuzzDecodeKeys(f *testing.F) {
	f.Add(engram.EncodeKeys([]engram.Key{testListed(f)}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := engram.DecodeKeys(raw)
		if err != nil {
			return
		}
		again, err := engram.DecodeKeys(engram.EncodeKeys(list))
		if err != nil || len(again) != len(list) {
			t.Errorf("%d keys, %d again, %v", len(list), len(again), err)
		}
	})
}
