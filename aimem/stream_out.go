package aimem

import (
	"bufio"
	"errors"
	"io"

	"github.com/satchel-memory/satchel/canon"
)

// memberKind tags each line of a stream with what it is (section 3.1).
const memberKind = "_kind"

// What the lines of a stream are.
const (
	lineChunk  = "chunk"
	lineEdge   = "edge"
	lineEntity = "entity"
	lineLink   = "chunk_entity"
)

var (
	errAbsentArray = errors.New("a stream stands for a bundle with all four arrays, and this one has not; write it as one document")
	errTaggedTwice = errors.New("the bundle has a member _kind of its own, which a stream cannot carry; write it as one document")
)

// WriteStream writes the bundle of b as lines (section 3.1, decision AD-21): the
// envelope with the checksum that [Checksum] computed of b, then each chunk, edge,
// entity and link. Nothing but the checksum tells a reader that the last line has
// come: when it fails, what was written must not end like a stream that is whole.
//
// It fails before it writes anything where an array is absent or the envelope has a
// member _kind, and in the middle where a record has one; [Open] lets no such record
// in.
func WriteStream(w io.Writer, b Brain, sum string) error {
	env := b.Envelope()
	if len(env.Absent) > 0 {
		return errAbsentArray
	}
	if env.value().Has(memberKind) {
		return errTaggedTwice
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := writeFirstLine(out, b, env, sum); err != nil {
		return err
	}
	if err := writeLines(&encoder{out: out}, b); err != nil {
		return err
	}
	return out.Flush()
}

// writeLines writes the records in the order of the format's sections.
func writeLines(e *encoder, b Brain) error {
	if err := b.Chunks(func(c Chunk) error { return e.line(lineChunk, c.value()) }); err != nil {
		return err
	}
	if err := b.Edges(func(edge Edge) error { return e.line(lineEdge, edge.value()) }); err != nil {
		return err
	}
	if err := b.Entities(func(entity Entity) error { return e.line(lineEntity, entity.value()) }); err != nil {
		return err
	}
	return b.Links(func(l Link) error { return e.line(lineLink, l.value()) })
}

// writeFirstLine writes the envelope, as one line without the four arrays.
func writeFirstLine(out *bufio.Writer, b Brain, env Envelope, sum string) error {
	c, err := newCarrierEnvelope(b, env.value().With(memberChecksum, canon.String(sum)))
	if err != nil {
		return err
	}
	e := &encoder{out: out}
	_ = e.raw("{")
	for _, name := range c.names(memberChecksum) {
		e.name(name)
		if err := e.member(b, name, c); err != nil {
			return err
		}
	}
	return e.raw("}\n")
}

// line writes a record as one line, tagged with what it is.
func (e *encoder) line(kind string, v canon.Value) error {
	if v.Has(memberKind) {
		return errTaggedTwice
	}
	_ = e.value(v.With(memberKind, canon.String(kind)))
	return e.raw("\n")
}
