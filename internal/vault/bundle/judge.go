package bundle

import (
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// fate is the decision about a chunk of a bundle.
type fate uint8

// The fates (decision AD-16).
const (
	inserted fate = iota + 1
	updated
	skipped    // it is here already
	denied     // skipped, because it was deleted here (decision AD-29)
	withheld   // skipped, because its retention is over
	conflicted // rejected, with its edges and links
	disputed   // rejected for its fields alone: edges and links use the record here
)

// isGone reports whether the chunk stays out because the owner removed it.
func (f fate) isGone() bool { return f == denied || f == withheld }

// stays reports whether the chunk has a record here when the import is done.
func (f fate) stays() bool { return f != denied && f != withheld && f != conflicted }

// sentence is the decision of AD-16's table about one chunk.
type sentence struct {
	fate   fate
	code   aimem.Code // of a rejected one, or of the warning that goes with a skipped one
	fields []string   // with field_conflict
	revive bool       // inserted by reverting its tombstone
	hidden bool       // of a record that the caller may not know of
	part   bool       // rejected as a part of a text that is replaced as a whole only
}

// known is the store's side of the table: a chunk as it would be exported now, and
// whether the owner has deleted it. The zero known: nothing is here.
type known struct {
	chunk   *aimem.Chunk // nil: no record
	model   string       // of the chunk's embedding
	deleted bool         // erased, or a tombstone
	part    bool         // chunk is one of several that the record leaves as
}

// sentence judges a chunk by the table. For a record that the caller may not know of,
// the answer is the same whatever the chunk says: a guess is neither right nor wrong.
func (m *importMatcher) sentence(r store.Reader, have known, rec memory.Record, c aimem.Chunk) (sentence, error) {
	s := judgeChunk(have, c, m.bundle.Envelope().EmbeddingModel, m.asked)
	if have.chunk == nil || s.fate == denied {
		return s, nil
	}
	seen, err := m.sees(r, rec)
	if err == nil && !seen {
		s = sentence{fate: conflicted, code: aimem.ContentConflict, hidden: true}
	}
	return s, err
}

// sees reports whether the caller may know of a record.
func (m *importMatcher) sees(r store.Reader, rec memory.Record) (bool, error) {
	if m.Caller.Speaks() {
		return true, nil
	}
	g, err := m.kernel.Gate(r, m.Caller)
	if err != nil {
		return false, err
	}
	return g.Sees(rec)
}

// judgeChunk is the table of decision AD-16, with the rows of AD-29. model is of
// the incoming chunk's embedding.
func judgeChunk(have known, incoming aimem.Chunk, model string, o aimem.Import) sentence {
	switch {
	case have.deleted && !o.Restore:
		return sentence{fate: denied, code: aimem.DeletedByUser}
	case have.chunk == nil:
		return sentence{fate: inserted}
	}
	stored := *have.chunk
	sameHash := stored.Hash == incoming.Hash
	fields := changedFields(stored, incoming, have.model == model)
	age := incoming.Created.Compare(stored.Created)
	switch {
	case sameHash && len(fields) == 0:
		return unchangedChunk(have.deleted, age)
	case !sameHash && age == 0:
		return sentence{fate: conflicted, code: aimem.ContentConflict}
	case age == 0:
		return sentence{fate: disputed, code: aimem.FieldConflict, fields: fields}
	case age < 0:
		return sentence{fate: conflicted, code: aimem.OlderCreatedAt}
	case o.OnNewer == aimem.UpdateNewer && !have.part:
		return sentence{fate: updated}
	}
	return sentence{fate: conflicted, code: aimem.NewerCreatedAt, part: have.part}
}

// unchangedChunk decides about a chunk equal to the record here: nothing to do, unless
// that was forgotten and is to be restored.
func unchangedChunk(deleted bool, age int) sentence {
	switch {
	case deleted:
		return sentence{fate: inserted, revive: true}
	case age != 0:
		return sentence{fate: skipped, code: aimem.WarnCreatedAtDrift}
	}
	return sentence{fate: skipped}
}

// changedFields names the differences besides content and time. An absent field has its
// default; embeddings are compared where both have one of the same model.
func changedFields(stored, incoming aimem.Chunk, sameModel bool) []string {
	var fields []string
	differs := func(name string, yes bool) {
		if yes {
			fields = append(fields, name)
		}
	}
	differs("memory_type", stored.MemoryType != incoming.MemoryType)
	differs("zone", stored.Zone != incoming.Zone)
	differs("is_pinned", stored.Pinned != incoming.Pinned)
	differs("tags", !slices.Equal(stored.Tags, incoming.Tags))
	differs("embedding", sameModel && stored.Embedding != "" && incoming.Embedding != "" && stored.Embedding != incoming.Embedding)
	return fields
}

// rejection reports a chunk that conflicts with the record here.
func rejection(s sentence, stored, incoming aimem.Chunk) aimem.Rejection {
	out := aimem.Rejection{
		ID: incoming.ID, Code: s.code, Fields: s.fields, Detail: rejectedDetail(s.code),
		Stored: standingOf(stored), Incoming: standingOf(incoming),
	}
	if s.part {
		out.Detail = "it is newer than the part of a long text that is here; revise that text, or give the chunk another id"
	}
	return out
}

// rejectedDetail says in words why a chunk is rejected.
func rejectedDetail(code aimem.Code) string {
	switch code {
	case aimem.ContentConflict:
		return "another content stands here under this id and time; give the changed chunk an id or a later created_at"
	case aimem.FieldConflict:
		return "the same content stands here under this id and time with other fields; change them here instead"
	case aimem.NewerCreatedAt:
		return "it is newer than what is here; import with on_newer=update to replace that"
	case aimem.OlderCreatedAt:
		return "it is older than what is here, which stays"
	}
	return ""
}

func standingOf(c aimem.Chunk) aimem.ConflictSide {
	created := c.CreatedAt
	if created == "" && !c.Created.IsZero() {
		created = aimem.FormatInstant(c.Created)
	}
	return aimem.ConflictSide{ContentHash: c.Hash, CreatedAt: created}
}
