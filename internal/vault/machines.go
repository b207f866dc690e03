package vault

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

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
