package vault

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// besidePage is how many attachments are held at once.
const besidePage = 256

// EachBeside hands on the attachments that f chooses, in their order.
func EachBeside(r store.Reader, f store.AttachmentFilter, do func(store.Attachment) error) error {
	for after := int64(0); ; {
		page, err := r.Attachments(f, after, besidePage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, a := range page {
			if err := do(a); err != nil {
				return err
			}
		}
		after = page[len(page)-1].Number
	}
}

// NotFoundIsNone returns err, and nil where it says that something was not found.
func NotFoundIsNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// ErrStopped ends a walk whose result nobody waits for.
var ErrStopped = errors.New("stopped")

// The spaces in which lies what a bundle says beside its chunks. The records that
// an edge, a link or a vector belongs to are its From and To.
const (
	EdgeSpace   = "aimem.edge"   // key: see edgeKey; data: the edge's JSON as received
	EntitySpace = "aimem.entity" // key: the entity's URN; data: its JSON as received
	LinkSpace   = "aimem.link"   // key: see linkKey; data: the link's JSON as received
	VectorSpace = "aimem.vector" // key: see vectorKey; data: see vector.bytes
)

// AliasSpace is where foreign ids of chunks lead to records.
const AliasSpace = "aimem"

// EntityAliasSpace is where the names under which foreign entities leave lead back
// to them: the key is that name, the data the one they came with.
const EntityAliasSpace = "aimem.entity.alias"

// OriginSpace is where chunks lead to the records that, as they came, said of
// themselves to come from them (decision AD-7): the name is a URN and the hash of a
// content. Anybody may have said so: what is found is a record of that content, and
// nothing more.
const OriginSpace = "aimem.origin"

// EntityOriginSpace is the same of entities: the key is a URN and a mark of name and
// kind, the data the URN under which the entity is here.
const EntityOriginSpace = "aimem.entity.origin"

// OriginName is a name in OriginSpace.
func OriginName(urn aimem.URN, hash string) string { return string(urn) + " " + hash }

// LinkedEntity is the URN of the entity of a link that stands beside a record.
func LinkedEntity(a store.Attachment) string { return a.Key[strings.IndexByte(a.Key, 0)+1:] }

// RelationOf is the relation that an edge beside the records stands for.
func RelationOf(a store.Attachment) (memory.Relation, bool) {
	parts := strings.SplitN(a.Key, "\x00", 3)
	if len(parts) != 3 {
		return memory.Relation{}, false
	}
	kind, ok := aimem.RelationType(parts[2])
	return memory.Relation{Type: kind, Target: parts[1]}, ok
}
