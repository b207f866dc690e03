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
func elsewhere(h *Host, s Settings, card string, over []aaif.Definition, of subject) (*run.Setup, error) {
	if h.opt.Remote == nil {
		return nil, &aaif.Fault{Code: settingsDiffer, Text: "the run asks an agent elsewhere, which nobody does here"}
	}
	for _, one := range over {
		if why := s.farFrom(one, card); why != "" {
			return nil, &aaif.Fault{Code: aaif.Code(route.ResidencyUnsatisfied), Text: why}
		}
	}
	var judges judgeUsage
	var judged policy.Judge
	if len(over) > 0 {
		o := s.operator(judgedBy(over[0], over[1:]).Agent)
		judged = judge(over[0], over[1:], o, h.models(o, s.Keys), &judges)
	}
	guard, err := run.NewGuard(aaif.Definition{}, over, s.prompter(), nil, s.Rules, judged)
	if err != nil {
		return nil, err
	}
	said, _ := s.listed(card)
	tools := h.reporter(of, s, route.Operator{}).tools(remoteTask{h.opt.Remote, card, said.Idempotent, guard.Heard})
	tools.about[run.RemoteCall] = trace.AboutTool(run.RemoteCall, aaif.Tool{Protocol: "a2a", Endpoint: card})
	return &run.Setup{Over: over, Tools: tools, Rules: guard, Judged: judges.take, Close: func() {}}, nil
}

// remoteTask is an agent elsewhere, as the one tool of a thread. It may write.
type remoteTask struct {
	Remote
	card       string
	idempotent bool                              // it takes a task that is given twice for one
	heard      func(text string) (string, error) // what it may read of a text
}

// listed returns what the owner's table of tools says of an agent elsewhere, and whether the
// table lists it.
func (s Settings) listed(card string) (tool.Elsewhere, bool) {
	i := slices.IndexFunc(s.Tools.Agents, func(e tool.Elsewhere) bool { return e.Card == card })
	if i < 0 {
		return tool.Elsewhere{}, false
	}
	return s.Tools.Agents[i], true
}

// farFrom says why an agent elsewhere may not have the data of a definition; empty: it may
// (AAIF-4.9-6).
func (s Settings) farFrom(d aaif.Definition, card string) string {
	said, _ := s.listed(card)
	at := route.Provider{Name: card, Regions: said.Regions}
	if why := s.Models.Resident(at, string(d.Agent.Compliance.Residency)); why != "" {
		return "the agent " + aaif.Shown(card) + ": " + string(why)
	}
	return ""
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
	message, err := r.heard(c.Arguments.Get("message").Text())
	if err != nil {
		return tool.Result{}, &tool.Error{Code: aaif.CodeOf(err), Tool: run.RemoteCall, Outcome: tool.NotSent, Text: err.Error()}
	}
	return r.Ask(ctx, r.card, c.Key, message)
}
