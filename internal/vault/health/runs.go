package health

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// runFindings describes the runs of an owner that were changed outside of satchel, whose
// seals do not open, or whose agents are not kept. It returns none if the owner's key is not
// held here.
func (s *Service) runFindings(r store.Reader, owner memory.DID) (findings []string, err error) {
	key := s.kernel.Holder(owner)
	if key == nil {
		return nil, nil
	}
	err = vault.EachRun(r.Runs(), func(id string) error {
		why, err := runFault(r, id, vault.RunOpens(r.Runs(), id, key))
		if err == nil && why != "" && len(findings) < findingsShown {
			findings = append(findings, fmt.Sprintf("run %s of an agent: %s; restore a backup, or remove the run", id, why))
		}
		return err
	})
	if errors.Is(err, store.ErrAltered) { // the store itself reports impossible ids
		return findings, nil
	}
	return findings, err
}

// runFault says what is wrong with a run; empty: nothing. opens is the failure of
// [vault.RunOpens].
func runFault(r store.Reader, id string, opens error) (string, error) {
	run, err := r.Runs().Run(id)
	switch err = errors.Join(err, opens); {
	case errors.Is(err, vault.ErrSealBroken):
		return "its seal does not open", nil
	case errors.Is(err, store.ErrAltered):
		return "it was changed outside of satchel, or an event is missing", nil
	case err != nil:
		return "", err
	}
	if _, err := r.Agents().Agent(run.Agent, run.Revision); errors.Is(err, store.ErrNotFound) {
		return "its agent is not kept here", nil
	}
	return "", nil
}
