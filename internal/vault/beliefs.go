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

// Beliefs is what the kernel needs from the package above it that reads records as
// beliefs (vault/belief). It is safe for concurrent use.
type Beliefs interface {
	// KnownAs returns the name that contexts give the belief whose versions are rows.
	// The kernel asks before it removes any of them.
	KnownAs(r store.Reader, now time.Time, rows ...store.Row) (BeliefName, error)
	// KeepTombstone stores the tombstone of the belief whose present version is row r.
	// The kernel calls it before it erases r. Other rows get no tombstone.
	KeepTombstone(w store.Writer, r store.Row, as BeliefName, now time.Time) error
	// KeepExpired stores the tombstone of a belief whose retention ended at an instant.
	KeepExpired(w store.Writer, r store.Row, at time.Time) error
	// MayConclude refuses with kind ForbiddenScope a revision that states a belief
	// about health, unless the owner makes it (ENGRAM-3.4-30).
	MayConclude(r store.Reader, c memory.Caller, lineage memory.ID, prior, next memory.Record) error
	// ReplacedCategory returns the last stated category of the records that a caller's
	// record replaces. It is empty if none was stated, and for the owner in person.
	ReplacedCategory(ctx context.Context, c memory.Caller, rec memory.Record) (engram.Category, error)
	// ByChoice turns a record into a candidate if somebody other than the owner
	// concludes something about the owner's health. inherited is the ReplacedCategory.
	ByChoice(rec memory.Record, c memory.Caller, inherited engram.Category) memory.Record
	// ConfirmRevised confirms the proposal prior with the content of its revision next,
	// on behalf of actor. The second result is false if next confirms no proposal about
	// a belief here.
	ConfirmRevised(ctx context.Context, w store.Writer, c memory.Caller, prior, next memory.Record, actor string) (memory.RevisionResult, bool, error)
	// TwinsOf looks for memories that the owner's contexts leave out because another memory
	// states the same belief.
	TwinsOf(r store.Reader, owner memory.DID) TwinFinder
	// Drop removes records of an owner from memory; without ids, all of them.
	Drop(owner memory.DID, ids ...memory.ID)
}

// TwinFinder finds memories of one owner that state the same belief.
type TwinFinder interface {
	// Add takes the owner's rows, a page at a time in the order of creation, with the results
	// of [Kernel.AlteredOf] and [Kernel.CheckedAll].
	Add(rows []store.Row, altered map[int64]bool, records []memory.Record, damage []error)
	// Find describes each twin in one sentence. It is called once, after all rows.
	Find() ([]string, error)
}

// BeliefName is the name that contexts give a belief. An earlier version may state the
// name even if the present version may not.
type BeliefName struct {
	ID       string // empty: no context has it
	Category engram.Category
}

// GoneSpace holds a tombstone for each belief and each constraint whose records state
// nothing any more. The records were erased, emptied when their retention ended, or
// removed with their import. From a tombstone assistants learn what to drop
// (ENGRAM-3.4-13). The key is the lineage. A tombstone keeps nothing of the belief's
// content. Only the erasure of everything removes tombstones.
const GoneSpace = "engram.gone"

// Contradicted returns the record that a proposal contradicts.
func Contradicted(rec memory.Record) memory.ID {
	for _, r := range rec.Relations {
		if r.Type == memory.Contradicts && IsRecord(r.Target) {
			return memory.ID(r.Target)
		}
	}
	return ""
}

// StatesConstraint reports whether a record states a constraint. The record must not be
// an identity.
func StatesConstraint(rec memory.Record) bool {
	if len(rec.Body.Structured) == 0 || !codec.Mentions(rec, "constraint") {
		return false
	}
	said, _ := codec.Residue(rec, engram.Name)
	return said.Get("constraint").Type() == canon.TypeObject
}
