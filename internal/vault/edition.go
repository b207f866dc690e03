package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// An owner's memory speaks one edition of UMP: 0.1, or 1.0 once the owner has said so
// (decision UD-1). The store keeps that beside the owner's records, so that every
// program and every replica that works on them finds the same, in the transaction in
// which it writes. In a memory that speaks 1.0, records are born as 1.0, and one that
// was signed as 0.1 has a present form in 1.0, signed by the owner: its first form
// stays as evidence. A record whose owner's key is not here is kept as it is.

// EditionSpace holds, under the key [ump.LaterEdition], since when a memory speaks
// that edition.
const EditionSpace = "ump.edition"

// EditionOf returns the edition that an owner's memory speaks.
func EditionOf(r store.Reader) (string, error) {
	_, err := r.Attached(EditionSpace, ump.LaterEdition, 0)
	if errors.Is(err, store.ErrNotFound) {
		return ump.Edition, nil
	}
	return ump.LaterEdition, err
}

// GoingOver is the key beside it of when a memory began to go over to 1.0. Until the
// other key is there, that is not done.
const GoingOver = "going over"

// SetEdition lets a memory speak an edition from now on.
func SetEdition(w store.Writer, edition string, now time.Time) error {
	if edition != ump.LaterEdition {
		return errors.Join(NotFoundIsNone(w.Detach(EditionSpace, ump.LaterEdition)), NotFoundIsNone(w.Detach(EditionSpace, GoingOver)))
	}
	return NoteEditionSince(w, edition, now)
}

// NoteEditionSince notes under a key of EditionSpace since when it is so; the first time counts.
func NoteEditionSince(w store.Writer, key string, now time.Time) error {
	_, err := store.Attach(w, store.Attachment{Space: EditionSpace, Key: key, Data: []byte(now.Format(time.RFC3339Nano))})
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// Edition returns the edition of UMP that an owner's memory speaks: that of a new
// memory where the vault has no store, as when it only says what it offers.
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

// noteEdition returns the edition that an owner's memory speaks in a transaction that writes
// a record, and takes note of it: another program may have changed it.
func (e *editor) noteEdition(w store.Writer) (string, error) {
	edition, err := EditionOf(w)
	if err == nil {
		e.editions.Store(w.Owner(), edition)
	}
	return edition, err
}

// lastEdition returns the edition that an owner's memory spoke when a record was last
// written. It is a hint for what is made ready outside of a transaction: inEdition has
// the last word.
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

// errEdition refuses what was made ready for another edition. Nothing was stored.
var errEdition = &memory.Error{Kind: memory.Internal, Message: "this memory has just gone over to another edition of UMP: do it again"}

// inEdition gives a record that is about to be stored the edition that the memory
// speaks in this transaction: a draft is born in it, and of a record that came signed
// as 0.1 a present form is made. One that cannot be signed here stays as it is. A
// memory that speaks 0.1 keeps what was said or signed as 1.0, but nothing that was
// made 1.0 before the memory went back.
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
