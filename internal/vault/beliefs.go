package vault

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Beliefs is what the kernel asks of the package above it that reads records as beliefs
// (vault/belief). It is safe for concurrent use.
type Beliefs interface {
	// KnownAs returns how contexts name the belief of which rows are versions. The
	// kernel asks before it removes any of them.
	KnownAs(r store.Reader, now time.Time, rows ...store.Row) (BeliefName, error)
	// KeepTombstone files the tombstone of the belief whose present version is row r,
	// before the kernel erases r. Other rows get none.
	KeepTombstone(w store.Writer, r store.Row, as BeliefName, now time.Time) error
	// KeepExpired files the tombstone of the belief whose retention was over at an instant.
	KeepExpired(w store.Writer, r store.Row, at time.Time) error
	// MayConclude refuses a revision with kind ForbiddenScope by which somebody else than
	// the owner states a belief about health (ENGRAM-3.4-30).
	MayConclude(r store.Reader, c memory.Caller, lineage memory.ID, prior, next memory.Record) error
	// ReplacedCategory returns the last category stated of what a caller's record
	// replaces. It is empty if none was stated, and for the owner in person.
	ReplacedCategory(ctx context.Context, c memory.Caller, rec memory.Record) (engram.Category, error)
	// ByChoice makes a candidate of a record by which somebody else than the owner concludes
	// something about the owner's health. inherited is the ReplacedCategory.
	ByChoice(rec memory.Record, c memory.Caller, inherited engram.Category) memory.Record
	// ConfirmRevised confirms the proposal that prior is, by actor, with what its revision
	// says. The second result is false where next confirms no proposal about a belief here.
	ConfirmRevised(ctx context.Context, w store.Writer, c memory.Caller, prior, next memory.Record, actor string) (memory.RevisionResult, bool, error)
	// TwinsOf says in a sentence each which memories of the owner's contexts leave out,
	// because another memory has their belief.
	TwinsOf(ctx context.Context, r store.Reader, owner memory.DID) ([]string, error)
	// Drop removes records of an owner from memory; without ids, all of them.
	Drop(owner memory.DID, ids ...memory.ID)
}

// BeliefName is how contexts name a belief. An earlier version may say that, and its
// present one may not.
type BeliefName struct {
	ID       string // empty: no context has it
	Category engram.Category
}

// GoneSpace holds a tombstone of each belief, and of each constraint, whose records
// say nothing any more, so that assistants learn what to drop (ENGRAM-3.4-13): erased,
// emptied because its retention is over, or taken back with its import. The key is the
// lineage. Nothing of what the belief said is kept. Only the erasure of everything takes
// tombstones away.
const GoneSpace = "engram.gone"

// Contradicted is the record that a proposal contradicts.
func Contradicted(rec memory.Record) memory.ID {
	for _, r := range rec.Relations {
		if r.Type == memory.Contradicts && IsRecord(r.Target) {
			return memory.ID(r.Target)
		}
	}
	return ""
}

// StatesConstraint reports whether a record that is no identity states a constraint.
func StatesConstraint(rec memory.Record) bool {
	if len(rec.Body.Structured) == 0 || !codec.Mentions(rec, "constraint") {
		return false
	}
	said, _ := codec.Residue(rec, engram.Name)
	return said.Get("constraint").Type() == canon.TypeObject
}
