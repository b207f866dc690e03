package aimem

import (
	"bytes"
	"crypto/sha256"
	"sort"
)

// tie is an edge or a link between two records, which may come later in the
// document: 32 bytes each, until its ends are looked up.
type tie struct {
	from, to [12]byte // of the marks of both ids
	at       int64
}

// maxTies bounds how many are held. The ends of further ones are looked up in a
// walk of their own.
const maxTies = 1 << 18

// ties are the edges and links met so far.
type ties struct {
	edges, links []tie
	repeats      triples // of edges
	dropped      bool    // there are too many
}

// add notes the ends of a record.
func (t *ties) add(r record) {
	switch {
	case t.dropped || r.kind != edgeRecord && r.kind != linkRecord:
	case len(t.edges)+len(t.links) >= maxTies:
		*t = ties{dropped: true}
	case r.kind == edgeRecord:
		edge := edgeFrom(r.value)
		t.edges = append(t.edges, tieOf(edge.Source, edge.Target, r.at))
		t.repeats.add(edge, r.n)
	default:
		link := linkFrom(r.value)
		t.links = append(t.links, tieOf(link.Chunk, link.Entity, r.at))
	}
}

func tieOf(from, to URN, at int64) tie {
	x, y := sha256.Sum256([]byte(from)), sha256.Sum256([]byte(to))
	return tie{from: [12]byte(x[:12]), to: [12]byte(y[:12]), at: at}
}

// incidenceOf returns what hangs on which chunk, or false when an end of one is in
// no record: which, and what is to be said of it, shows a walk.
func incidenceOf(list []tie, chunks, targets ids) (incidence, bool) {
	found := make(incidence, len(list))
	for i, t := range list {
		rank, ok := chunks.begins(t.from)
		if !ok {
			return nil, false
		}
		if _, ok := targets.begins(t.to); !ok {
			return nil, false
		}
		found[i] = incident{uint32(rank), t.at}
	}
	found.sort()
	return found, true
}

// begins returns the position of the id whose mark begins so.
func (x ids) begins(short [12]byte) (int, bool) {
	return sort.Find(len(x), func(i int) int { return bytes.Compare(short[:], x[i].mark[:12]) })
}
