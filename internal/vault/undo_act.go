package vault

import (
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// errSince refuses to take back what was changed later.
func errSince(id memory.ID, message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "undo", ID: id, Message: message}
}

// takeBackMark takes back what a mark says, see [Kernel.TakeBack].
func (e *eraser) takeBackMark(w store.Writer, m UndoMark, now time.Time) error {
	if m.Act != UndoRevise && m.Act != UndoConfirm {
		if err := e.unforget(w, m, now); err != nil {
			return err
		}
		return w.Detach(UndoSpace, m.Key)
	}
	if err := e.takeBackSuccessor(w, m.Record, now); err != nil { // its marks go with it
		return err
	}
	if m.Record = m.Proposal; m.Record == "" {
		return nil
	}
	return e.unforget(w, m, now)
}

// unforget puts a forgotten record in force again. What was attached
// to it, such as links to entities, does not come back; vectors are made anew.
func (e *eraser) unforget(w store.Writer, m UndoMark, now time.Time) error {
	r, rec, born, err := e.forgotten(w, m.Record, now)
	if err != nil {
		return err
	}
	if rec = unforgotten(rec, born, m); m.Act != UndoForget {
		rec = waitingAgain(rec, born)
	}
	if err := e.amend(w, r, rec); err != nil {
		return err
	}
	if err := e.settleChain(w, rec); err != nil { // a token's record had put others in force again
		return err
	}
	_, err = w.Record(store.Change{At: now, Type: store.Created, ID: rec.ID})
	return err
}

// forgotten reads a tombstone that still has its content, with its form at birth.
func (e *eraser) forgotten(w store.Writer, id memory.ID, now time.Time) (r store.Row, rec, born memory.Record, err error) {
	if r, err = w.Row(id); err != nil {
		return r, rec, born, err
	}
	if rec, err = e.record(w, r); err != nil {
		return r, rec, born, err
	}
	at, ends := ump.Expiry(rec)
	if r.Origin == nil || ends && !now.Before(at) {
		return r, rec, born, errSince(id, "its retention has ended: only an import or a backup brings it back")
	}
	if rec.Lifecycle.Status != memory.Tombstoned {
		return r, rec, born, errSince(id, "this memory is in force again already; satchel get shows it")
	}
	first := r
	first.Current = nil
	born, err = e.record(w, first)
	return r, rec, born, err
}

// waitingAgain returns a decided proposal as it waited for the owner.
func waitingAgain(rec, born memory.Record) memory.Record {
	rec.Lifecycle.Status, rec.Time.ValidTo = memory.Candidate, born.Time.ValidTo
	said, _ := codec.Residue(born, engram.Name)
	return codec.WithResidue(rec, engram.Name, said)
}

// takeBackSuccessor erases a record that replaced others.
func (e *eraser) takeBackSuccessor(w store.Writer, id memory.ID, now time.Time) error {
	r, err := w.Row(id)
	if err != nil {
		return err
	}
	rec, err := e.record(w, r)
	if err != nil {
		return err
	}
	users, err := w.Relating(string(id))
	if err != nil {
		return err
	}
	if r.Current != nil || len(users) > 0 {
		return errSince(id, "it was changed since, or others build on it")
	}
	as, err := e.beliefs.KnownAs(w, now, r)
	if err != nil {
		return err
	}
	linked, err := linkedTo(w, id)
	if err != nil {
		return err
	}
	if err := e.reopen(w, rec); err != nil {
		return err
	}
	if err := e.erase(w, r, as, now); err != nil {
		return err
	}
	return e.prune(w, linked)
}
