package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Convert turns one chunk of a bundle into a record (mapping section 1). around may be
// nil: then it has no edges, links or parts. id says which record a chunk is or
// will be, so that relations can name it; it returns "" where there is none, and
// then the edge stands in Conversion alone. A nil id takes [Mapper.RecordID]'s word for
// every chunk that the bundle has.
//
// The error is a [*Fault] if the chunk cannot become a record, or what around or id
// failed with.
func (m Mapper) Convert(c Chunk, around Graph, id func(URN) (memory.ID, error)) (Conversion, error) {
	if around == nil {
		around = emptyGraph{}
	}
	if id == nil {
		id = m.recordIDs(around)
	}
	t, err := m.convertChunk(c, around)
	if err != nil || t.PartOf != "" {
		return t, err
	}
	return t, m.relate(&t, around, id)
}

// convertChunk is take without edges and links.
func (m Mapper) convertChunk(c Chunk, around Graph) (Conversion, error) {
	if around == nil {
		around = emptyGraph{}
	}
	whole, partOf, err := joinParts(c, around)
	if err != nil || partOf != "" {
		return Conversion{PartOf: partOf}, err
	}
	t := Conversion{Chunk: whole, Embedding: whole.Embedding}
	return t, m.record(&t, c.Value)
}

// recordIDs names the records that the chunks of a bundle become.
func (m Mapper) recordIDs(around Graph) func(URN) (memory.ID, error) {
	return func(target URN) (memory.ID, error) {
		if !around.Has(target) {
			return "", nil
		}
		c, err := around.Chunk(target)
		if err != nil {
			return "", err
		}
		return m.RecordID(c, around)
	}
}

// emptyGraph is the graph of a chunk outside a bundle.
type emptyGraph struct{}

func (emptyGraph) Has(URN) bool                           { return false }
func (emptyGraph) Chunk(URN) (Chunk, error)               { return Chunk{}, errNoGraph }
func (emptyGraph) Entity(URN) (Entity, error)             { return Entity{}, errNoGraph }
func (emptyGraph) EdgesFrom(URN, func(Edge) error) error  { return nil }
func (emptyGraph) LinksOf(URN, func(Link) error) error    { return nil }
func (emptyGraph) Stands(Mapper, memory.ID) (bool, error) { return false, nil }

var errNoGraph = &memory.Error{Kind: memory.NotFound, Message: "the chunk stands by itself"}

// record makes the record of t.Chunk: the one that the chunk was made from, a draft that
// succeeds it, or a new one. chunk is the chunk as received.
func (m Mapper) record(t *Conversion, chunk canon.Value) error {
	was, ok := m.decodeCarried(t.Chunk, chunk)
	if ok {
		t.author = was.Scope.Owner
	}
	if ok && m.owns(was) && m.trusts(was) && sameVisible(compose(was, t.Chunk.ID), t.Chunk.value()) && m.isName(t.Chunk.ID, was) {
		t.Record, t.Restored = was, true
		return nil
	}
	if ok {
		if draft, err := m.successor(was, t.Chunk); err == nil {
			t.Record = draft
			return nil
		}
	}
	t.author = ""
	consent, whole := consentIn(chunk.Get(memberCarrier).Get(carrierRecord).Get("consent"))
	var err error
	if t.Record, err = m.newRecord(t.Chunk, consent); err != nil && consent != nil {
		whole = false
		t.Record, err = m.newRecord(t.Chunk, notExportable())
	}
	t.ConsentUnread = !whole
	return err
}

// newRecord makes the record of a chunk without a readable record in x_ump (mapping
// section 1.1). consent is the readable part of that record.
func (m Mapper) newRecord(c Chunk, consent *memory.Consent) (memory.Record, error) {
	r := memory.Record{
		Kind:       kindOf(c.MemoryType),
		Body:       memory.Body{Text: c.Content},
		Scope:      memory.Scope{Owner: m.Owner, Visibility: memory.Private},
		Time:       memory.Times{Created: c.Created},
		Lifecycle:  memory.Lifecycle{Salience: salienceOf(c.Zone)},
		Consent:    consent,
		Provenance: m.provenance(c),
	}
	if c.Protected() {
		r.Lifecycle.Decay = "none"
	}
	if tags := c.Value.Get("tags"); !isAbsent(tags) {
		r.Body.Structured = canon.Object(canon.Member{Name: "tags", Value: tags}).Append(nil)
	}
	r = codec.WithResidue(r, residueName, residueOf(c.Value))
	r.Origin = canon.Object(canon.Member{Name: "time", Value: // the time as the chunk spells it
	canon.Object(canon.Member{Name: "created", Value: canon.String(c.CreatedAt)})}).Append(nil)
	return m.author(r, c)
}

// provenance returns the provenance of a record that is made from a chunk.
func (m Mapper) provenance(c Chunk) *memory.Provenance {
	return &memory.Provenance{
		Actor: string(m.Owner), ActorKind: memory.ByImport, Method: method,
		Source: &memory.Source{Ref: string(c.ID), Provider: string(namespaceOf(c.ID))},
	}
}

// author creates the record of a chunk.
func (m Mapper) author(r memory.Record, c Chunk) (memory.Record, error) {
	r, err := m.Forms.Author(r)
	if err != nil {
		return r, unusableChunk(c, err)
	}
	return r, nil
}

// unusableChunk is the error for a chunk that makes no valid record.
func unusableChunk(c Chunk, err error) error {
	return &Fault{Code: InvalidType, Detail: "the chunk " + string(c.ID) + " cannot be kept as a record; " +
		"shorten its text or correct its time", Err: err}
}

// sameVisible compares two chunks in what a consumer sees: id, content, memory_type,
// zone, is_pinned, tags, created_at (mapping section 3).
func sameVisible(a, b canon.Value) bool {
	x, y := chunkFrom(a), chunkFrom(b)
	return x.ID == y.ID && x.Content == y.Content && x.MemoryType == y.MemoryType && x.Zone == y.Zone &&
		x.Pinned == y.Pinned && x.Created.Equal(y.Created) && canon.Equal(tagsOf(a), tagsOf(b))
}

func tagsOf(chunk canon.Value) canon.Value {
	if tags := chunk.Get("tags"); !isAbsent(tags) {
		return tags
	}
	return canon.Array()
}

// owns reports whether a record is our owner's.
func (m Mapper) owns(r memory.Record) bool { return r.Scope.Owner == m.Owner }

// trusts reports whether Convert may restore a record: its signature verifies, and is the
// owner's if SignedOnly is set.
func (m Mapper) trusts(r memory.Record) bool {
	if r.Integrity == nil {
		return !m.SignedOnly
	}
	return (!m.SignedOnly || r.Integrity.Signer == m.Owner) && m.Forms.Verify(r.Form()) == nil
}

// isName reports whether a record may have been exported under a name: the URN of its id,
// that of its original chunk, or the alias of that.
func (m Mapper) isName(name URN, r memory.Record) bool {
	producer := namespaceOf(name)
	if name == producer.URN(r.ID) || name == producer.hashedURN(r.ID) {
		return true
	}
	s, ok := sourceOf(r)
	return ok && s.sameText && (name == s.id || name == producer.Alias(s.id))
}
