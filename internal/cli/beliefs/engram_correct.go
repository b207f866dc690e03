package beliefs

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

type engramCorrectCmd struct {
	engramStore

	Belief  string `arg:"" help:"The belief: its id, the first characters of it, or its key if no other belief of the context has that key."`
	Value   string `arg:"" help:"The right value. - reads standard input."`
	Runtime string `required:"" help:"The name of the proposer, shown to the owner." placeholder:"NAME"`
	Because string `name:"context" help:"The words that led to the correction." placeholder:"TEXT"`
	At      string `help:"The time of the observation, as RFC 3339. Default: now." placeholder:"TIME"`
}

// Run proposes a correction.
func (c *engramCorrectCmd) Run(a *cli.App) error {
	p := engram.Proposal{Belief: c.Belief, Context: c.Because, Runtime: c.Runtime}
	var err error
	if p.New, err = a.Text(c.Value, cli.MaxSmall); err != nil {
		return err
	}
	if c.At != "" {
		at, ok := memory.ParseInstant(c.At)
		if !ok {
			return cli.Usagef("--at is an RFC 3339 time such as 2026-04-20T11:00:00Z")
		}
		p.ObservedAt = at
	}
	client, err := c.client(a, nil)
	if err != nil {
		return err
	}
	got, err := client.Correct(a.Ctx, p)
	if isNoBelief(err) && !engram.IsID(p.Belief) {
		if p.Belief, err = c.look(a, client); err == nil {
			got, err = client.Correct(a.Ctx, p)
		}
	}
	if err != nil {
		return engramError(a, err)
	}
	if a.JSON {
		return a.Emit(map[string]any{"correction_id": got.Correction, "belief_id": got.Belief, "status": got.Status})
	}
	a.Print("%s", cli.Clean(got.Correction))
	a.Say("the correction waits until the owner confirms it")
	return nil
}

// isNoBelief reports whether a store answers that it has no such belief.
func isNoBelief(err error) bool {
	fault, said := errors.AsType[*engram.Fault](err)
	status, answered := errors.AsType[*engram.StatusError](err)
	return said && fault.Code == engram.BeliefNotFound || answered && status.Status == http.StatusNotFound
}

// look finds the named belief in this runtime's context.
func (c *engramCorrectCmd) look(a *cli.App, client *engram.Client) (string, error) {
	held, err := client.Fetch(a.Ctx)
	if err != nil {
		return "", err
	}
	switch found := matches(held.Document.Beliefs, c.Belief); len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		return "", &memory.Error{Kind: memory.NotFound, Op: "correct", Message: fmt.Sprintf("no belief of the context has the key %q, or an id that begins so; satchel engram context --export shows them", cli.Clean(c.Belief))}
	default:
		return "", several(c.Belief, found)
	}
}
