package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// ask asks the models of the definition for the next turn, one route after the other, and
// the whole chain again after a rest (AAIF-4.2-1, AAIF-4.2-26).
func (w *worker) ask(ctx context.Context, m *Setup) error {
	q, err := w.request(ctx, m)
	if err != nil {
		return w.refused(ctx, err)
	}
	w.x.learn(w.stands().rests)
	retries := m.Definition.Agent.Runtime.Retries()
	w.mute = nil
	explained := map[Note]bool{}
	for pass := 0; ; pass++ {
		plan := route.Decide(w.routes(m), m.Operator, w.x.observed())
		if err := w.explain(ctx, plan, explained); err != nil {
			return err
		}
		done, err := w.chain(ctx, m, plan, pass, q)
		if done || err != nil {
			return err
		}
		if other := w.standIns(m, plan); len(other.Order) > 0 {
			if err := w.explain(ctx, other, explained); err != nil {
				return err
			}
			if done, err = w.chain(ctx, m, other, pass, q); done || err != nil {
				return err
			}
		}
		if pass >= retries || len(plan.Order) == 0 && w.restUntil(plan).IsZero() {
			code := plan.Code
			if code == "" {
				code = route.ModelUnavailable
			}
			said := ""
			if w.mute != nil {
				said = "the last one: " + w.mute.Error() + "; "
			}
			return w.fail(ctx, code, fmt.Sprintf("no model answered; %sattempts at the whole chain: %d\n%s", said, pass+1, plan))
		}
		rest := backoff(m.Definition.Agent.Runtime.Backoff, pass)
		if until := w.restUntil(plan); len(plan.Order) == 0 && until.Sub(w.x.Now()) > rest {
			rest = until.Sub(w.x.Now())
		}
		if err := w.x.Sleep(ctx, rest); err != nil {
			return err
		}
	}
}

// standIns returns the plan of the operator's substitutes, after all routes of a plan have
// failed (AAIF-3-1).
func (w *worker) standIns(m *Setup, tried route.Plan) route.Plan {
	observed := w.x.observed()
	if observed == nil || len(m.Operator.Substitutes) == 0 {
		return route.Plan{}
	}
	for _, r := range tried.Order {
		health := observed[r.Target]
		health.Down = true
		observed[r.Target] = health
	}
	return route.Decide(w.routes(m), m.Operator, observed)
}

// chain asks the routes of a plan in order. done says that the turn is over.
func (w *worker) chain(ctx context.Context, m *Setup, plan route.Plan, pass int, q model.Request) (done bool, err error) {
	for _, r := range plan.Order {
		q.Model = r.Model
		if err := w.append(ctx, Event{Kind: Asked, Route: r.Target.String(), Pass: pass}); err != nil {
			return false, err
		}
		if err := w.confirm(ctx); err != nil {
			return false, err
		}
		answer, outcome, failed := m.Models.Ask(ctx, r.Candidate, q)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		health := w.x.observe(r.Target, outcome)
		var notes []Event
		for _, n := range answer.Notes {
			notes = append(notes, Event{Kind: Noted, Code: string(n.Code), Text: n.Name})
		}
		if failed == nil {
			if n := len(answer.Calls); n > mostCalls {
				answer.Calls = answer.Calls[:mostCalls]
				notes = append(notes, Event{Kind: Noted, Code: "calls.cut", Text: fmt.Sprintf("the model asked for %d calls at once: the first %d are made", n, mostCalls)})
			}
			return true, w.append(ctx, append(notes, answered(Counted(answer, q), r, m.Operator))...)
		}
		w.mute = failed
		passed := Event{Kind: Passed, Route: r.Target.String(), Pass: pass, Code: failure(outcome), Text: failed.Error()}
		if passed.Code == string(route.RateLimited) {
			passed.Until = health.Until
		}
		if outcome.Next() == route.Refused {
			return true, w.append(ctx, append(notes, passed, Event{Kind: Failed, Code: string(aaif.ModelBadRequest), Text: failed.Error(), Step: "model", Retry: new(int)})...)
		}
		if err := w.append(ctx, append(notes, passed)...); err != nil {
			return false, err
		}
	}
	return false, nil
}

// mostCalls is how many calls of one turn are made.
const mostCalls = 64

// Counted returns an answer with an estimate of its tokens, where the provider says nothing
// of them: a token for four bytes.
func Counted(a model.Answer, q model.Request) model.Answer {
	if a.InputTokens <= 0 {
		n := len(q.System)
		for _, m := range q.Messages {
			n += len(m.Content)
		}
		a.InputTokens = (n + 3) / 4
	}
	if a.OutputTokens <= 0 {
		n := len(a.Text)
		for _, c := range a.Calls {
			n += len(c.Tool) + len(Raw(c.Arguments))
		}
		a.OutputTokens = (n + 3) / 4
	}
	return a
}

