package ump

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// FrameOptions say for whom and how [Frame] frames memory. The zero value frames
// nothing: Nonce and Now are required, and only records of Owner go in.
type FrameOptions struct {
	// Owner is the owner whose records the reader may see at every visibility: the
	// caller has checked that already. Empty: no owner.
	Owner memory.DID
	// Public also admits public records of other owners.
	Public bool
	// Shared also admits records that other owners shared. The caller must have
	// checked that they shared them with the reader.
	Shared bool
	// Nonce is at least 128 random bits in base 32 or hexadecimal, new for each
	// frame.
	Nonce string
	// Budget is the most tokens that the whole text may have; 0: 2000.
	Budget int
	// Tokens estimates the tokens of a text; nil: a quarter of its bytes, rounded up.
	Tokens func(text string) int
	// Conformance is the level of the source of the records. From L3 on, Frame drops
	// records that it cannot verify.
	Conformance string
	// RequireSigned drops records that Frame cannot verify, at every level.
	RequireSigned bool
	// Now is the time at which records must be valid and within their retention.
	Now time.Time
	// Verified returns nil if the owner is known to have signed the record's form,
	// otherwise an error like [Verify]; nil: Verify itself. It must refuse a record
	// whose members and form disagree, because Frame writes the form.
	Verified func(memory.Record) error
}

const defaultFrameBudget = 2000

// Frame writes records as data for a model (section 5.3, decision UD-30). It
// verifies and filters the records, keeps their order, fits them into the budget and
// frames them. It says what happened to each record. It drops a record that does not
// fit; a shorter one after it may fit.
//
// The text begins with <ump:memory trust="untrusted-data" nonce="N">. A sentence and
// one JSON object per record follow, each on its own line. It ends with
// </ump:memory nonce="N">. No record can contain either tag or begin a line. The text
// is empty if the budget is too small for an empty frame. Give it to a model as a
// separate message part, never inside a system prompt.
//
// Records of o.Owner may be private, shared or public. Frame admits records of other
// owners that are public if o.Public is set, and shared ones if o.Shared is set.
func Frame(records []memory.Record, o FrameOptions) (memory.Frame, error) {
	if err := o.check(); err != nil {
		return memory.Frame{}, err
	}
	out := memory.Frame{Injected: []memory.ID{}, Dropped: []memory.DroppedRecord{}}
	p := newPage(&o)
	for i := range records {
		e, reason := o.admit(&records[i])
		if reason == "" && !p.add(e) {
			reason = dropBudget
		}
		if reason != "" {
			out.Dropped = append(out.Dropped, memory.DroppedRecord{ID: records[i].ID, Reason: reason})
			continue
		}
		out.Injected = append(out.Injected, e.record.ID)
	}
	out.Text = p.text()
	return out, nil
}

// check reports an option that is missing or wrong.
func (o *FrameOptions) check() error {
	message := ""
	switch {
	case !validNonce(o.Nonce):
		message = "the frame needs a nonce: at least 128 random bits in base 32 or hexadecimal, new for every frame"
	case o.Now.IsZero():
		message = "the frame needs to know the time"
	case o.Budget < 0:
		message = "the budget of a frame cannot be negative"
	}
	if message == "" {
		return nil
	}
	return &memory.Error{Kind: memory.Internal, Op: "frame", Rule: "UMP-5.3-5", Message: message}
}

// validNonce reports whether s consists of letters and digits and can hold 128 bits.
func validNonce(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) {
			return false
		}
	}
	return len(s) >= 26 && len(s) <= 128
}
