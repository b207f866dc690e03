package aimem

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// references checks what concerns several records: ids that are used once, and
// edges and links between records that are in the bundle.
func (in *inspector) references() error {
	b := in.b
	for _, step := range []func() error{
		func() error {
			return in.unique(chunkRecord, b.chunks.sort(), DuplicateChunkID, "AIMEM-2.3-5")
		},
		func() error {
			return in.unique(entityRecord, b.entities.sort(), DuplicateEntityID, "AIMEM-2.5-6")
		},
		in.shared, in.ends, in.joins,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// unique takes the records whose ids earlier ones have.
func (in *inspector) unique(k recordKind, repeated []int64, code Code, rule string) error {
	if len(repeated) == 0 {
		return nil
	}
	return in.doc.walk(k, func(r record) error {
		if _, found := slices.BinarySearch(repeated, r.at); !found {
			return nil
		}
		return in.fault(&Fault{Code: code, Pointer: pointerOf(r, "id"), Rule: rule, Detail: "the id is that of an earlier " + k.line()})
	})
}

func pointerOf(r record, member string) string {
	return canon.Pointer(r.kind.array(), strconv.Itoa(r.n), member)
}

// shared warns of entities with the id of a chunk (decision AD-8).
func (in *inspector) shared() error {
	chunks, entities := in.b.chunks, in.b.entities
	both := func() bool {
		for i := range entities {
			if _, ok := chunks.find(entities[i].mark); ok {
				return true
			}
		}
		return false
	}
	if !both() {
		return nil
	}
	return in.doc.walk(entityRecord, func(r record) error {
		if id := URN(r.value.Get("id").Text()); in.b.Has(id) {
			in.warnings.add(Warning{Code: WarnSharedID, ID: id, Pointer: pointerOf(r, "id"), Detail: "a chunk has the same id"})
		}
		return nil
	})
}

// ends checks that edges lie between chunks of the bundle (section 2.4).
func (in *inspector) ends() error {
	repeats, edges := in.ties.repeats, in.ties.edges
	in.ties.repeats, in.ties.edges = nil, nil
	if found, ok := incidenceOf(edges, in.b.chunks, in.b.chunks); ok && !in.ties.dropped {
		in.b.edges = found
		in.repeated(repeats)
		return nil
	}
	return in.walkEnds()
}

func (in *inspector) repeated(edges triples) {
	for _, n := range edges.repeated() {
		in.warnings.add(Warning{Code: WarnDuplicateEdge, Pointer: canon.Pointer(memberEdges, strconv.Itoa(n)), Detail: "an earlier edge has the same ends and type"})
	}
}

// walkEnds is ends for edges that were not noted, or not all found.
func (in *inspector) walkEnds() error {
	var repeats triples
	err := in.doc.walk(edgeRecord, func(r record) error {
		edge := edgeFrom(r.value)
		rank, known := in.b.chunks.rank(edge.Source)
		if !known && edge.Source != "" {
			if err := in.fault(dangling(r, EdgeSourceUnknown, "source_id", "AIMEM-2.4-4", "chunk")); err != nil {
				return err
			}
		}
		if edge.Target != "" && !in.b.Has(edge.Target) {
			if err := in.fault(dangling(r, EdgeTargetUnknown, "target_id", "AIMEM-2.4-4", "chunk")); err != nil {
				return err
			}
		}
		in.b.edges = append(in.b.edges, incident{uint32(rank), r.at})
		repeats.add(edge, r.n)
		return nil
	})
	in.b.edges.sort()
	in.repeated(repeats)
	return err
}

// joins checks that links join a chunk and an entity of the bundle (section 2.6).
func (in *inspector) joins() error {
	links := in.ties.links
	in.ties.links = nil
	if found, ok := incidenceOf(links, in.b.chunks, in.b.entities); ok && !in.ties.dropped {
		in.b.links = found
		return nil
	}
	return in.walkJoins()
}

// walkJoins is joins for links that were not noted, or not all found.
func (in *inspector) walkJoins() error {
	err := in.doc.walk(linkRecord, func(r record) error {
		link := linkFrom(r.value)
		rank, known := in.b.chunks.rank(link.Chunk)
		if !known && link.Chunk != "" {
			if err := in.fault(dangling(r, LinkChunkUnknown, "chunk_id", "AIMEM-2.6-2", "chunk")); err != nil {
				return err
			}
		}
		if _, ok := in.b.entities.rank(link.Entity); !ok && link.Entity != "" {
			if err := in.fault(dangling(r, LinkEntityUnknown, "entity_id", "AIMEM-2.6-3", "entity")); err != nil {
				return err
			}
		}
		in.b.links = append(in.b.links, incident{uint32(rank), r.at})
		return nil
	})
	in.b.links.sort()
	return err
}

func dangling(r record, code Code, member, rule, what string) *Fault {
	return &Fault{Code: code, Pointer: pointerOf(r, member), Rule: rule, Detail: member + " names no " + what + " of the bundle"}
}

// triples finds edges that are repeated: 16 bytes each, while they are looked for.
type triples []triple

type triple struct {
	sum [12]byte // of source, target and type
	n   uint32
}

func (t *triples) add(e Edge, n int) {
	sum := sha256.Sum256([]byte(string(e.Source) + "\x00" + string(e.Target) + "\x00" + e.Type))
	*t = append(*t, triple{[12]byte(sum[:12]), uint32(n)})
}

// repeated returns the indexes of edges that are like an earlier one.
func (t triples) repeated() []int {
	slices.SortFunc(t, func(a, b triple) int {
		if c := slices.Compare(a.sum[:], b.sum[:]); c != 0 {
			return c
		}
		return cmp.Compare(a.n, b.n)
	})
	var repeated []int
	for i := 1; i < len(t); i++ {
		if t[i].sum == t[i-1].sum {
			repeated = append(repeated, int(t[i].n))
		}
	}
	slices.Sort(repeated)
	return repeated
}
