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

// EachBeside calls do with the attachments that f selects, in order.
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

// NotFoundIsNone returns err, or nil where err means not found.
func NotFoundIsNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// ErrStopped ends a walk early.
var ErrStopped = errors.New("stopped")

// The spaces of a bundle's attachments to its chunks. From and To are the records of an
// edge, a link or a vector.
const (
	EdgeSpace   = "aimem.edge"   // key: see edgeKey; data: the edge's JSON as received
	EntitySpace = "aimem.entity" // key: the entity's URN; data: its JSON as received
	LinkSpace   = "aimem.link"   // key: see linkKey; data: the link's JSON as received
	VectorSpace = "aimem.vector" // key: see vectorKey; data: see vector.bytes
)

// AliasSpace maps foreign ids of chunks to records.
const AliasSpace = "aimem"

// EntityAliasSpace maps the names under which foreign entities leave back to them: the
// key is that name, the data their original name.
const EntityAliasSpace = "aimem.entity.alias"

// OriginSpace maps the origins that records claimed on arrival to those records
// (decision AD-7). The name is a URN and the hash of a content. The claim is unverified:
// a lookup finds a record of that content, and nothing more.
const OriginSpace = "aimem.origin"

// EntityOriginSpace is the same for entities: the key is a URN and a mark of name and
// kind, the data the URN of the entity here.
const EntityOriginSpace = "aimem.entity.origin"

// OriginName is a name in OriginSpace.
func OriginName(urn aimem.URN, hash string) string { return string(urn) + " " + hash }

// LinkedEntity is the URN of the entity of an attached link.
func LinkedEntity(a store.Attachment) string { return a.Key[strings.IndexByte(a.Key, 0)+1:] }

// RelationOf is the relation that an attached edge stands for.
func RelationOf(a store.Attachment) (memory.Relation, bool) {
	parts := strings.SplitN(a.Key, "\x00", 3)
	if len(parts) != 3 {
		return memory.Relation{}, false
	}
	kind, ok := aimem.RelationType(parts[2])
	return memory.Relation{Type: kind, Target: parts[1]}, ok
}
