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

// MachineStateSpace holds what this machine knows of itself among the owner's machines.
const MachineStateSpace = "count.state"

// SelfKey is the key in MachineStateSpace of the id of this machine. It is there once the
// owner has machines.
const SelfKey = "self"

// ScannedKey is the key in MachineStateSpace of how far the change feed was read for
// other machines.
const ScannedKey = "harvested"

// The spaces of what package replicate keeps and the erasure of everything leaves, so that
// the owner's other machines learn of it.
const (
	MachineSpace     = "replica.machine" // a machine's id -> replica.Machine
	ErasureMarkSpace = "count.gone"      // the keyed mark of a record's id -> replica.Erasure
	ItemSpace        = "replica.rest"    // kind and key of another item -> replica.Known
)

// selfOf returns the id of this machine among those of the owner; empty: the owner has no
// machines.
func selfOf(r store.Reader) (memory.DID, error) {
	a, err := r.Attached(MachineStateSpace, SelfKey, 0)
	return memory.DID(a.Data), NotFoundIsNone(err)
}

// What package replicate, which joins the memories of an owner's machines, needs of the
// kernel.

// RemoveErased removes a record that another machine has erased, as erasing it here would:
// its row, receipts, links and vectors, and the text that its run or its import's document
// repeats. Settling the records that it had superseded is left to the caller.
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

// Emptied returns the shell of a record whose retention is over, see [Vault.Sweep].
func Emptied(k Kernel, rec memory.Record, owner memory.DID) (memory.Record, error) {
	return k.emptied(rec, owner)
}

// UnlinkAndPrune removes what is attached to a record whose content is gone.
func UnlinkAndPrune(k Kernel, w store.Writer, id memory.ID) error { return k.unlinkAndPrune(w, id) }

// PruneEntities removes those of these entities to which nothing is linked.
func PruneEntities(k Kernel, w store.Writer, urns map[string]bool) error { return k.prune(w, urns) }

// OfToken reports whether a token's bearer stated a record.
func OfToken(k Kernel, rec memory.Record) bool { return ofToken(rec) }

// DetachSome removes some attachments of an import that was undone, and the relations that
// they stand for. It reports whether there may be more.
func DetachSome(k Kernel, w store.Writer, number int64) (more bool, err error) {
	return k.detachSome(w, number)
}

// DropResidue forgets the content of an import's document.
func DropResidue(k Kernel, w store.Writer, number int64) error { return dropResidue(w, number) }

// CallByName gives the thing that an imported record describes its names, so that a later
// import recognises it. A name stays with a record that was made later.
func CallByName(k Kernel, w store.Writer, rec memory.Record, imp int64) error {
	n, ok := ForeignNameOf(rec)
	if !ok || Foreign(rec, w.Owner()) {
		return nil
	}
	place, err := placeOf(w, imp)
	if err != nil {
		return err
	}
	for _, name := range []string{n.Name, n.at(place)} {
		id, err := w.Alias(n.Space, name)
		if err != nil {
			continue // nobody has the name
		}
		was, err := w.Row(id)
		if err == nil && isLater(was, rec) {
			return nil
		}
	}
	return n.call(w, place)
}

func isLater(row store.Row, rec memory.Record) bool {
	c := row.Columns.Created.Compare(rec.Time.Created)
	return c > 0 || c == 0 && row.ID > rec.ID
}

// leftOfMachines returns what stays when everything of an owner is erased: the owner's
// machines, and marks of all that was here, which name nothing. It is nothing for an owner
// without machines.
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
	if err := EachBeside(w, store.AttachmentFilter{Space: MachineSpace}, keep); err != nil {
		return nil, err
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

// erasureMarks returns the marks of all records that are here or were erased before.
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
