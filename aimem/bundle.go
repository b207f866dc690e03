package aimem

import (
	"errors"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Bundle is a bundle that was opened: it is known to be whole and valid, and is
// read again from its source as it is walked. It is a [Brain]. It is not safe for
// concurrent use.
type Bundle struct {
	doc      document
	envelope Envelope
	counts   Counts
	chunks   ids // of chunks
	entities ids
	edges    incidence  // of edges, by source
	links    incidence  // of links, by chunk
	origins  *originSet // nil: not yet asked for
	warnings []Warning
	outcome  Outcome
	key      Key
}

var _ Carrier = (*Bundle)(nil)

// Counts says how many records a bundle has.
type Counts struct {
	Chunks, Edges, Entities, Links int
}

// Envelope returns the envelope, its checksum included.
func (b *Bundle) Envelope() Envelope { return b.envelope }

// Counts returns how many records the bundle has.
func (b *Bundle) Counts() Counts { return b.counts }

// Checksum returns the checksum, which was found to be right.
func (b *Bundle) Checksum() string { return b.envelope.Checksum }

// Warnings returns what to know about the bundle: at most 1,000, and one more that
// says that there were others.
func (b *Bundle) Warnings() []Warning { return slices.Clone(b.warnings) }

// Signature returns the outcome of the signature check, and the signer's key.
func (b *Bundle) Signature() (Outcome, Key) { return b.outcome, b.key }

// Close frees what the bundle holds. It does not close the source.
func (b *Bundle) Close() error {
	*b = Bundle{}
	return nil
}

// Chunks yields the chunks in the order of the document.
func (b *Bundle) Chunks(yield func(Chunk) error) error {
	return b.walk(chunkRecord, func(v canon.Value) error { return yield(chunkFrom(v)) })
}

// Edges yields the edges in the order of the document, repeated ones included.
func (b *Bundle) Edges(yield func(Edge) error) error {
	return b.walk(edgeRecord, func(v canon.Value) error { return yield(edgeFrom(v)) })
}

// Entities yields the entities in the order of the document.
func (b *Bundle) Entities(yield func(Entity) error) error {
	return b.walk(entityRecord, func(v canon.Value) error { return yield(entityFrom(v)) })
}

// Links yields the links in the order of the document, repeated ones included.
func (b *Bundle) Links(yield func(Link) error) error {
	return b.walk(linkRecord, func(v canon.Value) error { return yield(linkFrom(v)) })
}

func (b *Bundle) walk(k recordKind, yield func(canon.Value) error) error {
	if b.doc == nil {
		return nil // closed
	}
	return b.doc.walk(k, func(r record) error { return yield(r.value) })
}

// Has reports whether the bundle has a chunk of this id.
func (b *Bundle) Has(id URN) bool {
	_, ok := b.chunks.rank(id)
	return ok
}

// Chunk returns the chunk of this id, or fails with kind NotFound.
func (b *Bundle) Chunk(id URN) (Chunk, error) {
	v, err := b.find(b.chunks, id)
	if err != nil {
		return Chunk{}, err
	}
	return chunkFrom(v), nil
}

// Entity returns the entity of this id, or fails with kind NotFound.
func (b *Bundle) Entity(id URN) (Entity, error) {
	v, err := b.find(b.entities, id)
	if err != nil {
		return Entity{}, err
	}
	return entityFrom(v), nil
}

func (b *Bundle) find(in ids, id URN) (canon.Value, error) {
	rank, ok := in.rank(id)
	if !ok {
		return canon.Value{}, &memory.Error{Kind: memory.NotFound, Op: "find in a bundle"}
	}
	return b.doc.at(in[rank].at)
}

// EdgesFrom yields the edges that start at a chunk, in the order of the document.
func (b *Bundle) EdgesFrom(source URN, yield func(Edge) error) error {
	return b.around(b.edges, source, func(v canon.Value) error { return yield(edgeFrom(v)) })
}

// LinksOf yields the links of a chunk, in the order of the document.
func (b *Bundle) LinksOf(chunk URN, yield func(Link) error) error {
	return b.around(b.links, chunk, func(v canon.Value) error { return yield(linkFrom(v)) })
}

func (b *Bundle) around(in incidence, id URN, yield func(canon.Value) error) error {
	rank, ok := b.chunks.rank(id)
	if !ok {
		return nil
	}
	for _, at := range in.of(rank) {
		v, err := b.doc.at(at.at)
		if err == nil {
			err = yield(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errBundleClosed = errors.New("the bundle was closed already")

// payload writes what the checksum of the document is computed over.
func (b *Bundle) payload(w io.Writer) error {
	if b.doc == nil {
		return errBundleClosed
	}
	return b.doc.payload(w)
}
