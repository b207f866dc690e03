package operate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// pagesConnector connects the hosts of this machine for the pages of a running server, as
// satchel connect does.
type pagesConnector struct {
	app    *cli.App
	trials chan struct{} // holds one element while a trial runs
}

func newPagesConnector(a *cli.App) pagesConnector { return pagesConnector{a, make(chan struct{}, 1)} }

var _ server.Connector = pagesConnector{}

// prepare returns the command connect for a host that the pages name, and its changes.
func (p pagesConnector) prepare(ctx context.Context, name string, remove bool) (*cli.App, *ConnectCmd, host, []change, error) {
	quiet := *p.app
	quiet.Ctx, quiet.In, quiet.Out, quiet.Err, quiet.Quiet = ctx, strings.NewReader(""), io.Discard, io.Discard, true
	h, ok := hostNamed(name)
	if !ok || h.Name != name {
		return nil, nil, h, nil, &memory.Error{Kind: memory.NotFound, Message: "satchel connect lists the hosts"}
	}
	c := &ConnectCmd{Host: name, Remove: remove}
	changes, err := c.changes(&quiet, h)
	return &quiet, c, h, changes, shown(err)
}

// shown returns err as an error whose text the pages show.
func shown(err error) error {
	if err == nil || memory.KindOf(err) == memory.NotFound {
		return err
	}
	return &memory.Error{Kind: memory.InvalidRecord, Message: cli.Describe(err), Err: err}
}

// Preview returns the changes of files that connecting or disconnecting a host would make.
func (p pagesConnector) Preview(ctx context.Context, name string, remove bool) (all []pages.FileChange, err error) {
	a, c, _, changes, err := p.prepare(ctx, name, remove)
	if err != nil {
		return nil, err
	}
	for _, of := range c.byFile(changes) {
		e, err := plan(a, of, remove)
		if err != nil {
			return nil, shown(err)
		}
		if e.changed() {
			all = append(all, pages.FileChange{File: e.path, Before: string(e.before), After: e.after, New: e.missing})
		}
	}
	return all, nil
}

// Connect connects or disconnects a host, if that makes the previewed changes and no others.
func (p pagesConnector) Connect(ctx context.Context, name string, remove bool, previewed []pages.FileChange) error {
	a, c, _, changes, err := p.prepare(ctx, name, remove)
	if err == nil {
		_, err = c.apply(a, changes, func(e plannedEdit) error {
			if e.changed() && !slices.Contains(previewed, pages.FileChange{File: e.path, Before: string(e.before), After: e.after, New: e.missing}) {
				return changedMeanwhile(e.path)
			}
			return nil
		})
	}
	return shown(err)
}

// tryPatience is how long a program has to answer a trial.
const tryPatience = 15 * time.Second

// Try starts the program of a host's entry as the host does, and asks it who it is. It starts
// nothing but this program's command mcp, and one at a time.
func (p pagesConnector) Try(ctx context.Context, name string) (string, error) {
	a, _, h, _, err := p.prepare(ctx, name, true)
	if err != nil {
		return "", err
	}
	s, err := stateOfHost(a, h)
	switch {
	case err != nil:
		return "", shown(err)
	case !s.Connected:
		return "", shown(cli.Refusedf("%s has no entry of satchel in %s", h.Title, s.File))
	case !isThisProgram(s.entry.Command):
		return "", shown(cli.Refusedf("%s starts %s, which is not this program: satchel connect %s writes the entry anew", s.File, s.entry.Command, h.Name))
	case !isServing(s.entry.Args):
		return "", shown(cli.Refusedf("%s starts satchel with other arguments than satchel connect writes: satchel connect %s writes the entry anew", s.File, h.Name))
	}
	select {
	case p.trials <- struct{}{}:
		defer func() { <-p.trials }()
	default:
		return "", shown(cli.Refusedf("another trial runs; try again when it has ended, in %s at most", tryPatience))
	}
	began := a.Now()
	answer, err := askProgram(ctx, s.entry)
	if err != nil {
		return "", shown(cli.Refusedf("%s does not answer: %v", s.entry.Command, err))
	}
	return fmt.Sprintf("It started, and %s answered in %d ms.", answer, a.Now().Sub(began).Milliseconds()), nil
}

// isThisProgram reports whether a path leads to the program that runs.
func isThisProgram(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	here, err1 := os.Stat(self)
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(here, there)
}

// isServing reports whether arguments are some that satchel connect writes: the command mcp,
// and options that say which store and whose, each once. See [serverCommandFor].
func isServing(args []string) bool {
	if len(args) == 0 || args[0] != "mcp" {
		return false
	}
	seen := map[string]bool{}
	for args = args[1:]; len(args) >= 2; args = args[2:] {
		name, value := args[0], args[1]
		if !slices.Contains([]string{"--store", "--home", "--owner"}, name) || seen[name] || value == "" || strings.HasPrefix(value, "-") {
			return false
		}
		seen[name] = true
	}
	return len(args) == 0
}

// greeting is the first message of a host (MCP 2025-06-18, lifecycle).
const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"satchel connect","version":"1"}}}` + "\n"

// askProgram starts the program of an entry and returns the name by which it answers.
func askProgram(ctx context.Context, s hostEntry) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tryPatience)
	defer cancel()
	c := exec.CommandContext(ctx, s.Command, s.Args...)
	c.Stdin, c.WaitDelay = strings.NewReader(greeting), time.Second
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	defer c.Wait() //nolint:errcheck // it was asked, and is told to end
	line, err := bufio.NewReader(io.LimitReader(out, cli.MaxSmall)).ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("it ended without an answer: %w", err)
	}
	var answer struct {
		Result struct {
			ServerInfo struct{ Name, Version string }
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Result.ServerInfo.Name == "" {
		return "", errors.New("its answer is no message of MCP")
	}
	return strings.TrimSpace(answer.Result.ServerInfo.Name + " " + answer.Result.ServerInfo.Version), nil
}
