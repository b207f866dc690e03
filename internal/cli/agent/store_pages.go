package agent

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
)

// statesOf returns the checkpoints of an agent, or of all where id is empty, the newest
// first, page by page: at most so many, 0: all there are.
func statesOf(a *cli.App, o *cli.Opened, s *agents.Service, id string, most int) ([]aaif.Landed, error) {
	var all []aaif.Landed
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
