package vault

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// find returns the row of the record that a chunk is here, by the first name that
// leads to one: its URN; where it came from, as it says, if its content is the same;
// the record it carries; and the record that would be made of it (decision AD-7).
func (m *bringing) find(r store.Reader, c aimem.Chunk, birth memory.ID) (store.Row, bool, error) {
	row, found, err := m.named(r, c.ID)
	if found || err != nil {
		return row, found, err
	}
	if origin := c.Value.Get("x_origin_id").Text(); origin != "" {
		row, found, err = m.named(r, aimem.URN(origin))
		if err != nil {
			return row, false, err
		}
		if found {
			rec, err := m.vault.record(r, row)
			if err != nil || m.mapper.Standing(rec).Hash == c.Hash {
				return row, err == nil, err
			}
		}
	}
	for _, id := range []memory.ID{memory.ID(c.Value.Get("x_ump").Get("record").Get("id").Text()), birth} {
		if id == "" {
			continue
		}
		if row, found, err = m.held(r, id); found || err != nil {
			return row, found, err
		}
	}
	return store.Row{}, false, nil
}

// named returns the row that a URN leads to: by an alias, or, in our own namespace,
// by the record's id in it.
func (m *bringing) named(r store.Reader, urn aimem.URN) (store.Row, bool, error) {
	id, err := r.Alias(aliasSpace, string(urn))
	if err == nil {
		return m.held(r, id)
	}
	local, ours := strings.CutPrefix(string(urn), "urn:aimem:"+m.mapper.Producer+":")
	if !errors.Is(err, store.ErrNotFound) || !ours || m.mapper.Producer == "" {
		return store.Row{}, false, notFoundIsNone(err)
	}
	return m.held(r, memory.ID("urn:ump:"+local))
}

// held returns the row of a record that is here or that this import has staged. One
// that another import has staged is waited for.
func (m *bringing) held(r store.Reader, id memory.ID) (store.Row, bool, error) {
	w, writes := r.(store.Writer)
	if !writes {
		row, err := r.Row(id)
		return row, err == nil, notFoundIsNone(err)
	}
	row, err := w.Holder(id)
	if err == nil && row.Columns.Staged && row.Columns.Import != m.number {
		return row, false, &errBeside{row.Columns.Import}
	}
	return row, err == nil, notFoundIsNone(err)
}

func notFoundIsNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// target says which record a chunk at the end of an edge is or will be, and "" for
// one that is left out.
func (m *bringing) target(r store.Reader, urn aimem.URN) (memory.ID, error) {
	if id, ok := m.births.of(urn); ok {
		return id, nil
	}
	c, err := m.bundle.Chunk(urn)
	if err != nil {
		return "", err
	}
	id, err := m.mapper.Birth(c, m.bundle)
	if err != nil || id == "" {
		return "", err // the rest of a long text: the edge stands beside
	}
	row, found, err := m.find(r, c, id)
	if err != nil {
		return "", err
	}
	have, _, err := m.have(r, row, found, m.denies.reading, c, id)
	if err != nil {
		return "", err
	}
	switch s := judgeChunk(have, c, m.bundle.Envelope().EmbeddingModel, m.asked); {
	case !s.fate.stays() || s.fate == updated:
		id = ""
	case found:
		id = row.ID
	}
	m.births.keep(urn, id)
	return id, nil
}

// have is what is here of a chunk: the record, as a chunk and as it is, and whether
// the owner has deleted it.
func (m *bringing) have(r store.Reader, row store.Row, found, denies bool, c aimem.Chunk, birth memory.ID) (known, memory.Record, error) {
	if !found && !denies {
		return known{}, memory.Record{}, nil
	}
	if !found {
		deleted, err := m.vault.isDenied(r, m.caller.Owner, m.namesOfChunk(c, birth)...)
		return known{deleted: deleted}, memory.Record{}, err
	}
	rec, err := m.vault.record(r, row)
	if err != nil {
		return known{}, rec, err
	}
	standing := m.mapper.Standing(rec)
	k := known{chunk: &standing, deleted: rec.Lifecycle.Status == memory.Tombstoned}
	if c.Embedding != "" {
		k.model = m.bundle.Envelope().EmbeddingModel
		k.chunk.Embedding, err = embeddingOf(r, row, k.model)
	}
	return k, rec, err
}

// embeddingOf is the embedding of a model that a record came with; empty: none.
func embeddingOf(r store.Reader, row store.Row, model string) (string, error) {
	imp := int64(0)
	if row.Columns.Staged {
		imp = row.Columns.Import
	}
	a, err := r.Attached(vectorSpace, vectorKey(row.ID, model), imp)
	if err != nil {
		return "", notFoundIsNone(err)
	}
	x, err := storedVector(a.Data)
	return x.text(), err
}

// namesOfChunk lists the names by which a chunk may be on the deny list.
func (m *bringing) namesOfChunk(c aimem.Chunk, birth memory.ID) []string {
	var names []string
	for _, name := range []string{string(c.ID), string(m.mapper.Alias(c.ID)), string(m.mapper.URN(birth)), c.Value.Get("x_origin_id").Text(), c.Value.Get("x_ump").Get("record").Get("id").Text(), string(birth)} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// births remembers which records chunks are or will be, those that were asked for
// lately. It holds two generations and forgets the older when the younger is full.
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
