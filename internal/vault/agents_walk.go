package vault

import (
	"github.com/satchel-memory/satchel/internal/store"
)

// agentPage is how many ids of agents or checkpoints are held at once.
const agentPage = 500

// EachAgent calls do with the id of every agent of an owner, in their order; also of one
// that was changed outside of satchel.
func EachAgent(r store.Agents, do func(id string) error) error {
	for after := ""; ; {
		ids, err := r.AgentIDs(after, agentPage)
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

// EachState calls do with the id of every checkpoint of an agent, or of all where agent
// is empty, as eachAgent does.
func EachState(r store.Agents, agent string, do func(id string) error) error {
	for after := ""; ; {
		keys, err := r.StateKeys(after, agentPage)
		if err != nil {
			return err
		}
		for _, key := range keys {
			after = key.ID
			if agent != "" && key.Agent != agent {
				continue
			}
			if err := do(key.ID); err != nil {
				return err
			}
		}
		if len(keys) < agentPage {
			return nil
		}
	}
}
