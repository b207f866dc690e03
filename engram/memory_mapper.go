package engram

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Mapper converts beliefs to records and back. A belief is a lineage: one record for each
// of its values, the newest last. A proposal that waits is a candidate record that
// contradicts one of them. A Mapper keeps nothing between calls and is safe for concurrent
// use.
type Mapper struct {
	Forms codec.Forms // required
	// Owner owns the records that beliefs become. Records of another owner in x_ump do not
	// come back unchanged.
	Owner memory.DID
	// Now decides what has ended; nil: everything with an end has. It also dates what has
	// no date.
	Now func() time.Time
	// Residue adds a belief's records to its member x_ump when the belief does not say all
	// of them. It is for the owner's own files, never for a runtime.
	Residue bool
	// Under is the document that will hold the beliefs: x_ump leaves out what follows from
	// its issuer, subject and time. The zero Document leaves out nothing.
	Under Document
	// Sealed restores only records signed with the Owner's key from x_ump: for a store that
	// imports documents of strangers.
	Sealed bool

	// envelope keeps the envelope in the identity's record, for conversions without a
	// store. kept is the envelope that such a record already has.
	envelope bool
	kept     canon.Value
}

// Lineage is the records of one belief.
type Lineage struct {
	Versions []memory.Record // of the belief, oldest first; at least one
	// Root is the record that began the belief, when Versions leave it out: a proposal that
	// the owner confirmed. Empty: the first version began it.
	Root      memory.ID
	Proposals []memory.Record // candidates that contradict one of the versions, oldest first
}

// BeliefHistory is a lineage as core objects.
type BeliefHistory struct {
	Belief
	Evolution   []Change     // oldest first
	Corrections []Correction // by time
	// Contexts hold what runtimes said about the occasion of a correction, by the
	// correction's id. They are for the owner; no export has them.
	Contexts map[string]string
	Losses   []codec.Loss // what the core objects cannot say, without x_ump

	places map[string]int // of entries out of the order of time, by id
}

// Belief returns a lineage as a belief with its history. The caller redacts the records for
// their reader first. A tombstone has no history, and says nothing of what was deleted.
func (m Mapper) Belief(l Lineage) (BeliefHistory, error) { return m.belief(l) }

// BeliefID returns the id of the belief that a record began: the id it came with, or one
// derived from the record's id.
func BeliefID(root memory.Record) string { return beliefID(root) }

// Records makes the records of a document: the identity, then each belief's versions and
// proposals, then the constraints. The records are complete and unsigned; replaced versions
// are born closed. Records restored from x_ump keep their author's spelling.
func (m Mapper) Records(d Document) ([]memory.Record, []codec.Loss, error) { return m.records(d) }

// Identity returns the identity of the newest active record that holds one, and whether
// there is one.
func (m Mapper) Identity(rs []memory.Record) (Identity, bool) { return identityIn(rs) }

// Constraint returns the constraint of a record, and whether the record holds one. A
// tombstone says that there was a constraint, but not which.
func (m Mapper) Constraint(r memory.Record) (Constraint, bool) { return constraintIn(r) }

// Draft makes the first record of a new belief. The record is complete and unsigned, as are
// those of the methods below.
func (m Mapper) Draft(b Belief) (memory.Record, error) { return m.draft(b) }

// Next makes the successor of prior, which holds b. c is the change: its id, trigger, time,
// context and note; it is empty if the value stays. by are the corrections that led to it,
// for the audit trail.
func (m Mapper) Next(prior memory.Record, b Belief, c Change, by ...Correction) (memory.Record, error) {
	return m.next(prior, b, c, by)
}

// Candidate makes the record of a proposal that contradicts current, under the id of a
// correction. Without a runtime the proposal is the system's own.
func (m Mapper) Candidate(current memory.Record, p Proposal, id string, at time.Time) (memory.Record, error) {
	return m.candidate(current, p, id, at)
}

// IdentityRecord makes the record of an identity.
func (m Mapper) IdentityRecord(i Identity) (memory.Record, error) { return m.identityRecord(i) }

// ConstraintRecord makes the record of a constraint.
func (m Mapper) ConstraintRecord(k Constraint) (memory.Record, error) { return m.constraintRecord(k) }
