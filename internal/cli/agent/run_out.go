package agent

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
)

// runOut is a run, for JSON.
type runOut struct {
	RunID    string       `json:"run_id"`
	AgentID  string       `json:"agent_id"`
	Revision int          `json:"revision"`
	Status   string       `json:"status"`
	Output   string       `json:"output,omitempty"`
	Error    *runErrorOut `json:"error,omitempty"`
	Platform string       `json:"platform,omitempty"` // that has the run, or is to get it
	Usage    run.Usage    `json:"usage"`
	Turns    int          `json:"turns"`
	Calls    []callOut    `json:"calls"` // those with a result
	Waits    []waitOut    `json:"waits"` // for people
	Began    string       `json:"began_at"`
	Changed  string       `json:"changed_at"`
}

type runErrorOut struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Step    string `json:"step,omitempty"`
}

// callOut is a call with a result, without its arguments and its answer.
type callOut struct {
	Call string `json:"call"`
	Tool string `json:"tool"`
}

// waitOut is a call that a person is asked about.
type waitOut struct {
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Why       string          `json:"why,omitempty"`
	Digest    string          `json:"digest"`
	AskedAt   string          `json:"asked_at"`
	Until     string          `json:"until,omitempty"`     // when it is refused; empty: never
	IsAnswer  bool            `json:"is_answer,omitempty"` // it is the answer of the run
}

func runOutOf(r run.Run) runOut {
	out := runOut{RunID: r.ID, AgentID: r.Start.Agent, Revision: r.Start.Revision, Status: string(r.Status), Output: r.Output, Platform: r.Platform,
		Usage: r.Usage, Turns: r.Iteration, Calls: []callOut{}, Waits: []waitOut{}, Began: agentTime(r.Began), Changed: agentTime(r.Last)}
	if r.Err != nil {
		out.Error = &runErrorOut{string(r.Err.Code), r.Err.Message, r.Err.Step}
	}
	for _, m := range r.Messages {
		if m.Role == "tool" {
			out.Calls = append(out.Calls, callOut{m.CallID, m.Tool})
		}
	}
	for _, c := range waiting(r) {
		out.Waits = append(out.Waits, waitOut{c.ID, c.Tool, rawValue(c.Arguments), c.Why, c.Digest, agentTime(c.AskedAt), agentTime(c.Until), c.IsOutput()})
	}
	return out
}

// waiting returns the calls that people are asked about.
func waiting(r run.Run) (calls []run.Call) {
	if r.Status.Ended() || r.Status == aaif.Migrating {
		return nil
	}
	for _, c := range r.Calls {
		if c.Stage == run.Asking {
			calls = append(calls, c)
		}
	}
	return calls
}

// showWait shows a call that a person is asked about: whole, so that they know what they
// approve.
func showWait(a *cli.App, c run.Call) {
	if c.IsOutput() {
		a.Warn("the answer waits for approval:\n  %s", cli.Clean(c.Arguments.Get("text").Text()))
	} else {
		a.Warn("the agent wants to call %s (%s) with\n%s", cli.OneLine(c.Tool, 80), cli.OneLine(c.ID, 60), cli.Clean(string(c.Arguments.AppendIndent(nil, "  "))))
	}
	if c.Why != "" {
		a.Warn("asked because: %s", cli.OneLine(c.Why, 400))
	}
	if !c.Until.IsZero() {
		a.Warn("refused if nobody answers until %s", cli.Local(c.Until))
	}
}

// tellWait says what a run waits for, and how it goes on.
func tellWait(a *cli.App, r run.Run) {
	for _, c := range waiting(r) {
		showWait(a, c)
		a.Warn("approve or reject it:\n  satchel agent approve %s %s --digest %s\n  satchel agent reject %s %s", shellWord(r.ID), shellWord(c.ID), c.Digest, shellWord(r.ID), shellWord(c.ID))
	}
	a.Warn("then %s goes on with the run%s", resumeLine(r.ID, r.Start.Flags), orServe(r.Start.Flags))
}

// orServe says that a server goes on with a run as well, unless the run was started with flags
// of its own.
func orServe(flags []string) string {
	if len(flags) > 0 {
		return ""
	}
	return ", or a satchel serve on this store does"
}

// tellRun prints how a run stands, and ends the command with the status for that.
func tellRun(a *cli.App, r run.Run) error {
	if a.JSON {
		if err := a.Emit(runOutOf(r)); err != nil {
			return err
		}
	}
	switch {
	case r.Status == aaif.Completed && r.Platform != "", r.Status == aaif.Migrating:
		return cli.Refusedf("%s: the run left for %s and goes on there [AAIF-8.2-1]", aaif.StateLeft, cli.OneLine(r.Platform, 80))
	case r.Status == aaif.Completed && !a.JSON:
		a.Print("%s", r.Output)
	case r.Status == aaif.Completed:
	case r.Status == aaif.Failed && a.JSON:
		return cli.Silent(cli.ExitFailed)
	case r.Status == aaif.Failed:
		return cli.WithStatus(cli.ExitFailed, &aaif.Fault{Code: aaif.Code(r.Err.Code), Text: "the run failed: " + string(r.Err.Code) + ": " + cli.Clean(r.Err.Message)})
	case len(waiting(r)) > 0:
		if !a.JSON {
			tellWait(a, r)
		}
		return cli.Silent(cli.ExitDiffers)
	default:
		if !a.JSON {
			a.Warn("the run stands still and has not ended; go on with: %s", resumeLine(r.ID, r.Start.Flags))
		}
		if a.Ctx.Err() != nil {
			return cli.Silent(cli.ExitInterrupted)
		}
		return cli.Silent(cli.ExitDiffers)
	}
	return nil
}