// failure returns the code of a route that did not answer.
func failure(o route.Outcome) string {
	switch next := o.Next(); {
	case next == route.Answered:
		return string(aaif.ModelUnreadable)
	case next == route.Refused:
		return string(aaif.ModelBadRequest)
	case o.Status == 429:
		return string(route.RateLimited)
	}
	return string(route.Unavailable)
}

func answered(a model.Answer, r route.Route, o route.Operator) Event {
	e := Event{Kind: Answered, Route: r.Target.String(), Text: a.Text, Carry: Raw(a.Carry), Usage: UsageOf(a, r.Target, o)}
	for _, c := range a.Calls {
		asks := ToolCall{ID: c.ID, Tool: c.Tool, Arguments: Raw(c.Arguments)}
		if c.Guessed {
			asks.Arguments = []byte("null")
		}
		e.Calls = append(e.Calls, asks)
	}
	return e
}

// UsageOf returns what an answer has used, with its price as the operator knows it.
func UsageOf(a model.Answer, of route.Target, o route.Operator) Usage {
	u := Usage{Input: a.InputTokens, Output: a.OutputTokens, Unpriced: a.InputTokens+a.OutputTokens > 0}
	for _, m := range o.Models {
		if m.Target == of && m.Input != nil && m.Output != nil {
			u.USD, u.Unpriced = (float64(a.InputTokens)**m.Input+float64(a.OutputTokens)**m.Output)/1000, false
		}
	}
	return u
}

// request returns what a model is asked. The conversation is cut to the window of the
// definition's models (AAIF-8.1-11).
func (w *worker) request(ctx context.Context, m *Setup) (model.Request, error) {
	system, read, notes, err := m.Rules.System(ctx, w.x.Now())
	if err == nil && read != nil {
		err = w.append(ctx, Event{Kind: Read, Context: read})
	}
	if err != nil {
		return model.Request{}, err
	}
	said := w.at().Messages
	if m.Memory != nil {
		reminder, with, more, err := m.Memory.Remind(ctx, said)
		if err != nil {
			return model.Request{}, err
		}
		system, said, notes = system+reminder, with, append(notes, more...)
	}
	pictures, said := w.shown(m, said)
	room := w.window(m) - len(system)/4
	for _, list := range pictures {
		if room > 0 { // else no window is known
			room = max(room-tokensOf*len(list), 1)
		}
	}
	cut := aaif.Truncate(said, room, nil)
	if cut.Dropped > 0 {
		notes = append(notes, Note{Code: "conversation.cut", Text: fmt.Sprintf("the %d oldest messages are longer than the model's window and were left out", cut.Dropped)})
	}
	if err := w.append(ctx, events(notes)...); err != nil {
		return model.Request{}, err
	}
	a := m.Definition.Agent
	heard, err := w.heard(m, cut.Messages)
	if err != nil {
		return model.Request{}, err
	}
	q := model.Request{
		System: system, Messages: w.at().framed(cut.Messages, heard), Temperature: a.Model.Temperature, Params: a.Model.Params, Format: a.Model.ResponseFormat,
		Pictures: pictures, Carry: w.at().carry, CallPrefix: fmt.Sprintf("call_%d_", w.at().Iteration+1),
	}
	if a.Model.ResponseFormat == "json_schema" {
		q.Schema = a.IO.Output
	}
	for _, t := range m.Tools.Offered() {
		if t.Missing == nil {
			q.Tools = append(q.Tools, model.Tool{Name: t.Name, Description: policy.Cleaned(t.Description), Parameters: t.Parameters})
		}
	}
	// Where there are constraints, nothing leaves before it was held to them.
	if q.Stream = a.Runtime.Streaming; q.Stream && w.x.OnText != nil && w.in == "" && len(m.rules().Constraints) == 0 {
		q.OnText = func(piece string) { w.x.OnText(w.id, piece) }
	}
	return q, nil
}

