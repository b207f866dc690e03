package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// take: see [Mapper.Take].
func (m Mapper) take(c Chunk, around Around, id func(URN) (memory.ID, error)) (Taken, error) {
	if around == nil {
		around = alone{}
	}
	if id == nil {
		id = m.born(around)
	}
	t, err := m.make(c, around)
	if err != nil || t.PartOf != "" {
		return t, err
	}
	return t, m.relate(&t, around, id)
}

// make is take without edges and links.
func (m Mapper) make(c Chunk, around Around) (Taken, error) {
	if around == nil {
		around = alone{}
	}
	whole, partOf, err := joined(c, around)
	if err != nil || partOf != "" {
		return Taken{PartOf: partOf}, err
	}
	t := Taken{Chunk: whole, Embedding: whole.Embedding}
	return t, m.record(&t, c.Value)
}

// born names the records that the chunks of a bundle become.
func (m Mapper) born(around Around) func(URN) (memory.ID, error) {
	return func(target URN) (memory.ID, error) {
		if !around.Has(target) {
			return "", nil
		}
		c, err := around.Chunk(target)
		if err != nil {
			return "", err
		}
		return m.Birth(c, around)
	}
}

// alone is around a chunk that stands by itself.
type alone struct{}

func (alone) Has(URN) bool                          { return false }
func (alone) Chunk(URN) (Chunk, error)              { return Chunk{}, errAlone }
func (alone) Entity(URN) (Entity, error)            { return Entity{}, errAlone }
func (alone) EdgesFrom(URN, func(Edge) error) error { return nil }
func (alone) LinksOf(URN, func(Link) error) error   { return nil }

var errAlone = &memory.Error{Kind: memory.NotFound, Message: "the chunk stands by itself"}

// record makes the record of t.Chunk: the one it was made from, a draft that
// follows that one, or a new one. chunk is the chunk as received.
func (m Mapper) record(t *Taken, chunk canon.Value) error {
	was, ok := m.carried(t.Chunk, chunk)
	if ok && m.owns(was) && m.trusts(was) && sameShown(compose(was, t.Chunk.ID), t.Chunk.value()) && m.isName(t.Chunk.ID, was) {
		t.Record, t.Restored = was, true
		return nil
	}
	if ok {
		if draft, err := m.follow(was, t.Chunk); err == nil {
			t.Record = draft
			return nil
		}
	}
	consent, whole := consentIn(chunk.Get(memberCarrier).Get(carrierRecord).Get("consent"))
	var err error
	if t.Record, err = m.plain(t.Chunk, consent); err != nil && consent != nil {
		whole = false
		t.Record, err = m.plain(t.Chunk, notExportable())
	}
	t.ConsentUnread = !whole
	return err
}

// plain makes the record of a chunk that brings none (mapping section 1.1), or none
// of which more than the consent can be read.
func (m Mapper) plain(c Chunk, consent *memory.Consent) (memory.Record, error) {
	r := memory.Record{
		Kind:       kindOf(c.MemoryType),
		Body:       memory.Body{Text: c.Content},
		Scope:      memory.Scope{Owner: m.Owner, Visibility: memory.Private},
		Time:       memory.Times{Created: c.Created},
		Lifecycle:  memory.Lifecycle{Salience: salienceOf(c.Zone)},
		Consent:    consent,
		Provenance: m.imported(c),
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

// imported is the provenance of what comes from a chunk.
func (m Mapper) imported(c Chunk) *memory.Provenance {
	return &memory.Provenance{
		Actor: string(m.Owner), ActorKind: memory.ByImport, Method: method,
		Source: &memory.Source{Ref: string(c.ID), Provider: namespaceOf(c.ID)},
	}
}

// author gives birth to a record of a chunk, and puts its embedding into it.
func (m Mapper) author(r memory.Record, c Chunk) (memory.Record, error) {
	r, err := m.Forms.Author(r)
	if err != nil {
		return r, refused(c, err)
	}
	return r, nil
}

// refused says that a chunk makes no valid record.
func refused(c Chunk, err error) error {
	return &Fault{Code: InvalidType, Detail: "the chunk " + string(c.ID) + " cannot be kept as a record; " +
		"shorten its text or correct its time", Err: err}
}

// sameShown compares two chunks in what a consumer sees: id, content, memory_type,
// zone, is_pinned, tags, created_at (mapping section 3).
func sameShown(a, b canon.Value) bool {
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

// trusts reports whether a record may come back as it is: its signature holds, and
// is the owner's where the Mapper asks for that.
func (m Mapper) trusts(r memory.Record) bool {
	if r.Integrity == nil {
		return !m.Sealed
	}
	return (!m.Sealed || r.Integrity.Signer == m.Owner) && m.Forms.Verify(r.Form()) == nil
}

// isName reports whether a record may have left under a name: the one of its id,
// that of the chunk it came from, or its alias.
func (m Mapper) isName(name URN, r memory.Record) bool {
	producer := namespaceOf(name)
	if name == urnOf(producer, r.ID) || name == hashedURN(producer, r.ID) {
		return true
	}
	s, ok := sourceOf(r)
	return ok && s.sameText && (name == s.id || name == aliasOf(producer, s.id))
}
