package aimem

import (
	"math"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// checksumSpelling checks how the checksum is spelled (decision AD-5).
func (e *envelope) checksumSpelling() error {
	said := e.values[memberChecksum].Text()
	if !strings.HasPrefix(said, checksumPrefix) {
		return e.memberFault(MissingChecksum, memberChecksum, "AIMEM-2.8-10", "the envelope has no checksum that begins with sha256:")
	}
	e.b.envelope.Checksum = said
	return nil
}

// embedding checks the members about embeddings; null means absent.
func (e *envelope) embedding() error {
	dim, ok := dimension(e.values["embedding_dim"])
	if !ok {
		if err := e.memberFault(InvalidType, "embedding_dim", "AIMEM-2.7-4", "embedding_dim is no integer from 1 on"); err != nil {
			return err
		}
	}
	e.b.envelope.EmbeddingDim = dim
	v := e.values["embedding_model"]
	switch v.Type() {
	case canon.TypeUndefined, canon.TypeNull, canon.TypeString:
		e.b.envelope.EmbeddingModel = v.Text()
		return nil
	}
	return e.memberFault(InvalidType, "embedding_model", "AIMEM-2.7-5", "embedding_model is no string")
}

// dimension reads embedding_dim, 0 where it is absent, and reports whether it may be
// that.
func dimension(v canon.Value) (int, bool) {
	if isAbsent(v) {
		return 0, true
	}
	n := v.Float()
	if v.Type() != canon.TypeNumber || n < 1 || n > math.MaxInt32 || n != math.Trunc(n) {
		return 0, false
	}
	return int(n), true
}

// arrays finds the four arrays. Three of them may be absent (decision AD-2). The
// envelope of a stream has none, and stands for a bundle that has all.
func (e *envelope) arrays() error {
	for k := range recordKinds {
		at, found := e.part(k.array())
		whole, ok := e.doc.(*single)
		if !ok {
			if found {
				if err := e.memberFault(InvalidType, k.array(), "AIMEM-3.1-11", "the first line of a stream has an array; put its records on lines"); err != nil {
					return err
				}
			}
			continue
		}
		if err := e.array(whole, k, at, found); err != nil {
			return err
		}
	}
	return nil
}

func (e *envelope) array(whole *single, k recordKind, at canon.Extent, found bool) error {
	if !found && k == chunkRecord {
		return e.memberFault(MissingField, k.array(), "AIMEM-2.1-1", "the envelope has no chunks")
	}
	if !found {
		e.b.envelope.Absent = append(e.b.envelope.Absent, k.array())
		return nil
	}
	opening, err := e.doc.root().Opening(at)
	if err != nil {
		return err
	}
	if opening != '[' {
		return e.memberFault(InvalidType, k.array(), "AIMEM-2.1-16", k.array()+" is no array")
	}
	whole.find(k, at)
	return nil
}

// checkTags takes that a line of a stream is no record.
func (e *envelope) checkTags() error {
	if d, ok := e.doc.(*lines); ok && d.untagged != nil {
		return e.violation(d.untagged)
	}
	return nil
}

func (e *envelope) part(name string) (canon.Extent, bool) {
	for _, part := range e.parts {
		if part.Name == name {
			return part.At, true
		}
	}
	return canon.Extent{}, false
}

// keep holds the envelope as it was received: first of all what has a meaning, then
// what is unknown and last x_ump, as far as the limit goes.
func (e *envelope) keep() error {
	left := e.o.Limits.Record
	held := make([]canon.Value, len(e.parts))
	for rank := range 3 {
		for i, part := range e.parts {
			if e.rank(part.Name) != rank || part.At.Len() > left {
				continue
			}
			v, err := e.doc.root().Value(part.At)
			if err != nil {
				return err
			}
			held[i] = v
			left -= part.At.Len()
		}
	}
	var o object
	for i, part := range e.parts {
		switch {
		case held[i].Type() != canon.TypeUndefined:
			o.add(part.Name, held[i])
		case e.rank(part.Name) == 1:
			e.warnings.add(Warning{Code: WarnRecordsLeft, Pointer: canon.Pointer(part.Name), Detail: "a member of the envelope is too large to be kept"})
		}
	}
	e.b.envelope.Value = o.value()
	return nil
}

// rank says when a member has its turn to be held; 3: never.
func (e *envelope) rank(name string) int {
	_, stream := e.doc.(*lines)
	switch {
	case name == memberChecksum || e.values[name].Type() != canon.TypeUndefined:
		return 0
	case isWrittenApart(name), stream && name == memberKind:
		return 3
	case name == memberCarrier:
		return 2
	}
	return 1
}
