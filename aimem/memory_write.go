package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Chunks turns a record into chunks, named name (see [Mapper.Name]) and, for the
// further parts of a text of more than MaxContent codepoints, name with ".p2" and
// so on. A record that is not live makes chunks all the same: the caller decides
// what leaves. said are the relations that the edges and links written beside will
// give again, in their order; what they do not say, x_ump does.
//
// The losses list the values that the chunks leave out: none unless m is Bare.
func (m Mapper) Chunks(r memory.Record, name URN, said []memory.Relation) ([]Chunk, []codec.Loss, error) {
	v := compose(r, name)
	if !m.Verbatim {
		v = strictChunk(v)
	}
	if data, ok := m.embeddingOf(r); ok && len(r.Body.Text) <= MaxContent {
		v = v.With("embedding", data)
	}
	whole := chunkFrom(v)
	parts := split(whole)
	if m.Bare {
		return parts, bareLosses(r), nil
	}
	if len(parts) == 1 && m.roundTrips(whole, r, said) {
		return parts, nil, nil
	}
	x, err := carrier(r, v, len(parts))
	if err != nil {
		return nil, nil, err
	}
	var losses []codec.Loss
	if parts[0].Value.Has(memberCarrier) {
		losses = append(losses, codec.Loss{ID: r.ID, Pointer: "/body/structured/aimem", Reason: lossForeignCarrier})
	}
	parts[0].Value = parts[0].Value.With(memberCarrier, x)
	return parts, losses, nil
}

// strictChunk returns a chunk in the form that every reader accepts: without null, and
// with its content_hash.
func strictChunk(chunk canon.Value) canon.Value {
	for _, name := range []string{"content_hash", "zone", "is_pinned", "tags", "embedding"} {
		if chunk.Get(name).Type() == canon.TypeNull {
			chunk = chunk.Without(name)
		}
	}
	if !chunk.Has("content_hash") {
		chunk = chunk.With("content_hash", canon.String(textHash(chunk.Get("content").Text())))
	}
	return chunk
}

// roundTrips reports whether Convert makes exactly this record from the chunk.
func (m Mapper) roundTrips(c Chunk, r memory.Record, said []memory.Relation) bool {
	if r.Integrity != nil || r.Provenance == nil || r.Provenance.Method != method || r.Scope.Owner != m.Owner {
		return false
	}
	t := Conversion{Chunk: c, Embedding: c.Embedding}
	consent, _ := consentIn(c.Value.Get(memberCarrier).Get(carrierRecord).Get("consent"))
	var err error
	if t.Record, err = m.newRecord(c, consent); err != nil || m.setRelations(&t, said) != nil {
		return false
	}
	again, err := canon.Parse(t.Record.Form(), anyJSON)
	if err != nil {
		return false
	}
	form, err := canon.Parse(r.Form(), anyJSON)
	return err == nil && canon.Identical(form, again)
}

// embeddingOf returns the embedding in a record's residue, if it is of our model
// and of the text that the record still has.
func (m Mapper) embeddingOf(r memory.Record) (canon.Value, bool) {
	residue, _ := codec.Residue(r, residueName)
	e := residue.Get(residueEmbedding)
	s, ok := sourceOf(r)
	data := e.Get("data")
	return data, ok && s.sameText && m.Model != "" && e.Get("model").Text() == m.Model &&
		int(e.Get("dim").Float()) == m.Dim && data.Type() == canon.TypeString && isVector(data.Text(), m.Dim)
}

// isVector reports whether data is base64 of so many numbers (section 2.7).
func isVector(data string, dim int) bool {
	raw, ok := appendVector(nil, data)
	return ok && dim > 0 && len(raw) == 4*dim
}

// withEmbedding puts a chunk's embedding into the residue of its record.
func (m Mapper) withEmbedding(r memory.Record, data string) memory.Record {
	residue, ok := codec.Residue(r, residueName)
	if data == "" || m.Model == "" || !ok {
		return r
	}
	return codec.WithResidue(r, residueName, residue.With(residueEmbedding, canon.Object(
		canon.Member{Name: "model", Value: canon.String(m.Model)},
		canon.Member{Name: "dim", Value: canon.Int(int64(m.Dim))},
		canon.Member{Name: "data", Value: canon.String(data)})))
}

// bareLosses returns the losses of a record whose chunk has no x_ump.
func bareLosses(r memory.Record) []codec.Loss {
	return []codec.Loss{{ID: r.ID, Reason: lossRecord}}
}
