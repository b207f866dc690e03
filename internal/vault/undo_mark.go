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
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
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
