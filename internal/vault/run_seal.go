package vault

import (
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
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
	return unseal(key, runPurpose, "run", document, runPlace(run, number))
}

// runPlace is what the tag of a sealed document authenticates beside it.
func runPlace(run string, number int64) []byte { return fmt.Appendf(nil, "%d %s", number, run) }

// EachRun calls do with the id of every run of an owner, in order, including runs changed
// outside of satchel.
func EachRun(r store.Runs, do func(id string) error) error {
	return eachOf(agentPage, r.RunIDs, itself, do)
}

// runPage is how many events of a run are held at once.
const runPage = 100

// EachRunEvent calls do with every event of a run, in order.
func EachRunEvent(r store.Runs, id string, do func(store.RunEvent) error) error {
	read := func(after int64, most int) ([]store.RunEvent, error) { return r.RunEvents(id, after, most) }
	return eachOf(runPage, read, func(e store.RunEvent) int64 { return e.Number }, do)
}
