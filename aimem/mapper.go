package aimem

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Mapper turns chunks into records and records into chunks. It is pure: it keeps
// nothing between calls, and is safe for concurrent use.
type Mapper struct {
	Forms codec.Forms // required
	// Owner is whose records are made of chunks. A record in x_ump that is
	// somebody else's becomes a draft of this owner's.
	Owner memory.DID
	// Producer is our namespace, in which records get their URNs.
	Producer string
	// OriginIDs lets a chunk keep the URN of another namespace with which it came
	// (decision AD-7). Without, it gets an alias in ours and says x_origin_id.
	OriginIDs bool
	// Sealed restores from x_ump only what the Owner's key has signed, and never
	// makes a record more visible than private otherwise: for a store that takes in
	// what strangers made. Without, whatever is consistent is restored, and a record
	// with integrity if that verifies.
	Sealed bool
	// Model and Dim are the envelope's embedding_model and embedding_dim: embeddings
	// of this model travel in the residue of records, between the stateless forms.
	// Empty: the residue has none; those of a bundle stand in [Taken].
	Model string
	Dim   int
	// Verbatim writes chunks as they came, with members that are null and without a
	// content_hash where they had none: for the stateless forms, which lose nothing.
	// Without, null is left out, and content_hash is always there (decisions AD-6
	// and AD-10).
	Verbatim bool
	// Bare leaves x_ump out of chunks: for peers who are to see what a chunk says
	// and nothing else of its record.
	Bare bool
}

// MaxRelations is how many relations a record has at most of the edges and links of
// its chunk. Those beyond it stand beside the record alone.
const MaxRelations = maxRelations

// Around is where a chunk stands: the bundle around it. [*Bundle] is one.
type Around interface {
	// Has reports whether the bundle has a chunk of that id.
	Has(id URN) bool
	// Chunk returns a chunk that the bundle has.
	Chunk(id URN) (Chunk, error)
	// Entity returns an entity that the bundle has.
	Entity(id URN) (Entity, error)
	// EdgesFrom yields the edges whose source the chunk is, in document order.
	EdgesFrom(id URN, yield func(Edge) error) error
	// LinksOf yields the links of a chunk, in document order.
	LinksOf(id URN, yield func(Link) error) error
}

// Taken is what one chunk has become.
type Taken struct {
	// PartOf is the chunk that this one continues (texts of more than MaxContent
	// codepoints). It is part of that chunk's record: nothing else is set.
	PartOf URN
	// Chunk is what the record says as a chunk, to be compared with [Mapper.Standing]
	// of a record that is here: the chunk as received, but with the whole of a text
	// that was split, its hash, and without x_ump.
	Chunk Chunk
	// Record is complete and valid, with id, relations and Origin. It is unsigned
	// unless Restored. Its id does not depend on its relations, or on what else the
	// bundle holds.
	Record memory.Record
	// Restored says that Record is the one that the chunk was made from, byte for
	// byte as its author spelled it, signature included.
	Restored bool
	// ConsentUnread says that the chunk brings a record that cannot be read, with
	// consent that cannot be read either: Record is not exportable.
	ConsentUnread bool
	// Edges are those from the chunk that Record's relations do not say wholly:
	// they have a weight, a time or members of their own, or no relation. They are
	// to be kept beside the record. Edges that join the parts of a text are none.
	Edges []Edge
	// Links are the chunk's whose entities a relation cannot give again wholly.
	Links []Link
	// Embedding is the chunk's: base64 of little-endian float32; empty: none. Its
	// model stands in the envelope. A text that was split has none.
	Embedding string
}

// Take turns one chunk of a bundle into a record (mapping section 1). around may be
// nil: then it has no edges, links or parts. id says which record a chunk is or
// will be, so that relations can name it; it returns "" where there is none, and
// then the edge stands in Taken alone. A nil id takes [Mapper.Birth]'s word for
// every chunk that the bundle has.
//
// The error is a [*Fault] if the chunk cannot become a record, or what around or id
// failed with.
func (m Mapper) Take(c Chunk, around Around, id func(URN) (memory.ID, error)) (Taken, error) {
	return m.take(c, around, id)
}

// Birth returns the id of the record that Take makes of a chunk, and "" for a chunk
// that continues another.
func (m Mapper) Birth(c Chunk, around Around) (memory.ID, error) {
	t, err := m.make(c, around)
	return t.Record.ID, err
}

