package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of x_ump on a chunk, the record that the chunk was made from:
//
//	{"v": 1,
//	 "record": the record, without body.text,
//	 "residue": true, where its residue is what the chunk says, and is left out,
//	 "embedding": true, where the residue has the chunk's embedding of this model,
//	 "parts": the number of chunks that its text was split into; absent: 1}
const (
	carrierRecord    = "record"
	carrierResidue   = "residue"
	carrierEmbedding = "model"
	carrierParts     = "parts"
)

// maxParts is the most parts of a text: enough for 1 MiB, the most that a record holds.
const maxParts = 16

// carriedRecord returns x_ump of a chunk, if it is one of ours: with a record, or
// what remains of one. Another is an unknown member.
func carriedRecord(chunk canon.Value) (canon.Value, bool) {
	x := chunk.Get(memberCarrier)
	r := x.Get(carrierRecord)
	return x, x.Get("v").Float() == 1 && (r.Has("id") || r.Has("body") || r.Has("consent"))
}

// decodeCarried returns the record that a chunk brings in x_ump, as it was. whole is the
// chunk with all of its text, chunk as received.
func (m Mapper) decodeCarried(whole Chunk, chunk canon.Value) (memory.Record, bool) {
	x, ok := carriedRecord(chunk)
	if !ok {
		return memory.Record{}, false
	}
	form := x.Get(carrierRecord)
	body := form.Get("body").With("text", canon.String(whole.Content))
	if x.Get(carrierResidue).True() {
		residue := residueOf(whole.Value)
		if model := x.Get(carrierEmbedding); model.Type() == canon.TypeObject {
			residue = residue.With(residueEmbedding, model.With("data", canon.String(whole.Embedding)))
		}
		body = body.With("structured", body.Get("structured").With(residueName, residue))
	}
	r, err := m.Forms.Decode(form.With("body", body).Append(nil))
	return r, err == nil
}

// carrier returns x_ump for the chunk of a record: chunk is the whole one, parts how
// many it is split into.
func carrier(r memory.Record, chunk canon.Value, parts int) (canon.Value, error) {
	form, err := canon.Parse(r.Form(), anyJSON)
	if err != nil {
		return canon.Value{}, err
	}
	var o object
	o.add("v", canon.Int(1))
	body := form.Get("body").Without("text")
	structured := body.Get("structured")
	residue := structured.Get(residueName)
	embedding := residue.Get(residueEmbedding)
	said := residueOf(chunk)
	if e := chunk.Get("embedding"); e.Type() == canon.TypeString && canon.Identical(embedding.Get("data"), e) {
		said = said.With(residueEmbedding, embedding)
	}
	if canon.Identical(residue, said) {
		o.add(carrierResidue, canon.Bool(true))
		if said.Has(residueEmbedding) {
			o.add(carrierEmbedding, embedding.Without("data"))
		}
		body = body.With("structured", structured.Without(residueName))
	}
	o.add(carrierRecord, form.With("body", body))
	if parts > 1 {
		o.add(carrierParts, canon.Int(int64(parts)))
	}
	return o.value(), nil
}

// successor makes a draft from the record in a chunk, if the chunk disagrees with that
// record or we may not restore it (mapping section 3). Values that the chunk shows win,
// the rest comes from the record. The draft is never more visible than the record, and
// keeps its consent. With SignedOnly it supersedes the record only under the record's own
// name, because anybody can write the id of another's record.
func (m Mapper) successor(was memory.Record, c Chunk) (memory.Record, error) {
	form, err := canon.Parse(was.Form(), anyJSON)
	if err != nil {
		return memory.Record{}, err
	}
	form, _ = codec.Reconcile(form, visibleValue(chunkFrom(compose(was, c.ID))), visibleValue(c))
	r, err := m.Forms.Decode(form.Without("integrity").Append(nil))
	if err != nil {
		return memory.Record{}, err
	}
	r.ID, r.Relations, r.SupersededBy, r.Integrity = "", nil, nil, nil
	r.Supersedes = nil
	if m.owns(was) && (!m.SignedOnly || c.ID == m.URN(was.ID) || c.ID == m.hashedURN(was.ID)) {
		r.Supersedes = []memory.ID{was.ID}
	}
	if m.SignedOnly || !m.owns(was) {
		r.Scope.Visibility = memory.Private
	}
	if r.Lifecycle.Status == memory.Tombstoned {
		r.Lifecycle.Status = ""
	}
	r.Scope.Owner = m.Owner
	var evidence []memory.Evidence
	if r.Provenance != nil {
		evidence = r.Provenance.Evidence
	}
	r.Provenance = m.provenance(c)
	r.Provenance.Evidence = evidence
	r = codec.WithResidue(r, residueName, residueOf(c.Value))
	if r, err = m.author(r, c); err != nil {
		return r, err
	}
	r.Relations = was.Relations // for follow
	return r, nil
}

// visibleValue returns the values of a chunk that a record contains.
func visibleValue(c Chunk) canon.Value {
	var body, life, structured, times, r object
	body.text("text", c.Content)
	structured.add("tags", c.Value.Get("tags"))
	body.add("structured", structured.value())
	if s := salienceOf(c.Zone); s != nil {
		life.add("salience", canon.Number(*s))
	}
	if c.Protected() {
		life.text("decay", "none")
	}
	times.text("created", FormatInstant(c.Created))
	r.text("kind", string(kindOf(c.MemoryType)))
	r.add("time", times.value())
	r.add("lifecycle", life.value())
	r.add("body", body.value())
	return r.value()
}
