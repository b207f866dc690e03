package aimem

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Mapper turns chunks into records and records into chunks. It is pure: it keeps
// nothing between calls, and is safe for concurrent use.
type Mapper struct {
	Forms codec.Forms // required
	// Owner owns the records that Convert makes. A record of another owner in x_ump
	// becomes a draft of this owner.
	Owner memory.DID
	// Namespace is our namespace, in which records get their URNs.
	Namespace
	// OriginIDs keeps the URN of a chunk from another namespace (decision AD-7).
	// Otherwise the chunk gets an alias in our namespace and the member x_origin_id.
	OriginIDs bool
	// SignedOnly restores from x_ump only records that the Owner's key has signed, and
	// makes all others private: for a store that imports bundles of strangers.
	// Otherwise Convert restores every consistent record, and a signed one if its
	// signature verifies.
	SignedOnly bool
	// Model and Dim are the envelope's embedding_model and embedding_dim. The stateless
	// forms keep embeddings of this model in the residue of records. Empty: the residue
	// has none; [Conversion] has those of a bundle.
	Model string
	Dim   int
	// Verbatim writes chunks as received, with null members and without a missing
	// content_hash: for the stateless forms, which lose nothing. Otherwise Chunks leaves
	// out null and always writes content_hash (decisions AD-6 and AD-10).
	Verbatim bool
	// Bare leaves x_ump out of chunks: for peers who may see the chunk and nothing else
	// of its record.
	Bare bool

	unsigned bool // Convert gives signed records relations too, and they lose their signature
}

// MaxRelations is the most relations that a record gets from the edges and links of its
// chunk. The store keeps the others beside the record.
const MaxRelations = maxRelations

// Graph is the bundle that a chunk belongs to. [*Bundle] implements it.
type Graph interface {
	// Has reports whether the bundle has a chunk of that id.
	Has(id URN) bool
	// Chunk returns a chunk that the bundle has.
	Chunk(id URN) (Chunk, error)
	// Entity returns an entity that the bundle has.
	Entity(id URN) (Entity, error)
	// EdgesFrom yields the edges that start at the chunk, in document order.
	EdgesFrom(id URN, yield func(Edge) error) error
	// LinksOf yields the links of a chunk, in document order.
	LinksOf(id URN, yield func(Link) error) error
	// Stands reports whether a chunk of the bundle carries a record, or makes it with m.
	Stands(m Mapper, id memory.ID) (bool, error)
}

// Conversion is the result of converting one chunk.
type Conversion struct {
	// PartOf is the chunk that this one continues (texts of more than MaxContent
	// codepoints). That chunk's record contains it, and no other field is set.
	PartOf URN
	// Chunk is what the record says as a chunk, to be compared with [Mapper.ConflictSide]
	// of a record that is here: the chunk as received, but with the whole of a text
	// that was split, its hash, and without x_ump.
	Chunk Chunk
	// Record is complete and valid, with id, relations and Origin. It is unsigned
	// unless Restored. Its id does not depend on its relations, or on what else the
	// bundle holds.
	Record memory.Record
	// Restored means that Record is the one that the chunk was made from, byte for byte
	// in its author's spelling, with its signature. If edges or links of the chunk were
	// removed, Record has the relations that are left, and no signature.
	Restored bool
	// ConsentUnread means that neither the record in the chunk nor its consent can be
	// read: Record is not exportable.
	ConsentUnread bool
	// Edges are the edges from the chunk that Record's relations do not express wholly:
	// they have their own weight, time or members, or no relation. The store must keep
	// them beside the record. Edges that join the parts of a text are not among them.
	Edges []Edge
	// Links are the links of the chunk whose entities a relation does not express wholly.
	Links []Link
	// Outside are the relations that Record lost because it becomes another owner's: they
	// lead to records of the former owner that are not in the bundle. Their types are
	// those of edges.
	Outside []memory.Relation
	// Embedding is the chunk's: base64 of little-endian float32; empty: none. Its
	// model stands in the envelope. A text that was split has none.
	Embedding string

	author   memory.DID // the owner of the record that the chunk carries; "": it carries none
	amended  bool       // Restored, with other relations
	unsigned bool       // amended, so that its signature went
}

// RecordID returns the id of the record that Take makes of a chunk, and "" for a chunk
// that continues another.
func (m Mapper) RecordID(c Chunk, around Graph) (memory.ID, error) {
	t, err := m.convertChunk(c, around)
	return t.Record.ID, err
}

// IsDerived reports whether relations to an entity's name give the whole entity again:
// [Mapper.Mentions] of any producer made it, and it has no further members.
func (m Mapper) IsDerived(e Entity) bool {
	return e.Kind == entityKind && e.ID == namespaceOf(e.ID).EntityURN(e.Name) && e.value().Len() == 4
}
