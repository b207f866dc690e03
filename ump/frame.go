package ump

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// FrameOptions say for whom and how memory is framed. The zero value frames
// nothing: Nonce and Now are required, and only records of Owner go in.
type FrameOptions struct {
	// Owner is whose memory the reader is entitled to, whatever its visibility:
	// the gate has been passed. Empty: nobody's.
	Owner memory.DID
	// Public lets public records of other owners in, too.
	Public bool
	// Shared lets records in that other owners shared, where the reader was shown to
	// be one of those they shared them with.
	Shared bool
	// Nonce is 128 random bits or more, in base 32 or hexadecimal, drawn for this
	// frame alone.
	Nonce string
	// Budget is the most tokens that the whole text may have; 0: 2000.
	Budget int
	// Tokens estimates the tokens of a text; nil: a quarter of its bytes, rounded up.
	Tokens func(text string) int
	// Conformance is the level of where the records come from. From L3, records
	// that cannot be verified are dropped.
	Conformance string
	// RequireSigned drops records that cannot be verified whatever the level.
	RequireSigned bool
	// Now is the time at which records must be valid and kept.
	Now time.Time
	// Verified returns nil where the record's form is known to be signed by its
	// owner, else an error as [Verify] does; nil: Verify itself. It must not
	// accept a record whose members and form disagree: the form is what is framed.
	Verified func(memory.Record) error
}

const defaultFrameBudget = 2000

// Frame puts records before a model as data (section 5.3, decision UD-30). It
// verifies, filters, keeps the order that is left, fits the budget and frames,
// in this order, and says what became of each record. A record that does not fit
// is dropped; a shorter one after it may fit.
//
// The text begins with <ump:memory trust="untrusted-data" nonce="N">, goes on
// with a sentence and one JSON object per record, each on a line of its own, and
// ends with </ump:memory nonce="N">. No record can contain either tag or begin a
// line. It is empty where the budget is too small for a frame around nothing.
// Give it to a model as a message part of its own, never inside a system prompt.
//
// Records of o.Owner may be private, shared or public; those of others are
// framed where they are public and o.Public asks for them, or shared and o.Shared does.
func Frame(records []memory.Record, o FrameOptions) (memory.Framed, error) {
	if err := o.check(); err != nil {
		return memory.Framed{}, err
	}
	out := memory.Framed{Injected: []memory.ID{}, Dropped: []memory.Dropped{}}
	p := newPage(&o)
	for i := range records {
		e, reason := o.admit(&records[i])
		if reason == "" && !p.add(e) {
			reason = dropBudget
		}
		if reason != "" {
			out.Dropped = append(out.Dropped, memory.Dropped{ID: records[i].ID, Reason: reason})
			continue
		}
		out.Injected = append(out.Injected, e.record.ID)
	}
	out.Text = p.text()
	return out, nil
}

// check reports what the caller of Frame left out.
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

// validNonce reports whether s can carry 128 bits and is nothing but letters
// and digits.
func validNonce(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) {
			return false
		}
	}
	return len(s) >= 26 && len(s) <= 128
}
