package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// An owner's memory uses one edition of UMP: 0.1, or 1.0 once the owner has chosen it
// (decision UD-1). The store keeps the edition beside the owner's records. Every program
// and replica reads it there, in the transaction in which it writes. A memory of edition
// 1.0 creates records as 1.0. A record signed as 0.1 gets a present form in 1.0, signed
// by the owner; its first form stays as evidence. A record whose owner's key is not here
// stays as it is.

// EditionSpace holds, under the key [ump.LaterEdition], since when a memory uses that
// edition.
const EditionSpace = "ump.edition"

// EditionOf returns the edition of an owner's memory.
func EditionOf(r store.Reader) (string, error) {
	_, err := r.Attached(EditionSpace, ump.LaterEdition, 0)
	if errors.Is(err, store.ErrNotFound) {
		return ump.Edition, nil
	}
	return ump.LaterEdition, err
}

// GoingOver is the key in EditionSpace of when a memory began to change to 1.0. The
// change is incomplete until the other key is there.
const GoingOver = "going over"

// SetEdition sets the edition of a memory from now on.
func SetEdition(w store.Writer, edition string, now time.Time) error {
	if edition != ump.LaterEdition {
		return errors.Join(NotFoundIsNone(w.Detach(EditionSpace, ump.LaterEdition)), NotFoundIsNone(w.Detach(EditionSpace, GoingOver)))
	}
	return NoteEditionSince(w, edition, now)
}

// NoteEditionSince notes the present time under a key of EditionSpace; the first time
// counts.
func NoteEditionSince(w store.Writer, key string, now time.Time) error {
	_, err := store.Attach(w, store.Attachment{Space: EditionSpace, Key: key, Data: []byte(now.Format(time.RFC3339Nano))})
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// Edition returns the edition of an owner's memory. A vault without a store, as for a
// listing of what it offers, returns that of a new memory.
func (e *editor) Edition(ctx context.Context, owner memory.DID) (edition string, err error) {
	if e.bare == nil {
		return ump.Edition, nil
	}
	err = e.bare.View(ctx, owner, func(r store.Reader) error {
		edition, err = EditionOf(r)
		return err
	})
	return edition, err
}

// noteEdition returns and remembers the edition of an owner's memory in a transaction
// that writes a record. Another program may have changed it.
func (e *editor) noteEdition(w store.Writer) (string, error) {
	edition, err := EditionOf(w)
	if err == nil {
		e.editions.Store(w.Owner(), edition)
	}
	return edition, err
}

// lastEdition returns the edition at the last write of a record. It is a hint for
// records prepared outside of a transaction; inEdition decides.
func (e *editor) lastEdition(owner memory.DID) (string, error) {
	if edition, ok := e.editions.Load(owner); ok {
		return edition.(string), nil
	}
	edition, err := e.Edition(context.Background(), owner)
	if err != nil {
		return "", err
	}
	noted, _ := e.editions.LoadOrStore(owner, edition) // a writer may know better by now
	return noted.(string), nil
}

// errEdition refuses a record prepared for another edition. Nothing was stored.
var errEdition = &memory.Error{Kind: memory.Internal, Message: "this memory has just gone over to another edition of UMP: do it again"}

// inEdition gives a record about to be stored the edition of the memory in this
// transaction. A draft is created in it, and a record signed as 0.1 gets a present form.
// A record that cannot be signed here stays as it is. A memory of 0.1 keeps records
// stated or signed as 1.0, but no record prepared as 1.0 before the memory went back.
func (e *editor) inEdition(w store.Writer, p Prepared) (Prepared, error) {
	edition, err := e.noteEdition(w)
	key := e.signer(p.Rec, w.Owner())
	settled := p.Rec.Version == edition || edition == ump.Edition && !p.raised
	if err != nil || settled || key == nil {
		return p, err
	}
	next := p.Rec
	next.Version, p.raised = edition, false
	if p.asked.Integrity != nil {
		p.Rec, err = ump.Amend(next, key)
	} else {
		if p.asked.ID == "" {
			next.ID = ""
		}
		p.Rec, err = ump.Author(next, key)
	}
	e.vouch(p.Rec)
	return p, err
}
