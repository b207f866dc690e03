package agent

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/cli"
)

// parentFlags name the agents that another agent works for.
type parentFlags struct {
	Under []string `help:"The definition of an agent that this agent works for, or - for standard input. May be repeated. The stricter rules apply." placeholder:"FILE"`
}

// rules returns an agent's rules: its own and those of the agents it works for
// (AAIF-4.3-26).
func (f parentFlags) rules(a *cli.App, j agentChecker, file string, agent aaif.Agent) (aaif.Rules, error) {
	rules := aaif.RulesOf(agent)
	read := []string{file}
	for _, path := range f.Under {
		if path == "-" && slices.Contains(read, "-") {
			return rules, cli.Usagef("standard input holds one definition")
		}
		read = append(read, path)
		d, err := definition(a, path)
		if err != nil {
			return rules, err
		}
		if err := j.requireSound(a, d, path); err != nil {
			return rules, err
		}
		rules = rules.WithParent(aaif.RulesOf(aaif.ReadDefinition(d.Value).Agent))
	}
	return rules, nil
}

// addRegions binds a request to every region of some rules.
func addRegions(request *route.Request, rules aaif.Rules) {
	for _, region := range rules.Residencies {
		if string(region) != request.Residency {
			request.Also = append(request.Also, string(region))
		}
	}
}
