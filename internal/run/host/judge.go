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

// judge returns the judge that a definition names (section 4.8), nil if it names none that
// may be asked. It is held to the region of the definition as any model (AAIF-4.9-6).
func judge(d aaif.Definition, over []aaif.Definition, o route.Operator, models run.Models, used *judgeUsage) policy.Judge {
	c, ok := judgeOf(d, over, o)
	if !ok {
		return nil
	}
	return policy.JudgeBy(func(ctx context.Context, system, question string) (string, error) {
		still := 0.0
		a, _, err := models.Ask(ctx, c, model.Request{
			Model: c.Model, System: system, Format: "json", Temperature: &still, Messages: []aaif.Message{{Role: "user", Content: question}},
		})
		used.add(run.UsageOf(a, c.Target, o))
		return a.Text, err
	})
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

// judgeOf returns where the judge of a definition is asked: provider/model, a model of the
// operator's table, or a model of the definition's own provider.
func judgeOf(d aaif.Definition, over []aaif.Definition, o route.Operator) (route.Candidate, bool) {
	name := d.Agent.Evaluation.Judge
	if name == "" {
		return route.Candidate{}, false
	}
	own := run.RoutesUnder(d, over, 0, time.Time{})
	c := own.Chain[0]
	c.Model = name
	if i := slices.IndexFunc(o.Models, func(m route.Model) bool { return m.Model == name || m.Target.String() == name }); i >= 0 {
		c = route.Candidate{Target: o.Models[i].Target}
	} else if provider, rest, found := strings.Cut(name, "/"); found && slices.ContainsFunc(o.Providers, func(p route.Provider) bool { return p.Name == provider }) {
		c = route.Candidate{Target: route.Target{Provider: provider, Model: rest}}
	}
	own.Chain = []route.Candidate{c}
	return c, len(route.Decide(own, o, nil).Order) == 1
}
