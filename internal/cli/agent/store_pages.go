package agent

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
)

// statesOf returns the checkpoints of an agent, or of all agents if id is empty, newest
// first: at most a number of them, 0 for all.
func statesOf(a *cli.App, o *cli.Session, s *agents.Service, id string, most int) ([]aaif.KeptState, error) {
	var all []aaif.KeptState
	var after aaif.Place
	for {
		wanted := aaif.MostListed
		if most > 0 {
			wanted = min(wanted, most-len(all))
		}
		page, err := s.States(a.Ctx, o.Caller(), id, after, wanted)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < wanted || most > 0 && len(all) == most {
			return all, nil
		}
		after = all[len(all)-1].Place()
	}
}
