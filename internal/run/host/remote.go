package host

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// Remote asks agents on other platforms. It is safe for concurrent use.
type Remote interface {
	// Ask gives the agent whose card lies at an address a task, and waits for what it answers.
	// key is the same whenever the same task is given, so that a repeated task is none twice.
	// [trace.Tell] tells the agent of the span that ctx is within. A failure is a [*tool.Error], whose outcome says whether the agent may have got the task.
	Ask(ctx context.Context, card, key, message string) (tool.Result, error)
}

// elsewhere returns what a thread works with whose agent is on another platform. The agents that
// it works for say what it may be given.
func elsewhere(h *Host, card string, over []aaif.Definition, of reported) (*run.Setup, error) {
	if h.opt.Remote == nil {
		return nil, &aaif.Fault{Code: settingsDiffer, Text: "the run asks an agent elsewhere, which nobody does here"}
	}
	s, err := h.settings()
	if err != nil {
		return nil, err
	}
	var judges judgeUsage
	var judged policy.Judge
	if len(over) > 0 {
		o := s.operator(over[0].Agent)
		judged = judge(over[0], over[1:], o, h.models(o, s.Keys), &judges)
	}
	guard, err := run.NewGuard(aaif.Definition{}, over, s.prompter(), nil, s.Rules, judged)
	if err != nil {
		return nil, err
	}
	tools := h.reporter(of, s, route.Operator{}).tools(remoteTask{h.opt.Remote, card, slices.ContainsFunc(s.Tools.Agents, func(e tool.Elsewhere) bool { return e.Card == card && e.Idempotent })})
	tools.about[run.RemoteCall] = trace.AboutTool(run.RemoteCall, aaif.Tool{Protocol: "a2a", Endpoint: card})
	return &run.Setup{Over: over, Tools: tools, Rules: guard, Judged: judges.take, Close: func() {}}, nil
}

// remoteTask is an agent elsewhere, as the one tool of a thread. It may write.
type remoteTask struct {
	Remote
	card       string
	idempotent bool // it takes a task that is given twice for one
}

// Offered implements [run.Tools].
func (r remoteTask) Offered() []tool.Offered {
	return []tool.Offered{{Name: run.RemoteCall, Of: aaif.Tool{Name: run.RemoteCall, Endpoint: r.card}, Nature: aaif.ToolNature{Bound: true, Idempotent: r.idempotent}}}
}

// Check implements [run.Tools].
func (r remoteTask) Check(string, canon.Value) error { return nil }

// Await implements [run.Tools]: nothing limits how often an agent elsewhere is asked.
func (r remoteTask) Await(_ context.Context, c tool.Call) (tool.Call, error) { return c, nil }

// Call implements [run.Tools].
func (r remoteTask) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	return r.Ask(ctx, r.card, c.Key, c.Arguments.Get("message").Text())
}
