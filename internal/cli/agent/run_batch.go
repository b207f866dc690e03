package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/sleep"
)

// mostAtOnce is how many runs of a batch this command executes at once, where the agent allows
// as many.
const mostAtOnce = 4

// batchOut is what became of one input, for JSON: a run, or why there is none.
type batchOut struct {
	*runOut
	Refused string `json:"refused,omitempty"`
}

// batch starts a run for each line of a file, and executes them. It prints one result for each
// line, in order (AAIF-4-19).
func (c *agentRunCmd) batch(e *engine, kept aaif.KeptAgent, d aaif.Definition) error {
	a := e.app
	raw, err := cli.ReadBounded(c.Inputs, mostInput)
	if err != nil {
		return err
	}
	variables, err := c.variables()
	if err != nil {
		return err
	}
	var results []batchOut
	for line := range bytes.Lines(raw) {
		results = append(results, c.one(e, kept, bytes.TrimSpace(line), variables))
	}
	if len(results) == 0 {
		return cli.Usagef("%s has no line: each line is the input of one run, in JSON", cli.Clean(c.Inputs))
	}
	if !c.Detach {
		e.executeAll(results, min(mostAtOnce, max(d.Agent.Runtime.Concurrency, 1)))
	}
	failed := false
	for _, one := range results {
		failed = failed || one.runOut == nil || one.Status == string(aaif.Failed)
	}
	if a.JSON {
		err = a.Emit(map[string]any{"results": results})
	} else {
		for _, one := range results {
			a.Print("%s", one.line(c.Detach))
		}
	}
	if err == nil && failed {
		err = cli.Silent(cli.ExitFailed)
	}
	return err
}

// one starts the run of one input.
func (c *agentRunCmd) one(e *engine, kept aaif.KeptAgent, line []byte, variables canon.Value) batchOut {
	input, err := aaif.FromJSON(line, aaif.ReadOptions{})
	if err != nil {
		return batchOut{Refused: "the line is no JSON: " + cli.OneLine(err.Error(), 200)}
	}
	id, err := aaif.NewID(rand.Reader)
	if err != nil {
		return batchOut{Refused: err.Error()}
	}
	r, err := e.Start(e.app.Ctx, e.opened.Caller(), host.Start{RunID: id, Agent: kept.AgentID, Revision: kept.Revision, Input: input, Variables: variables, Limits: c.limits(), User: c.User, Session: c.Session})
	if err != nil {
		return batchOut{Refused: cli.OneLine(err.Error(), 400)}
	}
	out := runOutOf(r)
	return batchOut{runOut: &out}
}

// executeAll executes the runs of a batch, so many at once.
func (e *engine) executeAll(results []batchOut, most int) {
	var under sync.WaitGroup
	places := make(chan struct{}, most)
	for i := range results {
		if results[i].runOut == nil {
			continue
		}
		places <- struct{}{}
		under.Go(func() {
			defer func() { <-places }()
			r, err := e.inTurn(results[i].RunID)
			if err != nil {
				results[i].Refused = cli.OneLine(err.Error(), 400)
				return
			}
			out := runOutOf(r)
			results[i].runOut = &out
		})
	}
	under.Wait()
}

// inTurn executes a run, once others of its agent leave it a slot. A run that a server on the
// same store executes is awaited.
func (e *engine) inTurn(id string) (run.Run, error) {
	ctx := context.WithoutCancel(e.app.Ctx)
	for {
		r, err := e.Continue(ctx, e.opened.Caller(), id, run.ContinueOptions{Stop: e.app.Ctx.Done()})
		if !errors.Is(err, run.ErrCrowded) && !errors.Is(err, run.ErrHeld) {
			return r, err
		}
		if stopped := sleep.For(e.app.Ctx, holderPause); stopped != nil {
			return r, err
		}
	}
}

// line is a result for people: the answer, or how the run stands.
func (b batchOut) line(detached bool) string {
	switch {
	case b.runOut == nil:
		return "refused: " + b.Refused
	case detached:
		return b.RunID
	case b.Status == string(aaif.Completed):
		return cli.OneLine(b.Output, 1<<20)
	case b.Error != nil:
		return "failed: " + cli.OneLine(b.Error.Code+": "+b.Error.Message, 400)
	}
	return b.Status + ": " + b.RunID
}
