package bundle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
)

// TestTableOfAD16 puts every row of decision AD-16, and those of AD-29, to the
// table.
func TestTableOfAD16(t *testing.T) {
	noon := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	base := aimem.Chunk{ID: "urn:aimem:p:1", Hash: "sha256:aa", MemoryType: aimem.Fact, Created: noon, CreatedAt: "2026-04-01T12:00:00Z"}
	with := func(change func(*aimem.Chunk)) aimem.Chunk {
		c := base
		change(&c)
		return c
	}
	at := func(d time.Duration) aimem.Chunk { return with(func(c *aimem.Chunk) { c.Created = noon.Add(d) }) }
	other := func(d time.Duration) aimem.Chunk {
		return with(func(c *aimem.Chunk) { c.Hash, c.Created = "sha256:bb", noon.Add(d) })
	}
	tagged := func(d time.Duration) aimem.Chunk {
		return with(func(c *aimem.Chunk) { c.Tags, c.Created = []string{"x"}, noon.Add(d) })
	}
	update, restore := aimem.Import{OnNewer: aimem.UpdateNewer}, aimem.Import{Restore: true}
	for _, row := range []struct {
		name     string
		have     known
		incoming aimem.Chunk
		o        aimem.Import
		fate     fate
		code     aimem.Code
		fields   []string
	}{
		{"nothing here", known{}, base, aimem.Import{}, inserted, "", nil},
		{"erased here", known{deleted: true}, base, aimem.Import{}, denied, aimem.DeletedByUser, nil},
		{"erased here, restored", known{deleted: true}, base, restore, inserted, "", nil},
		{"forgotten here", known{chunk: &base, deleted: true}, base, aimem.Import{}, denied, aimem.DeletedByUser, nil},
		{"forgotten here, update", known{chunk: &base, deleted: true}, other(time.Hour), update, denied, aimem.DeletedByUser, nil},
		{"forgotten here, restored", known{chunk: &base, deleted: true}, base, restore, inserted, "", nil},
		{"forgotten here, restored with another content", known{chunk: &base, deleted: true}, other(0), restore, conflicted, aimem.ContentConflict, nil},
		{"AIMEM-2.9-2 the same", known{chunk: &base}, base, aimem.Import{}, skipped, "", nil},
		{"AIMEM-2.9-3 another content, same time", known{chunk: &base}, other(0), aimem.Import{}, conflicted, aimem.ContentConflict, nil},
		{"AIMEM-2.9-3 another content, same time, update", known{chunk: &base}, other(0), update, conflicted, aimem.ContentConflict, nil},
		{"AIMEM-5.4-2 other tags", known{chunk: &base}, tagged(0), aimem.Import{}, disputed, aimem.FieldConflict, []string{"tags"}},
		{"AIMEM-5.4-2 other tags, update", known{chunk: &base}, tagged(0), update, disputed, aimem.FieldConflict, []string{"tags"}},
		{"AIMEM-5.4-2 all fields", known{chunk: &base}, with(func(c *aimem.Chunk) {
			c.MemoryType, c.Zone, c.Pinned, c.Tags = aimem.Identity, aimem.Critical, true, []string{"y"}
		}), aimem.Import{}, disputed, aimem.FieldConflict, []string{"memory_type", "zone", "is_pinned", "tags"}},
		{"content and fields, same time", known{chunk: &base}, with(func(c *aimem.Chunk) { c.Hash, c.Pinned = "sha256:bb", true }), aimem.Import{}, conflicted, aimem.ContentConflict, nil},
		{"the same, later", known{chunk: &base}, at(time.Nanosecond), aimem.Import{}, skipped, aimem.WarnCreatedAtDrift, nil},
		{"the same, later, update", known{chunk: &base}, at(time.Hour), update, skipped, aimem.WarnCreatedAtDrift, nil},
		{"AIMEM-2.9-7 the same, earlier", known{chunk: &base}, at(-time.Hour), aimem.Import{}, skipped, aimem.WarnCreatedAtDrift, nil},
		{"AIMEM-2.9-4 newer content", known{chunk: &base}, other(time.Nanosecond), aimem.Import{}, conflicted, aimem.NewerCreatedAt, nil},
		{"AIMEM-2.9-4 newer content, update", known{chunk: &base}, other(time.Nanosecond), update, updated, "", nil},
		{"newer fields", known{chunk: &base}, tagged(time.Hour), aimem.Import{}, conflicted, aimem.NewerCreatedAt, nil},
		{"newer fields, update", known{chunk: &base}, tagged(time.Hour), update, updated, "", nil},
		{"AIMEM-2.9-7 older content", known{chunk: &base}, other(-time.Nanosecond), aimem.Import{}, conflicted, aimem.OlderCreatedAt, nil},
		{"AIMEM-2.9-7 older content, update", known{chunk: &base}, other(-time.Hour), update, conflicted, aimem.OlderCreatedAt, nil},
		{"older fields", known{chunk: &base}, tagged(-time.Hour), update, conflicted, aimem.OlderCreatedAt, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := judgeChunk(row.have, row.incoming, "", row.o)
			if got.fate != row.fate || got.code != row.code || !slices.Equal(got.fields, row.fields) {
				t.Errorf("got %+v, want %+v", got, sentence{fate: row.fate, code: row.code, fields: row.fields})
			}
			if want := row.fate == inserted && row.have.chunk != nil; got.revive != want {
				t.Errorf("revive %v, want %v", got.revive, want)
			}
		})
	}
}

// TestDefaultsOfFields: what is absent is what it defaults to, but a zone that is
// not said is not the standard one.
func TestDefaultsOfFields(t *testing.T) {
	var plain aimem.Chunk
	if got := changedFields(plain, aimem.Chunk{Tags: []string{}}, false); got != nil {
		t.Errorf("no tags and none: %v", got)
	}
	if got := changedFields(plain, aimem.Chunk{Zone: aimem.Standard}, false); !slices.Equal(got, []string{"zone"}) {
		t.Errorf("no zone and standard: %v", got)
	}
	if got := changedFields(aimem.Chunk{Tags: []string{"a", "b"}}, aimem.Chunk{Tags: []string{"b", "a"}}, false); !slices.Equal(got, []string{"tags"}) {
		t.Errorf("tags in another order: %v", got)
	}
	for _, c := range []struct {
		stored, incoming string
		sameModel, want  bool
	}{
		{"AAAA", "BBBB", true, true}, {"AAAA", "AAAA", true, false}, {"AAAA", "BBBB", false, false}, {"", "BBBB", true, false}, {"AAAA", "", true, false},
	} {
		got := changedFields(aimem.Chunk{Embedding: c.stored}, aimem.Chunk{Embedding: c.incoming}, c.sameModel)
		if fmt.Sprint(got) != map[bool]string{true: "[embedding]", false: "[]"}[c.want] {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestFates says on which chunks edges and links hang (decision AD-17).
func TestFates(t *testing.T) {
	for f, want := range map[fate]bool{inserted: true, updated: true, skipped: true, disputed: true, conflicted: false, denied: false, withheld: false} {
		if f.stays() != want {
			t.Errorf("fate %d: %v", f, f.stays())
		}
	}
}
