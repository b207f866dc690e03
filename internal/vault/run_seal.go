package vault

import (
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The vault seals what a run was started with, and its events, as it seals checkpoints. The
// tag authenticates the run's id and the event's number too; 0 is what it was started with.
// An unsealed document is JSON.
const runPurpose = "satchel runs of agents 1"

// SealRunEvent returns a document of a run sealed under a key, as the store keeps it.
func SealRunEvent(key *keys.Private, run string, number int64, document []byte) ([]byte, error) {
	if IsSealed(document) {
		return document, nil
	}
	seal, err := sealFor(key, runPurpose)
	if err != nil {
		return nil, err
	}
	return seal.Seal([]byte{checkpointVersion}, nil, document, runPlace(run, number)), nil
}

// OpenRunEvent is the inverse of SealRunEvent. It returns an unsealed document unchanged.
func OpenRunEvent(key *keys.Private, run string, number int64, document []byte) ([]byte, error) {
	if !IsSealed(document) {
		return document, nil
	}
	seal, err := sealFor(key, runPurpose)
	if err != nil {
		return nil, err
	}
	plain, err := seal.Open(nil, nil, document[1:], runPlace(run, number))
	if err != nil {
		return nil, &memory.Error{Kind: memory.SignatureInvalid, Op: "agent", Rule: "AAIF-12-10", Err: fmt.Errorf("%w: %w", ErrSealBroken, err),
			Message: "the run was sealed under another key, or changed outside of satchel: restore a backup"}
	}
	return plain, nil
}

// runPlace is what the tag of a sealed document authenticates beside it.
func runPlace(run string, number int64) []byte { return fmt.Appendf(nil, "%d %s", number, run) }

// EachRun calls do with the id of every run of an owner, in order, including runs changed
// outside of satchel.
func EachRun(r store.Runs, do func(id string) error) error {
	for after := ""; ; {
		ids, err := r.RunIDs(after, agentPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			after = id
			if err := do(id); err != nil {
				return err
			}
		}
		if len(ids) < agentPage {
			return nil
		}
	}
}

// runPage is how many events of a run are held at once.
const runPage = 100

// EachRunEvent calls do with every event of a run, in order.
func EachRunEvent(r store.Runs, id string, do func(store.RunEvent) error) error {
	for after := int64(0); ; {
		events, err := r.RunEvents(id, after, runPage)
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.Number
			if err := do(e); err != nil {
				return err
			}
		}
		if len(events) < runPage {
			return nil
		}
	}
}
