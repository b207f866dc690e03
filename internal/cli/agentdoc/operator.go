package agentdoc

import (
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// operatorTable reads the operator table, whose form is in docs/agents.md.
func operatorTable(a *cli.App, path string) (route.Operator, error) {
	v, err := TreeFor(a, "--operator", path)
	if err != nil {
		return route.Operator{}, err
	}
	o, err := route.ReadOperator(v)
	return o, InFile("--operator", path, err)
}

// healthTable reads the observed health of the operator's routes.
func healthTable(a *cli.App, path string, o route.Operator) (map[route.Target]route.Health, error) {
	v, err := TreeFor(a, "--health", path)
	if err != nil {
		return nil, err
	}
	observed, err := route.ReadHealth(v, o)
	return observed, InFile("--health", path, err)
}

// InFile adds the file and its flag to an error.
func InFile(flag, path string, err error) error {
	if err == nil {
		return nil
	}
	if p, ok := err.(*codec.ParseError); ok {
		told := *p
		told.File = path
		return fmt.Errorf("%s: %w", flag, &told)
	}
	return fmt.Errorf("%s %s: %w", flag, cli.Clean(path), err)
}

// TreeFor reads the tree of a file that a flag names.
func TreeFor(a *cli.App, flag, path string) (canon.Value, error) {
	v, err := readTree(a, path)
	return v, InFile(flag, path, err)
}

// parentFlags name the agents that another agent works for.
type parentFlags struct {
	Under []string `help:"The definition of an agent that this agent works for, or - for standard input. May be repeated. The stricter rules apply." placeholder:"FILE"`
}

// rules returns an agent's rules: its own and those of the agents it works for
// (AAIF-4.3-26).
func (f parentFlags) rules(a *cli.App, j Checker, file string, agent aaif.Agent) (aaif.Rules, error) {
	rules := aaif.RulesOf(agent)
	read := []string{file}
	for _, path := range f.Under {
		if path == "-" && slices.Contains(read, "-") {
			return rules, cli.Usagef("standard input holds one definition")
		}
		read = append(read, path)
		d, err := j.definition(a, path)
		if err != nil {
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
