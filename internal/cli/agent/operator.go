package agent

import (
	"fmt"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// operatorTable reads the operator table, whose form is in docs/agents.md.
func operatorTable(a *cli.App, path string) (route.Operator, error) {
	v, err := treeFor(a, "--operator", path)
	if err != nil {
		return route.Operator{}, err
	}
	o, err := route.ReadOperator(v)
	return o, inFile("--operator", path, err)
}

// healthTable reads the observed health of the operator's routes.
func healthTable(a *cli.App, path string, o route.Operator) (map[route.Target]route.Health, error) {
	v, err := treeFor(a, "--health", path)
	if err != nil {
		return nil, err
	}
	observed, err := route.ReadHealth(v, o)
	return observed, inFile("--health", path, err)
}

// inFile adds the file and its flag to an error.
func inFile(flag, path string, err error) error {
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

// treeFor reads the tree of a file that a flag names.
func treeFor(a *cli.App, flag, path string) (canon.Value, error) {
	v, err := agentTree(a, path)
	return v, inFile(flag, path, err)
}
