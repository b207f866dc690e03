package vault

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// MachineStateSpace is the space of attachments that hold the state of this machine.
const MachineStateSpace = "count.state"

// SelfKey is the key in MachineStateSpace of this machine's id. It is absent while the owner has no
// machines.
const SelfKey = "self"

// ScannedKey is the key in MachineStateSpace of the change up to which package replicate scanned
// the change feed, in decimal.
const ScannedKey = "harvested"

// Spaces of package replicate that the erasure of an owner keeps, so that the owner's other
// machines learn of the erasure, and a log that is cut there is noticed here.
const (
	LogHeadSpace     = "replica.log"     // a machine's id -> what is known of its audit log
	MachineSpace     = "replica.machine" // a machine's id -> replica.Machine
	ErasureMarkSpace = "count.gone"      // the keyed mark of a record's id -> replica.Erasure
	ItemSpace        = "replica.rest"    // kind and key of an item that is neither a record nor an attachment -> replica.Known
)

// selfOf returns this machine's id; empty: the owner has no machines.
func selfOf(r store.Reader) (memory.DID, error) {
	a, err := r.Attached(MachineStateSpace, SelfKey, 0)
	return memory.DID(a.Data), NotFoundIsNone(err)
}

// RemoveErased removes a record that another machine erased, as an erasure here does: its row,
// receipts, links and vectors, and its text in a run or in an import's document. The caller has
// to update the records that it superseded.
func RemoveErased(k Kernel, w store.Writer, r store.Row, now time.Time) error {
	linked, err := linkedTo(w, r.ID)
	if err != nil {
		return err
	}
	if err := k.eraseFromRun(w, r); err != nil {
		return err
	}
	if err := k.remove(w, r, now); err != nil {
		return err
	}
	return k.prune(w, linked)
}

// Emptied returns the shell of a record of an owner whose retention is over, see [Vault.Sweep].
func Emptied(k Kernel, rec memory.Record, owner memory.DID) (memory.Record, error) {
	return k.emptied(rec, owner)
}

// UnlinkAndPrune removes the links and vectors of a record whose content was removed, and entities
// that have no link then.
func UnlinkAndPrune(k Kernel, w store.Writer, id memory.ID) error { return k.unlinkAndPrune(w, id) }

// PruneEntities removes the entities among urns that have no link.
func PruneEntities(k Kernel, w store.Writer, urns map[string]bool) error { return k.prune(w, urns) }

// OfToken reports whether a token's bearer wrote a record.
func OfToken(k Kernel, rec memory.Record) bool { return ofToken(rec) }

// DetachSome removes some attachments of an undone import, and their relations. more says that
// the import may have other attachments.
func DetachSome(k Kernel, w store.Writer, number int64) (more bool, err error) {
	return k.detachSome(w, number)
}

// DropResidue removes the content of an import's document.
func DropResidue(k Kernel, w store.Writer, number int64) error { return dropResidue(w, number) }

// PlaceOf returns the place from which an import took its records; empty: unknown.
func PlaceOf(k Kernel, w store.Writer, imp int64) (string, error) { return placeOf(w, imp) }

// CallByName stores the foreign names of a record that was imported from a place, so that a later
// import recognises the record. It does nothing if a record that was created later has one of the
// names.
func CallByName(k Kernel, w store.Writer, rec memory.Record, place string) error {
	n, ok := ForeignNameOf(rec)
	if !ok || Foreign(rec, w.Owner()) {
		return nil
	}
	names, taken := []string{n.Name}, false
	if place != "" {
		names = append(names, n.at(place))
	}
	for _, name := range names {
		id, err := w.Alias(n.Space, name)
		if err != nil {
			continue // nobody has the name
		}
		taken = true
		was, err := w.Row(id)
		if err == nil && isLater(was, rec) {
			return nil
		}
	}
	if taken {
		return n.call(w, place)
	}
	for _, name := range names {
		if err := w.SetAlias(n.Space, name, n.ID); err != nil {
			return err
		}
	}
	return nil
}

func isLater(row store.Row, rec memory.Record) bool {
	c := row.Columns.Created.Compare(rec.Time.Created)
	return c > 0 || c == 0 && row.ID > rec.ID
}

// leftOfMachines returns the attachments that an owner's erasure keeps: the owner's machines, the
// marks of all records, and withdrawals of settings. It returns none if the owner has no
// machines.
func (e *eraser) leftOfMachines(w store.Writer) (left []store.Attachment, err error) {
	self, err := selfOf(w)
	key := e.holder(w.Owner())
	if err != nil || self == "" || key == nil {
		return nil, err
	}
	head, err := w.Head()
	if err != nil {
		return nil, err
	}
	left = append(left, store.Attachment{Space: MachineStateSpace, Key: SelfKey, Data: []byte(self)},
		store.Attachment{Space: MachineStateSpace, Key: ScannedKey, Data: strconv.AppendInt(nil, head, 10)})
	keep := func(a store.Attachment) error { left = append(left, a); return nil }
	for _, space := range []string{MachineSpace, LogHeadSpace} {
		if err := EachBeside(w, store.AttachmentFilter{Space: space}, keep); err != nil {
			return nil, err
		}
	}
	gone, err := e.erasureMarks(w, replica.ErasureSecret(*key))
	if err != nil {
		return nil, err
	}
	for mark, g := range gone {
		left = append(left, store.Attachment{Space: ErasureMarkSpace, Key: mark, Data: replica.Encode(g)})
	}
	return left, EachBeside(w, store.AttachmentFilter{Space: ItemSpace}, func(a store.Attachment) error {
		k, err := replica.Decode[replica.Known](a.Data)
		if err != nil || !k.Register.Present || strings.HasPrefix(a.Key, string(replica.KindProject)) {
			return err // names of projects do not stay
		}
		a.Data = replica.Encode(replica.Known{Register: k.Register.Set(nil, false)})
		return keep(a)
	})
}

// erasureMarks returns the marks of all records that the owner has or had. All count as erased.
func (e *eraser) erasureMarks(w store.Writer, secret []byte) (map[string]replica.Erasure, error) {
	gone := map[string]replica.Erasure{}
	err := EachBeside(w, store.AttachmentFilter{Space: ErasureMarkSpace}, func(a store.Attachment) error {
		g, err := replica.Decode[replica.Erasure](a.Data)
		gone[a.Key] = g
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, EachPage(context.Background(), w, store.Filter{}, func(rows []store.Row) error {
		for _, row := range rows {
			if mark := replica.ErasureMark(secret, row.ID); !gone[mark].Erased() {
				gone[mark]++
			}
		}
		return nil
	})
}
