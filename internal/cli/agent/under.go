package agent

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/cli"
)

// underFlags say for which agents another one works.
type underFlags struct {
	Under []string `help:"The definition of an agent that this agent works for, or - for standard input. May be repeated. The stricter rules apply." placeholder:"FILE"`
}

// rules returns what an agent is held to by its definition and by those of the agents that
// it works for (AAIF-4.3-26).
func (f underFlags) rules(a *cli.App, j agentJudge, file string, agent aaif.Agent) (aaif.Rules, error) {
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
		if err := j.sound(a, d, path); err != nil {
			return rules, err
		}
		rules = rules.Under(aaif.RulesOf(aaif.ReadDefinition(d.Value).Agent))
	}
	return rules, nil
}

// hold has a request keep to every region that rules name.
func hold(request *route.Request, rules aaif.Rules) {
	for _, region := range rules.Residencies {
		if string(region) != request.Residency {
			request.Also = append(request.Also, string(region))
		}
	}
}
