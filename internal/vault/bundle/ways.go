package bundle

import (
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// nearby holds the lookups of a run of edges or links, so that many of one record read
// it once. Nothing of it changes while the run lasts.
type nearby struct {
	ends map[aimem.URN]end
	ways map[memory.ID]ways
	size int // of ways
}

// nearbyWays bounds how many relations are at hand: 16 bytes and some for each.
const nearbyWays = 1 << 17

// ways is what the relations of a record give: edges by type and target, names of
// entities, and an edge with all that its edges have in common.
type ways struct {
	edges map[urnMark]bool
	names map[urnMark]bool
	edge  canon.Value
}

func wayMark(kind, target string) urnMark { return urnMarkOf(kind + "\x00" + target) }

// waysOf returns the targets of a record that is here or staged; none if there is no
// record.
func (m *importMatcher) waysOf(r store.Reader, id memory.ID) (ways, error) {
	if w, ok := m.near.ways[id]; ok {
		return w, nil
	}
	row, found, err := m.held(r, id)
	if err != nil || !found {
		return ways{}, err
	}
	rec, err := vault.Decoded(row)
	if err != nil {
		return ways{}, err
	}
	w := ways{edges: map[urnMark]bool{}, names: map[urnMark]bool{}}
	for _, rel := range rec.Relations {
		if name, ok := aimem.EntityName(rel); ok {
			w.names[urnMarkOf(name)] = true
		}
	}
	itself := func(id memory.ID) (aimem.URN, error) { return aimem.URN(id), nil }
	edges, err := m.mapper.Edges(rec, []aimem.Chunk{{}}, itself)
	for _, e := range edges {
		w.edges[wayMark(e.Type, string(e.Target))], w.edge = true, e.Value
	}
	if m.near.size += len(w.edges) + len(w.names); m.near.size > nearbyWays {
		m.near.ways, m.near.size = map[memory.ID]ways{}, len(w.edges)+len(w.names)
	}
	m.near.ways[id] = w
	return w, err
}