// URN returns the URN that a record has in our namespace, from its id alone.
func (m Mapper) URN(id memory.ID) URN { return urnOf(m.Producer, id) }

// RecordOf returns the id of the record that has a URN of our namespace by
// [Mapper.URN], unless that is a hash, and false for a URN of another namespace.
func (m Mapper) RecordOf(urn URN) (memory.ID, bool) {
	local, ok := strings.CutPrefix(string(urn), urnPrefix+m.Producer+":")
	return memory.ID(recordPrefix + local), ok && m.Producer != ""
}

// Ours reports whether a URN is of our namespace.
func (m Mapper) Ours(urn URN) bool {
	return strings.HasPrefix(string(urn), urnPrefix+m.Producer+":")
}

// Alias returns the URN in our namespace of something that came from another:
// "imp-" and 26 letters and digits of a hash of where it came from (decision AD-7).
func (m Mapper) Alias(origin URN) URN { return aliasOf(m.Producer, origin) }

// AliasMark returns the 16 bytes that an alias of [Mapper.Alias] spells, and false
// for a URN that is none.
func (m Mapper) AliasMark(alias URN) ([16]byte, bool) { return aliasMark(m.Producer, alias) }

// AliasOf returns the alias that spells 16 bytes: that of [Mapper.AliasMark].
func (m Mapper) AliasOf(mark [16]byte) URN { return markedAlias(m.Producer, mark) }

// Keeps reports whether an entity may leave under its own URN: one in our namespace
// that is none of those that we make, an alias or the URN of another name. Whoever
// brings an entity under such a URN would take it from what it is made for.
func (m Mapper) Keeps(id URN, name string) bool {
	if namespaceOf(id) != m.Producer {
		return false
	}
	_, alias := aliasMark(m.Producer, id)
	return !alias && (!isEntityURN(m.Producer, id) || id == entityURN(m.Producer, name))
}

// EntityURN returns the URN of the entity that relations to a name give in our
// namespace.
func (m Mapper) EntityURN(name string) URN { return entityURN(m.Producer, name) }

// Name returns the URN under which a record leaves: that of the chunk it came
// from, as long as its text is the one that came, or its alias; otherwise the one
// from its id. Of two records with one name the caller gives the younger
// [Mapper.URN] instead.
func (m Mapper) Name(r memory.Record) URN { return m.name(r) }

// Origin returns the URN of the chunk that a record came from, as long as its text
// is the one that came, and "" otherwise.
func (m Mapper) Origin(r memory.Record) URN { return m.origin(r) }

// Chunks turns a record into chunks, named name (see [Mapper.Name]) and, for the
// further parts of a text of more than MaxContent codepoints, name with ".p2" and
// so on. A record that is not live makes chunks all the same: the caller decides
// what leaves. said are the relations that the edges and links written beside will
// give again, in their order; what they do not say, x_ump does.
//
// The losses say what the chunks leave out: nothing unless m is Bare.
func (m Mapper) Chunks(r memory.Record, name URN, said []memory.Relation) ([]Chunk, []codec.Loss, error) {
	return m.chunks(r, name, said)
}

// Edges returns the edges that a record's relations and supersedes give, in their
// order, after those that join the given chunks of it. urn names the chunk that a
// record leaves as, and returns "" where it does not leave: then there is no edge.
func (m Mapper) Edges(r memory.Record, chunks []Chunk, urn func(memory.ID) (URN, error)) ([]Edge, error) {
	return m.edges(r, chunks, urn)
}

// Mentions returns the entities that a record's relations name, once each, and its
// links to them. The entity of a name is the same whatever record names it, but for
// its created_at, which is the record's: the earliest counts.
func (m Mapper) Mentions(r memory.Record, chunk URN) ([]Entity, []Link) {
	return m.mentions(r, chunk)
}

// Standing returns a record that is here as a chunk, to be compared with
// Taken.Chunk (decision AD-16): the whole text, its hash, and no x_ump or embedding.
func (m Mapper) Standing(r memory.Record) Chunk { return m.standing(r) }

// Gives reports whether relations to an entity of this name give the entity again:
// it was made by [Mapper.Mentions], of whatever producer, and says nothing more.
func (m Mapper) Gives(e Entity) bool {
	return e.Kind == entityKind && e.ID == entityURN(namespaceOf(e.ID), e.Name) && e.value().Len() == 4
}
