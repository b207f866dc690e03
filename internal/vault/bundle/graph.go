package bundle

import (
	"context"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// end is one end of an edge or link: the chunk's record, its fate, and whether it has no
// record yet, because this is a dry run.
type end struct {
	id     memory.ID
	fate   fate
	unreal bool
}

// fresh reports whether the record came with this very bundle.
func (e end) fresh() bool { return e.fate == inserted || e.fate == updated }

// endOf finds the record of a chunk of the bundle. It keeps the results of one run.
func (m *importMatcher) endOf(r store.Reader, urn aimem.URN) (end, error) {
	if e, ok := m.near.ends[urn]; ok {
		return e, nil
	}
	e, err := m.endFound(r, urn)
	if err == nil {
		m.near.ends[urn] = e
	}
	return e, err
}

func (m *importMatcher) endFound(r store.Reader, urn aimem.URN) (end, error) {
	if first, ok := m.parts[urn]; ok {
		urn = first
	}
	e := end{fate: m.fates[urnMarkOf(urn)]}
	if !e.fate.stays() {
		return e, nil
	}
	if id, ok := m.renewed[urn]; ok && e.fate == updated {
		e.id = id
		return e, nil
	}
	row, found, err := m.named(r, urn)
	if err == nil && !found {
		var c aimem.Chunk
		if c, err = m.bundle.Chunk(urn); err != nil {
			return e, err
		}
		var birth memory.ID
		if birth, err = m.mapper.RecordID(c, m.bundle); err != nil {
			return e, err
		}
		var f match
		f, err = m.find(r, c, birth)
		row, found = f.row, f.found()
	}
	e.id, e.unreal = row.ID, !found
	return e, err
}

// again reports whether the bundle had the same before, and notes its first place.
func (m *importMatcher) again(identity string, at uint32) bool {
	mark := urnMarkOf(identity)
	first, ok := m.met[mark]
	if ok && first < at {
		return true
	}
	m.met[mark] = at
	return false
}

// links imports the links between chunks and entities.
func (m *bundleImport) links(ctx context.Context) error {
	return judgeEach(ctx, m, m.bundle.Links, m.linkOne)
}

// judgeEach judges the elements of a walk one by one, and stores the attachments that
// judge returns. at is the position in the walk.
func judgeEach[T any](ctx context.Context, m *bundleImport, walk func(func(T) error) error, judge func(r store.Reader, one T, at uint32) (*store.Attachment, error)) error {
	return run(ctx, m, walk, func(r store.Reader, w store.Writer, some []T, first uint32) error {
		m.near = nearby{ends: map[aimem.URN]end{}, ways: map[memory.ID]ways{}}
		var list []store.Attachment
		for i, one := range some {
			a, err := judge(r, one, first+uint32(i))
			if err != nil {
				return err
			}
			if a != nil {
				list = append(list, *a)
			}
		}
		return m.attach(r, w, list)
	})
}

// linkOne judges one link and returns its attachment; nil: none.
func (m *bundleImport) linkOne(r store.Reader, l aimem.Link, at uint32) (*store.Attachment, error) {
	chunk, err := m.endOf(r, l.Chunk)
	if err != nil {
		return nil, err
	}
	if !chunk.fate.stays() || m.again("link\x00"+string(l.Chunk)+"\x00"+string(l.Entity), at) {
		m.brain.Links.Skipped++
		return nil, nil
	}
	if chunk.unreal {
		m.brain.Links.Inserted++
		return nil, nil
	}
	e, err := m.bundle.Entity(l.Entity)
	if err != nil {
		return nil, err
	}
	urn, kept, err := m.entity(r, e)
	if err != nil {
		return nil, err
	}
	if !kept {
		urn = l.Entity // named by new records only
	}
	says, err := m.mentions(r, chunk, e)
	if err != nil {
		return nil, err
	}
	key := linkKey(chunk.id, string(urn))
	known, err := m.has(r, vault.LinkSpace, key)
	if err != nil {
		return nil, err
	}
	if known || says && !chunk.fresh() {
		m.brain.Links.Skipped++
		return nil, nil
	}
	m.brain.Links.Inserted++
	if says && l.Value.Len() == 2 {
		if told, err := m.isTold(r, urn); told || err != nil {
			return nil, err
		}
	}
	return &store.Attachment{Space: vault.LinkSpace, Key: key, From: chunk.id, Data: l.Value.Append(nil)}, nil
}

// isTold reports whether an entity is given by relations alone.
func (m *importMatcher) isTold(r store.Reader, urn aimem.URN) (bool, error) {
	kept, err := m.has(r, vault.EntitySpace, string(urn))
	return !kept, err
}

// mentions reports whether a record's relations give the link to an entity.
func (m *importMatcher) mentions(r store.Reader, chunk end, e aimem.Entity) (bool, error) {
	w, err := m.waysOf(r, chunk.id)
	return err == nil && w.names[urnMarkOf(e.Name)], err
}

// edges imports the edges between chunks that have records here.
func (m *bundleImport) edges(ctx context.Context) error {
	return judgeEach(ctx, m, m.bundle.Edges, m.edgeOne)
}

// edgeOne judges one edge and returns its attachment; nil: none.
func (m *bundleImport) edgeOne(r store.Reader, e aimem.Edge, at uint32) (*store.Attachment, error) {
	source, err := m.endOf(r, e.Source)
	if err != nil {
		return nil, err
	}
	target, err := m.endOf(r, e.Target)
	if err != nil {
		return nil, err
	}
	switch {
	case m.again("edge\x00"+string(e.Source)+"\x00"+string(e.Target)+"\x00"+e.Type, at):
		m.brain.Edges.Skipped++
		return nil, nil // the bundle warns of it
	case !source.fate.stays() || !target.fate.stays():
		m.brain.Edges.Skipped++
		m.warn(aimem.Warning{Code: aimem.WarnEdgeSkipped, ID: e.Source, Detail: "a chunk at its end was left out"})
		return nil, nil
	case source.unreal || target.unreal:
		m.brain.Edges.Inserted++
		return nil, nil
	}
	return m.edgeBetween(r, e, source, target)
}

func (m *importMatcher) edgeBetween(r store.Reader, e aimem.Edge, source, target end) (*store.Attachment, error) {
	key := edgeKey(source.id, target.id, e.Type)
	known, err := m.has(r, vault.EdgeSpace, key)
	if err != nil {
		return nil, err
	}
	if known {
		m.brain.Edges.Skipped++
		return nil, nil
	}
	says, wholly, err := m.says(r, e, source, target)
	if err != nil {
		return nil, err
	}
	if says && !source.fresh() || source.id == target.id && e.Joins() {
		if source.fresh() {
			m.brain.Edges.Inserted++
		} else {
			m.brain.Edges.Skipped++
		}
		return nil, nil
	}
	m.brain.Edges.Inserted++
	if says && wholly {
		return nil, nil
	}
	if !says && !source.fresh() {
		m.grown = append(m.grown, source.id)
	}
	return &store.Attachment{Space: vault.EdgeSpace, Key: key, From: source.id, To: target.id, Data: e.Value.Append(nil)}, nil
}

// says reports whether the source's record has the relation of an edge, and whether that
// gives the whole edge again.
func (m *importMatcher) says(r store.Reader, e aimem.Edge, source, target end) (says, wholly bool, err error) {
	w, err := m.waysOf(r, source.id)
	if err != nil || !w.edges[wayMark(e.Type, string(target.id))] {
		return false, false, err
	}
	given := w.edge.With("source_id", canon.String(string(e.Source))).With("target_id", canon.String(string(e.Target))).
		With("edge_type", canon.String(e.Type))
	return true, canon.Equal(given, e.Value), nil
}
