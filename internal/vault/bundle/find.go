package bundle

import (
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// match is the record here that a chunk stands for, and which of the record's chunks it
// is. The zero match: it is not here.
type match struct {
	row  store.Row
	part int // from 1
}

func (f match) found() bool { return f.part > 0 }

// find returns the match of a chunk, by the first name that leads to a record: its URN;
// its origin, as the chunk or the record states it, and the text of which it is a part,
// both only with equal content; the record it carries; and the record that would be made
// of it (decision AD-7).
func (m *importMatcher) find(r store.Reader, c aimem.Chunk, birth memory.ID) (match, error) {
	f, err := m.led(r, c.ID)
	if f.found() || err != nil {
		return f, err
	}
	for _, lead := range []lead{m.cameFrom, m.tellsOf, m.continuing(m.cameFrom), m.continuing(m.tellsOf), m.carries} {
		if f, err = lead(r, c); err == nil && f.found() {
			f, err = m.ifSame(r, f, c)
		}
		if f.found() || err != nil {
			return f, err
		}
	}
	if row, found, err := m.held(r, birth); found || err != nil {
		return match{row, 1}, err
	}
	return match{}, nil
}

// carries follows the id of the record that a chunk carries.
func (m *importMatcher) carries(r store.Reader, c aimem.Chunk) (match, error) {
	id := c.CarriedID()
	if id == "" {
		return match{}, nil
	}
	row, found, err := m.held(r, id)
	if err != nil || !found {
		return match{}, err
	}
	return match{row, 1}, nil
}

// named returns the row that a URN leads to: by an alias, or, in our own namespace, by
// the record's id in it.
func (m *importMatcher) named(r store.Reader, urn aimem.URN) (store.Row, bool, error) {
	id, err := r.Alias(vault.AliasSpace, string(urn))
	if err == nil {
		return m.held(r, id)
	}
	born, ours := m.mapper.RecordOf(urn)
	if !errors.Is(err, store.ErrNotFound) || !ours {
		return store.Row{}, false, vault.NotFoundIsNone(err)
	}
	return m.held(r, born)
}

// held returns the row of a record that is here or that this import has staged. It waits
// for a record that another import has staged; a foreign record is no chunk.
func (m *importMatcher) held(r store.Reader, id memory.ID) (store.Row, bool, error) {
	w, writes := r.(store.Writer)
	if !writes {
		row, err := r.Row(id)
		return row, err == nil && !m.isForeign(row), vault.NotFoundIsNone(err)
	}
	row, err := w.Holder(id)
	if err == nil && row.Columns.Staged && row.Columns.Import != m.Number {
		return row, false, &errBeside{row.Columns.Import}
	}
	return row, err == nil && !m.isForeign(row), vault.NotFoundIsNone(err)
}

// isForeign reports whether a row holds another owner's record.
func (m *importMatcher) isForeign(row store.Row) bool {
	return vault.OfAnother(row, memory.Record{Scope: memory.Scope{Owner: m.Caller.Owner}})
}

// target returns the present or future record of a chunk at the end of an edge, and ""
// for an omitted chunk.
func (m *importMatcher) target(r store.Reader, urn aimem.URN) (memory.ID, error) {
	if id, ok := m.births.of(urn); ok {
		return id, nil
	}
	c, err := m.bundle.Chunk(urn)
	if err != nil {
		return "", err
	}
	id, err := m.mapper.RecordID(c, m.bundle)
	if err != nil || id == "" {
		return "", err // the rest of a long text: the edge is attached
	}
	f, err := m.find(r, c, id)
	if err != nil {
		return "", err
	}
	have, rec, err := m.have(r, f, m.denies.reading, c, id)
	if err != nil {
		return "", err
	}
	s, err := m.sentence(r, have, rec, c)
	switch {
	case err != nil:
		return "", err
	case !s.fate.stays() || s.fate == updated:
		id = ""
	case f.found():
		id = f.row.ID
	}
	m.births.keep(urn, id)
	return id, nil
}

// have returns what the store has of a chunk: the record, as a chunk and as it is, and
// whether the owner has deleted it.
func (m *importMatcher) have(r store.Reader, f match, denies bool, c aimem.Chunk, birth memory.ID) (known, memory.Record, error) {
	if !f.found() && !denies {
		return known{}, memory.Record{}, nil
	}
	if !f.found() {
		names, err := m.namesOfChunk(c, birth)
		if err != nil {
			return known{}, memory.Record{}, err
		}
		deleted, err := m.kernel.IsDenied(r, m.Caller.Owner, names...)
		return known{deleted: deleted}, memory.Record{}, err
	}
	rec, err := m.kernel.Record(r, f.row)
	if err != nil {
		return known{}, rec, err
	}
	k := m.known(rec, f.part, c)
	if c.Embedding != "" {
		k.model = m.bundle.Envelope().EmbeddingModel
		k.chunk.Embedding, err = embeddingOf(r, f.row, k.model)
	}
	return k, rec, err
}

// embeddingOf is the embedding by a model that a record came with; empty: none.
func embeddingOf(r store.Reader, row store.Row, model string) (string, error) {
	imp := int64(0)
	if row.Columns.Staged {
		imp = row.Columns.Import
	}
	a, err := r.Attached(vault.VectorSpace, vectorKey(row.ID, model), imp)
	if err != nil {
		return "", vault.NotFoundIsNone(err)
	}
	x, err := storedVector(a.Data)
	return x.text(), err
}

// births remembers the records of chunks from recent lookups. It holds two generations
// and forgets the older when the younger is full.
type births struct{ young, old map[urnMark]memory.ID }

const birthGeneration = 1 << 14

func (b *births) of(urn aimem.URN) (memory.ID, bool) {
	mark := urnMarkOf(urn)
	if id, ok := b.young[mark]; ok {
		return id, true
	}
	id, ok := b.old[mark]
	return id, ok
}

func (b *births) keep(urn aimem.URN, id memory.ID) {
	if len(b.young) >= birthGeneration || b.young == nil {
		b.old, b.young = b.young, make(map[urnMark]memory.ID)
	}
	b.young[urnMarkOf(urn)] = id
}
