package aimem

import (
	"bufio"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// The members of the envelope that are written in a way of their own.
const (
	memberChecksum = "checksum"
	memberChunks   = "chunks"
	memberEdges    = "edges"
	memberEntities = "entities"
	memberLinks    = "chunk_entities"
	memberCarrier  = "x_ump"
)

// Write writes the bundle of b with the checksum that [Checksum] computed of it: as
// canonical JSON (decision AD-22), all members but the checksum in canonical order,
// the checksum first of all. One record is held at a time.
func Write(w io.Writer, b Brain, sum string) error { return buffered(w, b, sum) }

// encoder writes one document. The first error sticks to out.
type encoder struct {
	out *bufio.Writer
	buf []byte // reused
	n   int    // members or items written so far at this level
}

// writeBundle writes a bundle; an empty sum leaves the checksum out.
func writeBundle(out *bufio.Writer, b Brain, sum string) error {
	e := &encoder{out: out}
	env := b.Envelope()
	c, err := newCarrierEnvelope(b, env.value())
	if err != nil {
		return err
	}
	_ = e.raw("{")
	if sum != "" {
		e.name(memberChecksum)
		_ = e.value(canon.String(sum))
	}
	for _, name := range c.names(env.arrays()...) {
		e.name(name)
		if err := e.member(b, name, c); err != nil {
			return err
		}
	}
	return e.raw("}")
}

// names lists the members of the envelope and the given arrays in canonical order.
func (c carrierEnvelope) names(arrays ...string) []string {
	names := arrays
	for _, m := range c.envelope.Members() {
		if !isWrittenApart(m.Name) {
			names = append(names, m.Name)
		}
	}
	slices.SortFunc(names, canon.CompareNames)
	return names
}

// arrays lists the arrays that a document of this envelope has.
func (e Envelope) arrays() []string {
	return slices.DeleteFunc([]string{memberChunks, memberEdges, memberEntities, memberLinks},
		func(name string) bool { return name != memberChunks && slices.Contains(e.Absent, name) })
}

// isWrittenApart reports whether a member of the envelope is written from somewhere else than
// from the envelope's Value.
func isWrittenApart(name string) bool {
	switch name {
	case memberChecksum, memberChunks, memberEdges, memberEntities, memberLinks:
		return true
	}
	return false
}

// member writes the value of one member of the bundle.
func (e *encoder) member(b Brain, name string, c carrierEnvelope) error {
	switch name {
	case memberChunks:
		return e.array(func(item func(canon.Value) error) error {
			return b.Chunks(func(chunk Chunk) error { return item(chunk.value()) })
		})
	case memberEdges:
		return e.array(func(item func(canon.Value) error) error {
			return b.Edges(func(edge Edge) error { return item(edge.value()) })
		})
	case memberEntities:
		return e.array(func(item func(canon.Value) error) error {
			return b.Entities(func(entity Entity) error { return item(entity.value()) })
		})
	case memberLinks:
		return e.array(func(item func(canon.Value) error) error {
			return b.Links(func(l Link) error { return item(l.value()) })
		})
	}
	if name == memberCarrier && c.from != nil {
		return e.carrier(c)
	}
	return e.value(c.envelope.Get(name))
}

// array writes the items that walk yields.
func (e *encoder) array(walk func(item func(canon.Value) error) error) error {
	n := 0
	_ = e.raw("[")
	err := walk(func(v canon.Value) error {
		if n++; n > 1 {
			_ = e.raw(",")
		}
		return e.value(v)
	})
	if err != nil {
		return err
	}
	return e.raw("]")
}

// name writes the name of the next member of the bundle. What goes wrong with it
// the next write says: the buffer keeps its first error.
func (e *encoder) name(name string) {
	if e.n++; e.n > 1 {
		_ = e.raw(",")
	}
	_ = e.value(canon.String(name))
	_ = e.raw(":")
}

func (e *encoder) value(v canon.Value) error {
	e.buf = v.AppendCanonical(e.buf[:0])
	_, err := e.out.Write(e.buf)
	return err
}

func (e *encoder) raw(s string) error {
	_, err := e.out.WriteString(s)
	return err
}
