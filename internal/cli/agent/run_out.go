package agent

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
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
	Calls    []callOut    `json:"calls"`             // those with a result
	Threads  []threadOut  `json:"threads,omitempty"` // of subagents
	Waits    []waitOut    `json:"waits"`             // for people
	Resume   bool         `json:"resume,omitempty"`  // in a list: the run stands still, and can go on
	Began    string       `json:"began_at"`
	Changed  string       `json:"changed_at"`
}

// threadOut is what a subagent does in a run.
type threadOut struct {
	In     string       `json:"in"`
	Agent  string       `json:"agent"` // the id of the agent at work
	Status string       `json:"status"`
	Turns  int          `json:"turns"`
	Output string       `json:"output,omitempty"`
	Error  *runErrorOut `json:"error,omitempty"`
	Usage  run.Usage    `json:"usage"`
}

type runErrorOut struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Step       string `json:"step,omitempty"`
	OccurredAt string `json:"occurred_at"`
	Retries    *int   `json:"retries_remaining,omitempty"`
}

// callOut is a call with a result, without its arguments and its answer.
type callOut struct {
	Call string `json:"call"`
	Tool string `json:"tool"`
	In   string `json:"in,omitempty"`
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
	IsAnswer  bool            `json:"is_answer,omitempty"` // it is the answer of the run, or of the subagent
	In        string          `json:"in,omitempty"`        // the subagent's thread
	Agent     string          `json:"agent"`               // the id of the agent that asks
}

func runOutOf(r run.Run) runOut {
	out := runOut{RunID: r.ID, AgentID: r.Start.Agent, Revision: r.Start.Revision, Status: string(r.Status), Output: r.Output, Platform: r.Platform,
		Usage: r.Usage, Turns: r.Turns(), Calls: []callOut{}, Waits: []waitOut{}, Began: agentTime(r.Began), Changed: agentTime(r.Last)}
	out.Error = runErrorOf(r.Err)
	for t := range r.All() {
		for _, m := range t.Messages {
			if m.Role == "tool" {
				out.Calls = append(out.Calls, callOut{m.CallID, m.Tool, t.In})
			}
		}
		if t.In != "" {
			out.Threads = append(out.Threads, threadOut{t.In, t.Worker().Agent, threadStatus(t), t.Iteration, t.Output, runErrorOf(t.Err), t.Usage})
		}
	}
	for _, c := range waiting(r) {
		out.Waits = append(out.Waits, waitOut{c.ID, c.Tool, agentdoc.RawValue(c.Arguments), c.Why, c.Digest, agentTime(c.AskedAt), agentTime(c.Until), c.IsOutput(), c.thread.In, c.thread.Worker().Agent})
	}
	return out
}

// threadStatus returns the status of a thread for people.
func threadStatus(t *run.Thread) string {
	switch {
	case t.Skipped != "":
		return "skipped"
	case t.Dropped:
		return "cancelled"
	}
	return string(t.Status)
}

func runErrorOf(e *aaif.RunError) *runErrorOut {
	if e == nil {
		return nil
	}
	return &runErrorOut{e.Code, e.Message, e.Step, agentTime(e.OccurredAt), e.Retries}
}

// waitingCall is a call that people are asked about, and the thread that it is of.
type waitingCall struct {
	run.Call
	thread *run.Thread
}

// waiting returns the calls that people are asked about.
func waiting(r run.Run) (calls []waitingCall) {
	if r.Status.Ended() || r.Status == aaif.Migrating {
		return nil
	}
	for t, c := range r.Asking() {
		calls = append(calls, waitingCall{c, t})
	}
	return calls
}

// showWait shows a call that a person is asked about: whole, so that they know what they
// approve.
func showWait(a *cli.App, c waitingCall) {
	if c.IsOutput() {
		a.Warn("the answer of %s waits for approval:\n  %s", whoAsks(c.thread), cli.Clean(c.Arguments.Get("text").Text()))
	} else {
		a.Warn("%s wants to call %s (%s) with\n%s", whoAsks(c.thread), cli.OneLine(c.Tool, 80), cli.OneLine(c.ID, 60), cli.Clean(string(c.Arguments.AppendIndent(nil, "  "))))
	}
	if c.Why != "" {
		a.Warn("asked because: %s", cli.OneLine(c.Why, 400))
	}
	if !c.Until.IsZero() {
		a.Warn("refused if nobody answers until %s", cli.Local(c.Until))
	}
}

// whoAsks names the agent that asks.
func whoAsks(t *run.Thread) string {
	if t.In == "" {
		return "the agent"
	}
	return "the subagent " + cli.OneLine(t.Name(), 80) + " (" + cli.OneLine(t.Worker().Agent, 80) + ")"
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
