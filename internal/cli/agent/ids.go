package agent

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// agentKept returns a revision of an agent by its id or the beginning of it; revision 0
// is the newest.
func agentKept(a *cli.App, o *cli.Session, s *agents.Service, arg string, revision int) (aaif.KeptAgent, error) {
	newest, err := s.Agent(a.Ctx, o.Caller(), arg, 0)
	if memory.KindOf(err) == memory.NotFound {
		var id string
		if id, err = agentBeginning(a, o, s, arg); err == nil {
			newest, err = s.Agent(a.Ctx, o.Caller(), id, 0)
		}
	}
	if err != nil || revision == 0 || revision == newest.Revision {
		return newest, err
	}
	k, err := s.Agent(a.Ctx, o.Caller(), newest.AgentID, revision)
	if memory.KindOf(err) == memory.NotFound {
		there := "is revision 1 alone"
		if newest.Revision > 1 {
			there = fmt.Sprintf("are revisions 1 to %d", newest.Revision)
		}
		err = notKept(err, fmt.Sprintf("agent %s has no revision %d here; there %s", cli.OneLine(newest.AgentID, 80), revision, there))
	}
	return k, err
}

// agentBeginning returns the only agent id with a beginning.
func agentBeginning(a *cli.App, o *cli.Session, s *agents.Service, arg string) (string, error) {
	beginning := strings.ToLower(arg)
	if len(beginning) < cli.LeastPrefix {
		return "", tooShort(arg)
	}
	page, err := s.Agents(a.Ctx, o.Caller(), beginning, cli.MostShown+1) // after the beginning itself, which is no id
	if err != nil {
		return "", err
	}
	var ids []string
	for _, k := range page {
		if strings.HasPrefix(k.AgentID, beginning) {
			ids = append(ids, k.AgentID)
		}
	}
	return onlyID(ids, arg, "agent", "satchel agent list")
}

// agentToRemove returns the id for an argument, by the rules of agentKept, and the
// definition if it is readable. Damaged agents, and left-over checkpoints, can be
// removed, too.
func agentToRemove(a *cli.App, o *cli.Session, s *agents.Service, arg string) (string, aaif.KeptAgent, error) {
	k, err := s.Agent(a.Ctx, o.Caller(), arg, 0)
	if memory.KindOf(err) == memory.NotFound {
		left, failed := s.States(a.Ctx, o.Caller(), arg, aaif.Place{}, 1)
		if failed != nil || len(left) > 0 {
			return arg, k, failed
		}
		if arg, err = agentBeginning(a, o, s, arg); err == nil {
			k, err = s.Agent(a.Ctx, o.Caller(), arg, 0)
		}
	}
	if memory.KindOf(err) == memory.SignatureInvalid {
		err = nil
	}
	return arg, k, err
}

// stateKept returns a kept checkpoint by its id or the beginning of it. This does not
// count as leaving.
func stateKept(a *cli.App, o *cli.Session, s *agents.Service, arg string) (aaif.KeptState, error) {
	l, err := s.Look(a.Ctx, o.Caller(), arg)
	if memory.KindOf(err) != memory.NotFound {
		return l, err
	}
	id, err := stateBeginning(a, o, s, arg)
	if err != nil {
		return l, err
	}
	return s.Look(a.Ctx, o.Caller(), id)
}

// stateToRemove returns the id of a checkpoint for such an argument. The checkpoint need
// not be readable.
func stateToRemove(a *cli.App, o *cli.Session, s *agents.Service, arg string) (string, error) {
	if _, err := s.Look(a.Ctx, o.Caller(), arg); memory.KindOf(err) != memory.NotFound {
		return arg, nil
	}
	return stateBeginning(a, o, s, arg)
}

// stateBeginning returns the only checkpoint id with a beginning.
func stateBeginning(a *cli.App, o *cli.Session, s *agents.Service, arg string) (string, error) {
	beginning := strings.ToLower(arg)
	if len(beginning) < cli.LeastPrefix {
		return "", tooShort(arg)
	}
	var ids []string
	err := forEachState(a, o, s, func(l aaif.KeptState) bool {
		if strings.HasPrefix(l.StateID, beginning) {
			ids = append(ids, l.StateID)
		}
		return len(ids) <= cli.MostShown
	})
	if err != nil {
		return "", err
	}
	return onlyID(ids, arg, "checkpoint", "satchel agent states")
}

// forEachState calls do with the checkpoints of all agents, newest first, until do returns
// false.
func forEachState(a *cli.App, o *cli.Session, s *agents.Service, do func(aaif.KeptState) bool) error {
	return statesPaged(a, o, s, "", 0, func(page []aaif.KeptState) bool {
		for _, l := range page {
			if !do(l) {
				return false
			}
		}
		return true
	})
}

func tooShort(arg string) error {
	return cli.Usagef("%q is too short to mean one; give at least %d characters of its id", cli.Clean(arg), cli.LeastPrefix)
}

// onlyID returns the only id that a beginning matches.
func onlyID(ids []string, arg, what, list string) (string, error) {
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) == 0:
		return "", notKept(nil, fmt.Sprintf("no %s is kept here whose id is %s, or begins so; %s shows those that are", what, cli.OneLine(arg, 80), list))
	}
	more := ""
	if len(ids) > cli.MostShown {
		ids, more = ids[:cli.MostShown], "\n  …"
	}
	return "", cli.WithStatus(cli.ExitFailed, fmt.Errorf("%q is the beginning of several ids; give more of the one you mean:\n  %s%s", cli.Clean(arg), strings.Join(ids, "\n  "), more))
}

func notKept(err error, message string) error {
	return &memory.Error{Kind: memory.NotFound, Op: "agent", Err: err, Message: message}
}
