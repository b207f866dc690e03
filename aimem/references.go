package aimem

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"sort"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// references checks the rules about several records: ids are unique, and edges and links
// join records of the bundle.
func (in *inspector) references() error {
	b := in.b
	for _, step := range []func() error{
		func() error {
			return in.checkUnique(chunkRecord, b.chunks.sort(), DuplicateChunkID, "AIMEM-2.3-5")
		},
		func() error {
			return in.checkUnique(entityRecord, b.entities.sort(), DuplicateEntityID, "AIMEM-2.5-6")
		},
		in.warnShared, in.checkEdges, in.checkLinks,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkUnique reports the records whose id an earlier record has.
func (in *inspector) checkUnique(k recordKind, repeated []int64, code Code, rule string) error {
	if len(repeated) == 0 {
		return nil
	}
	return in.doc.walk(k, func(r record) error {
		if _, found := slices.BinarySearch(repeated, r.at); !found {
			return nil
		}
		return in.violation(&Fault{Code: code, Pointer: pointerOf(r, "id"), Rule: rule, Detail: "the id is that of an earlier " + k.line()})
	})
}

func pointerOf(r record, member string) string {
	return canon.Pointer(r.kind.array(), strconv.Itoa(r.n), member)
}

// warnShared warns of entities with the id of a chunk (decision AD-8).
func (in *inspector) warnShared() error {
	chunks, entities := in.b.chunks, in.b.entities
	both := func() bool {
		for i := range entities {
			if _, ok := chunks.find(entities[i].hash); ok {
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

// checkEdges checks that edges join chunks of the bundle (section 2.4).
func (in *inspector) checkEdges() error {
	repeats, edges := in.refs.repeats, in.refs.edges
	in.refs.repeats, in.refs.edges = nil, nil
	if found, ok := incidenceOf(edges, in.b.chunks, in.b.chunks); ok && !in.refs.overflow {
		in.b.edges = found
		in.warnRepeated(repeats)
		return nil
	}
	return in.walkEdges()
}

func (in *inspector) warnRepeated(edges triples) {
	for _, n := range edges.repeated() {
		in.warnings.add(Warning{Code: WarnDuplicateEdge, Pointer: canon.Pointer(memberEdges, strconv.Itoa(n)), Detail: "an earlier edge has the same ends and type"})
	}
}

// walkEdges is checkEdges in another walk of the document, if an end was not found or
// there were too many edges to note.
func (in *inspector) walkEdges() error {
	var repeats triples
	err := in.doc.walk(edgeRecord, func(r record) error {
		edge := edgeFrom(r.value)
		rank, known := in.b.chunks.rank(edge.Source)
		if !known && edge.Source != "" {
			if err := in.violation(dangling(r, EdgeSourceUnknown, "source_id", "AIMEM-2.4-4", "chunk")); err != nil {
				return err
			}
		}
		if edge.Target != "" && !in.b.Has(edge.Target) {
			if err := in.violation(dangling(r, EdgeTargetUnknown, "target_id", "AIMEM-2.4-4", "chunk")); err != nil {
				return err
			}
		}
		in.b.edges = append(in.b.edges, incident{uint32(rank), r.at})
		repeats.add(edge, r.n)
		return nil
	})
	in.b.edges.sort()
	in.warnRepeated(repeats)
	return err
}

// checkLinks checks that links join a chunk and an entity of the bundle (section 2.6).
func (in *inspector) checkLinks() error {
	links := in.refs.links
	in.refs.links = nil
	if found, ok := incidenceOf(links, in.b.chunks, in.b.entities); ok && !in.refs.overflow {
		in.b.links = found
		return nil
	}
	return in.walkLinks()
}

// walkLinks is checkLinks in another walk of the document, like walkEdges.
func (in *inspector) walkLinks() error {
	err := in.doc.walk(linkRecord, func(r record) error {
		link := linkFrom(r.value)
		rank, known := in.b.chunks.rank(link.Chunk)
		if !known && link.Chunk != "" {
			if err := in.violation(dangling(r, LinkChunkUnknown, "chunk_id", "AIMEM-2.6-2", "chunk")); err != nil {
				return err
			}
		}
		if _, ok := in.b.entities.rank(link.Entity); !ok && link.Entity != "" {
			if err := in.violation(dangling(r, LinkEntityUnknown, "entity_id", "AIMEM-2.6-3", "entity")); err != nil {
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

// reference is an edge or a link between two records, which may come later in the
// document. It takes 32 bytes until its ends are looked up.
type reference struct {
	source, target [12]byte // of the marks of both ids
	at             int64
}

// maxReferences bounds how many are held. The ends of further ones are looked up in a
// walk of their own.
const maxReferences = 1 << 18

// referenceList holds the edges and links read so far.
type referenceList struct {
	edges, links []reference
	repeats      triples // of edges
	overflow     bool    // there are too many
}

// add notes the ends of a record.
func (t *referenceList) add(r record) {
	switch {
	case t.overflow || r.kind != edgeRecord && r.kind != linkRecord:
	case len(t.edges)+len(t.links) >= maxReferences:
		*t = referenceList{overflow: true}
	case r.kind == edgeRecord:
		edge := edgeFrom(r.value)
		t.edges = append(t.edges, referenceOf(edge.Source, edge.Target, r.at))
		t.repeats.add(edge, r.n)
	default:
		link := linkFrom(r.value)
		t.links = append(t.links, referenceOf(link.Chunk, link.Entity, r.at))
	}
}

func referenceOf(from, to URN, at int64) reference {
	x, y := sha256.Sum256([]byte(from)), sha256.Sum256([]byte(to))
	return reference{source: [12]byte(x[:12]), target: [12]byte(y[:12]), at: at}
}

// incidenceOf returns the edges or links of each chunk. It returns false if an end is in
// no record: then a walk of the document finds and reports it.
func incidenceOf(list []reference, chunks, targets ids) (incidence, bool) {
	found := make(incidence, len(list))
	for i, t := range list {
		rank, ok := chunks.begins(t.source)
		if !ok {
			return nil, false
		}
		if _, ok := targets.begins(t.target); !ok {
			return nil, false
		}
		found[i] = incident{uint32(rank), t.at}
	}
	found.sort()
	return found, true
}

// begins returns the position of the id whose hash begins with short.
func (x ids) begins(short [12]byte) (int, bool) {
	return sort.Find(len(x), func(i int) int { return bytes.Compare(short[:], x[i].hash[:12]) })
}
