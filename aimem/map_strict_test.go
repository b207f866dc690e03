package aimem

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/ump"
)

// TestStrictestChunks: a chunk that crosses a boundary says what every reader takes,
// and makes the same record again; a stateless form leaves it as it came.
func TestStrictestChunks(t *testing.T) {
	m := Mapper{Forms: ump.Forms(), Owner: testOwner, Namespace: "prod-a"}
	came := chunkFrom(bundle(t, []byte(`{"id":"urn:aimem:prod-a:1","content":"x","content_hash":null,"memory_type":"fact","zone":null,"is_pinned":null,
		"tags":null,"embedding":null,"x_other":null,"created_at":"2026-04-01T09:30:00Z"}`)).v)
	taken, err := m.Convert(came, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	leaves := func(m Mapper) canon.Value {
		t.Helper()
		all, _, err := m.Chunks(taken.Record, m.Name(taken.Record), taken.Record.Relations)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0].Value
	}
	t.Run("AIMEM-2.2-10 content_hash is always written, and null never", func(t *testing.T) {
		for _, m := range []Mapper{m, {Forms: m.Forms, Owner: m.Owner, Namespace: m.Namespace, Bare: true}} {
			v := leaves(m)
			if v.Get("content_hash").Text() != textHash("x") {
				t.Errorf("no hash in %s", v.Append(nil))
			}
			for _, name := range []string{"zone", "is_pinned", "tags", "embedding"} {
				if v.Has(name) {
					t.Errorf("%s in %s", name, v.Append(nil))
				}
			}
			if v.Get("x_other").Type() != canon.TypeNull || !v.Has("x_other") {
				t.Errorf("an unknown member is not as it came: %s", v.Append(nil))
			}
		}
	})
	t.Run("AIMEM-2.2-25 the owner's record comes back from it as it was", func(t *testing.T) {
		again, err := m.Convert(chunkFrom(leaves(m)), nil, nil)
		if err != nil || !again.Restored || form(t, again.Record) != form(t, taken.Record) {
			t.Errorf("%v: %s", err, again.Record.Form())
		}
	})
	t.Run("AIMEM-2.2-24 between the stateless forms null stays null", func(t *testing.T) {
		verbatim := m
		verbatim.Verbatim = true
		if got := leaves(verbatim); !canon.Equal(got, came.Value) {
			t.Errorf("%s\n%s", got.Append(nil), came.Value.Append(nil))
		}
	})
	t.Run("AIMEM-2.2-8 the parts of a long text have their own hashes", func(t *testing.T) {
		long := taken.Record
		long.Body.Text = fmt.Sprintf("%0*d", MaxContent+1, 1)
		all, _, err := m.Chunks(long, "urn:aimem:prod-a:l", nil)
		if err != nil || len(all) != 2 {
			t.Fatalf("%d chunks, %v", len(all), err)
		}
		for _, c := range all {
			if c.Value.Get("content_hash").Text() != textHash(c.Value.Get("content").Text()) {
				t.Errorf("%s has another hash", c.ID)
			}
		}
	})
}
