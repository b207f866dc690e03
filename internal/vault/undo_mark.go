package vault

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// UndoSpace holds what the owner can take back, a mark for each record that an act
// changed. The key is the act's name, a full stop and the record's id; From is the record, To
// the proposal that the act decided. A mark holds nothing of the record's content, and goes
// with its record.
const UndoSpace = "undo"

// undoFor is how long an act can be taken back.
const undoFor = 30 * time.Minute

// UndoAct says what can be taken back.
type UndoAct string

// The acts that can be taken back.
const (
	UndoForget  UndoAct = "forget"  // From was forgotten
	UndoRevise  UndoAct = "revise"  // From replaced what was in force
	UndoConfirm UndoAct = "confirm" // From replaced what was in force, as proposed
	UndoReject  UndoAct = "reject"  // From is a proposal that was rejected
)

// UndoMark is the mark of one record.
type UndoMark struct {
	Act  UndoAct   `json:"act"`
	Ends time.Time `json:"ends"`
	// Of a forgotten record: its status before; whether forgetting ended its valid time, and
	// whether it named another actor.
	Status memory.Status `json:"status,omitempty"`
	Ended  bool          `json:"ended,omitempty"`
	Acted  bool          `json:"acted,omitempty"`

	Name     string    `json:"-"` // of the act
	Key      string    `json:"-"` // of the mark
	Record   memory.ID `json:"-"`
	Proposal memory.ID `json:"-"` // that was confirmed; empty: none
}

// NewUndoName returns a name for an act that may change several records.
func NewUndoName() string {
	b := make([]byte, 8)
	rand.Read(b) //nolint:errcheck // it never fails
	return hex.EncodeToString(b)
}

// undoName is the key of the context that names an act.
type undoName struct{}

// WithUndoName names what is done under a context, so that several changes are one act,
// which is taken back as one.
func WithUndoName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, undoName{}, name)
}

// UndoNameOf returns the name of what is done under a context, a new one if it has none.
func UndoNameOf(ctx context.Context) string {
	if name, ok := ctx.Value(undoName{}).(string); ok {
		return name
	}
	return NewUndoName()
}

// droppedUndo is how many marks whose time is over one act drops.
const droppedUndo = 8

// MarkUndo stores a mark for an act with a name, and drops marks whose time is over.
func MarkUndo(w store.Writer, name string, m UndoMark, now time.Time) error {
	old, err := w.Attachments(store.AttachmentFilter{Space: UndoSpace}, 0, droppedUndo)
	if err != nil {
		return err
	}
	for _, a := range old {
		if now.Before(UndoMarkOf(a).Ends) {
			break // they lie in the order in which they end
		}
		if err := w.Detach(UndoSpace, a.Key); err != nil {
			return err
		}
	}
	m.Ends = now.Add(undoFor)
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = store.Attach(w, store.Attachment{Space: UndoSpace, Key: name + "." + string(m.Record), From: m.Record, To: m.Proposal, Data: data})
	return err
}

// UndoMarkOf reads a mark. One that cannot be read is over.
func UndoMarkOf(a store.Attachment) (m UndoMark) {
	if json.Unmarshal(a.Data, &m) != nil {
		return UndoMark{}
	}
	m.Name, _, _ = strings.Cut(a.Key, ".")
	m.Key, m.Record, m.Proposal = a.Key, a.From, a.To
	return m
}

// unforgotten returns a tombstone as it was before it was forgotten. born is its form at
// birth.
func unforgotten(rec, born memory.Record, m UndoMark) memory.Record {
	rec.Lifecycle.Status = m.Status
	if m.Ended {
		rec.Time.ValidTo = time.Time{}
	}
	if m.Acted && rec.Provenance != nil && born.Provenance != nil {
		said := *rec.Provenance
		said.Actor = born.Provenance.Actor
		rec.Provenance = &said
	}
	return withoutForgotten(rec)
}

// withoutForgotten returns a record without what [Tombstone] noted in it.
func withoutForgotten(rec memory.Record) memory.Record {
	own, ok := codec.Residue(rec, "satchel")
	if !ok || !own.Has("forgotten") {
		return rec
	}
	if own = own.Without("forgotten"); own.Len() == 0 {
		own = canon.Value{}
	}
	return codec.WithResidue(rec, "satchel", own)
}

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
