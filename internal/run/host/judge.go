package host

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// judge returns the judge that a definition names (section 4.8), or an agent that it works for
// (see [judgedBy]); nil if they name none that may be asked. It is held to the regions of them all
// as any model (AAIF-4.9-6).
func judge(d aaif.Definition, over []aaif.Definition, o route.Operator, models run.Models, used *judgeUsage) policy.Judge {
	c, ok := judgeOf(d, over, o)
	if !ok {
		return nil
	}
	ask := asking(c, o, models)
	return policy.JudgeBy(func(ctx context.Context, system, question string) (string, error) {
		text, u, _, err := ask(ctx, system, question)
		used.add(u)
		return text, err
	})
}

// asking returns what puts a question to a judge, with what the answer has used.
func asking(c route.Candidate, o route.Operator, models run.Models) func(ctx context.Context, system, question string) (string, run.Usage, route.Outcome, error) {
	return func(ctx context.Context, system, question string) (string, run.Usage, route.Outcome, error) {
		still := 0.0
		q := model.Request{Model: c.Model, System: system, Format: "json", Temperature: &still, Messages: []aaif.Message{{Role: "user", Content: question}}}
		a, outcome, err := models.Ask(ctx, c, q)
		if err != nil {
			return "", run.Usage{}, outcome, err
		}
		return a.Text, run.UsageOf(run.Counted(a, q), c.Target, o), outcome, nil
	}
}

// judgeUsage counts what judges use. It is safe for concurrent use.
type judgeUsage struct {
	mu   sync.Mutex
	used run.Usage
}

func (s *judgeUsage) add(u run.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = s.used.Plus(u)
}

// take returns what was used since it was last called.
func (s *judgeUsage) take() run.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := s.used
	s.used = run.Usage{}
	return used
}

// judgedBy returns the definition whose judge judges what an agent says: its own, else the nearest
// of those that it works for, whose constraints hold for it (AAIF-4.3-26).
func judgedBy(d aaif.Definition, over []aaif.Definition) aaif.Definition {
	if d.Agent.Evaluation.Judge != "" {
		return d
	}
	for _, one := range slices.Backward(over) {
		if one.Agent.Evaluation.Judge != "" {
			return one
		}
	}
	return d
}

// judgeOf returns where the judge of a definition is asked, if it may be. The operator's table is
// that for the agent whose judge it is.
func judgeOf(d aaif.Definition, over []aaif.Definition, o route.Operator) (route.Candidate, bool) {
	if judgedBy(d, over).Agent.Evaluation.Judge == "" {
		return route.Candidate{}, false
	}
	c, plan := judgePlan(d, over, o)
	return c, len(plan.Order) == 1
}

// judgePlan returns where the judge that a definition names is asked, and the plan for it
// alone: provider/model, a model of the operator's table, or a model of the provider of the
// definition that names it.
func judgePlan(d aaif.Definition, over []aaif.Definition, o route.Operator) (route.Candidate, route.Plan) {
	by := judgedBy(d, over)
	name := by.Agent.Evaluation.Judge
	own := run.RoutesUnder(d, over, 0, time.Time{})
	c := run.Routes(by, 0, time.Time{}).Chain[0]
	c.Model = name
	if i := slices.IndexFunc(o.Models, func(m route.Model) bool { return m.Model == name || m.Target.String() == name }); i >= 0 {
		c = route.Candidate{Target: o.Models[i].Target}
	} else if provider, rest, found := strings.Cut(name, "/"); found && slices.ContainsFunc(o.Providers, func(p route.Provider) bool { return p.Name == provider }) {
		c = route.Candidate{Target: route.Target{Provider: provider, Model: rest}}
	}
	own.Chain = []route.Candidate{c}
	return c, route.Decide(own, o, nil)
}