// heard returns a conversation as the agent's model may read it. The run's own agent may read
// all of it: its input was held to its policy when the run started.
func (w *worker) heard(m *Setup, said []aaif.Message) ([]aaif.Message, error) {
	if t := w.at(); t.In == "" && len(t.Agents) == 1 {
		return said, nil
	}
	said = slices.Clone(said)
	for i := range said {
		var err error
		if said[i].Content, err = m.Rules.Heard(said[i].Content); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// window returns the tokens of the smallest window among the definition's models that the
// operator knows, less a quarter for the answer; 0: none is known.
func (w *worker) window(m *Setup) int {
	least := 0
	for _, c := range w.routes(m).Chain {
		for _, known := range m.Operator.Models {
			if known.Target == c.Target && known.Context > 0 && (least == 0 || known.Context < least) {
				least = known.Context
			}
		}
	}
	return least - least/4
}

// routes returns what the definition asks of routing.
func (w *worker) routes(m *Setup) route.Request {
	return RoutesUnder(m.Definition, m.Over, w.at().Iteration, w.x.Now())
}

// RoutesUnder is Routes for an agent that works for others: the regions of all hold
// (AAIF-4.3-26).
func RoutesUnder(d aaif.Definition, over []aaif.Definition, turn int, now time.Time) route.Request {
	r := Routes(d, turn, now)
	for _, one := range over {
		for _, region := range aaif.RulesOf(one.Agent).Residencies {
			r.Also = append(r.Also, string(region))
		}
	}
	return r
}

// Routes returns what a definition asks of routing, for a turn.
func Routes(d aaif.Definition, turn int, now time.Time) route.Request {
	a := d.Agent
	own := a.Model.Provider
	if own == route.Custom {
		own = a.Model.ProviderID
	}
	r := route.Request{
		Chain:    []route.Candidate{{Target: route.Target{Provider: own, Model: a.Model.Preferred}, BaseURL: a.Model.BaseURL}},
		Strategy: route.Strategy(a.Model.Strategy), MinContext: a.Model.MinContext, Residency: string(a.Compliance.Residency), Turn: turn, Now: now,
	}
	for _, f := range a.Model.Fallbacks {
		c := route.Candidate{Target: route.Target{Provider: f.Provider, Model: f.Model}, MaxCost: f.MaxCost}
		if f.Provider == route.Custom {
			c.Provider, c.BaseURL = a.Model.ProviderID, a.Model.BaseURL
		}
		r.Chain = append(r.Chain, c)
	}
	return r
}

// explain reports the routes of a plan that are skipped, and their substitutes (AAIF-3-2).
// It reports each once in a turn.
func (w *worker) explain(ctx context.Context, p route.Plan, explained map[Note]bool) error {
	var notes []Note
	for _, r := range p.Routes {
		switch {
		case r.Skipped != "" && r.Skipped != route.NotNeeded:
			notes = append(notes, Note{Code: "route.skipped", Text: r.Target.String() + ": " + string(r.Skipped)})
		case r.StandsIn != (route.Target{}) && r.Skipped == "":
			notes = append(notes, Note{Code: "route.substituted", Text: r.Target.String() + " stands in for " + r.StandsIn.String()})
		}
	}
	notes = slices.DeleteFunc(notes, func(n Note) bool {
		known := explained[n]
		explained[n] = true
		return known
	})
	return w.append(ctx, events(notes)...)
}

// restUntil returns the earliest time at which a rate-limited route may be asked again; zero:
// there is none.
func (w *worker) restUntil(p route.Plan) time.Time {
	var first time.Time
	observed := w.x.observed()
	for _, r := range p.Routes {
		until := observed[r.Target].Until
		if r.Skipped == route.RateLimited && (first.IsZero() || until.Before(first)) {
			first = until
		}
	}
	return first
}

// observed returns what is known of the routes.
func (x *Executor) observed() map[route.Target]route.Health {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.health)
}

// observe takes an outcome of a route in, and returns what is known of the route now.
func (x *Executor) observe(t route.Target, o route.Outcome) route.Health {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.health == nil {
		x.health = map[route.Target]route.Health{}
	}
	x.health[t] = x.health[t].After(o)
	return x.health[t]
}

// learn takes in how long providers asked an earlier holder of a run to leave them alone
// (AAIF-4.2-4). What this process has seen of a route itself counts more.
func (x *Executor) learn(rests map[string]time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name, until := range rests {
		provider, model, _ := strings.Cut(name, "/")
		t := route.Target{Provider: provider, Model: model}
		if _, known := x.health[t]; known {
			continue
		}
		if x.health == nil {
			x.health = map[route.Target]route.Health{}
		}
		x.health[t] = route.Health{Until: until}
	}
}

// backoff returns the rest after a pass over the chain (AAIF-4.6-5).
func backoff(kind string, pass int) time.Duration {
	const unit, most = time.Second, 5 * time.Minute
	switch kind {
	case "fixed":
		return unit
	case "linear":
		return min(unit*time.Duration(pass+1), most)
	}
	return min(unit<<min(pass, 20), most)
}

// refused ends the run if err has a code of package aaif. Any other error ends its execution.
func (w *worker) refused(ctx context.Context, err error) error {
	if code := aaif.CodeOf(err); code != "" && ctx.Err() == nil {
		return w.fail(ctx, string(code), err.Error())
	}
	return err
}
