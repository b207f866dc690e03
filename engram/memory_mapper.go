package engram

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Mapper turns beliefs into records and records into beliefs. A belief is a lineage:
// one record for each value that it has had, the newest last; a proposal that waits is
// a candidate record that contradicts one of them. It is pure: it keeps nothing between
// calls, and is safe for concurrent use.
type Mapper struct {
	Forms codec.Forms // required
	// Owner is whose records are made of beliefs. A record in x_ump that is somebody
	// else's does not come back as it was.
	Owner memory.DID
	// Now says what has ended; nil: everything that has an end. It dates what has no
	// date of its own.
	Now func() time.Time
	// Residue puts the records of a belief into its member x_ump, where the belief does
	// not say all of them: for the owner's own files, never for a runtime.
	Residue bool
	// Under is the document that beliefs will stand in: x_ump leaves out what follows
	// from its issuer, subject and time. The zero Document leaves out nothing.
	Under Document
	// Sealed restores from x_ump only what the Owner's key has signed: for a store
	// that takes in what strangers made.
	Sealed bool

	// envelope keeps the envelope on the record of the identity, without a store, and
	// kept is what such a record keeps already.
	envelope bool
	kept     canon.Value
}

// Lineage is what a belief is made of.
type Lineage struct {
	Versions []memory.Record // of the belief, oldest first; at least one
	// Root is the record that began the belief, where Versions leave it out: a proposal
	// that the owner confirmed. Empty: the first version began it.
	Root      memory.ID
	Proposals []memory.Record // candidates that contradict one of them, oldest first
}

// Told is a lineage as the core objects say it.
type Told struct {
	Belief
	Evolution   []Change     // oldest first
	Corrections []Correction // by time
	// Contexts are what runtimes said of the occasion, by id of the correction. They
	// are for the owner: no export has them.
	Contexts map[string]string
	Losses   []codec.Loss // what the core objects do not say, without x_ump

	places map[string]int // of entries that stood out of their order, by id
}

// Belief tells a lineage as a belief with its history. Records must be as their reader
// may have them: redaction comes first. A tombstone comes without history, and says
// nothing of what was deleted.
func (m Mapper) Belief(l Lineage) (Told, error) { return m.belief(l) }

// BeliefID returns the id that a belief has whose first record this is: the one that it
// came with, or one made from the id of the record.
func BeliefID(root memory.Record) string { return beliefID(root) }

// Records makes records of a document: the identity, then the versions of each belief
// with its proposals, then the constraints. They are complete and unsigned; versions
// that have been replaced are born closed. What comes back from x_ump is as its author
// spelled it.
func (m Mapper) Records(d Document) ([]memory.Record, []codec.Loss, error) { return m.records(d) }

// Identity returns the identity that the newest active record says of those given, and
// whether any does.
func (m Mapper) Identity(rs []memory.Record) (Identity, bool) { return identityIn(rs) }

// Constraint returns the constraint that a record says, and whether it says one. A
// tombstone says that there was one, and not what.
func (m Mapper) Constraint(r memory.Record) (Constraint, bool) { return constraintIn(r) }

// Draft makes the first record of a belief that is stated here. It is complete and
// unsigned, as are those of the methods below.
func (m Mapper) Draft(b Belief) (memory.Record, error) { return m.draft(b) }

// Next makes the successor of prior, in which the belief is as b says. c is what
// changed: its id, trigger, time, context and note, empty where the value did not. by
// are the corrections by which it changed, for the audit trail.
func (m Mapper) Next(prior memory.Record, b Belief, c Change, by ...Correction) (memory.Record, error) {
	return m.next(prior, b, c, by)
}

// Candidate makes the record of a proposal that contradicts current, under the id of a
// correction. A proposal without a runtime is the system's own.
func (m Mapper) Candidate(current memory.Record, p Proposal, id string, at time.Time) (memory.Record, error) {
	return m.candidate(current, p, id, at)
}

// IdentityRecord makes the record of an identity.
func (m Mapper) IdentityRecord(i Identity) (memory.Record, error) { return m.identityRecord(i) }

// ConstraintRecord makes the record of a constraint.
func (m Mapper) ConstraintRecord(k Constraint) (memory.Record, error) { return m.constraintRecord(k) }
