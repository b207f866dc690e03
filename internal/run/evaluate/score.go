package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// The metrics that are measured, and not judged (AAIF-4.8-6).
const (
	latency  = "latency_ms"
	cost     = "cost_usd_per_run"
	accuracy = "tool_call_accuracy"
)

// nameOf returns the name under which a metric is reported.
func nameOf(m aaif.Metric) string {
	if m.Name == "custom" && m.Custom != "" {
		return m.Custom
	}
	return m.Name
}

// scored adds the scores of a case, by every metric.
func (e *evaluation) scored(ctx context.Context, c aaif.TestCase, events []run.Event, out Case) Case {
	var asked []string
	var failed error
	for _, m := range e.opt.Definition.Agent.Evaluation.Metrics {
		if name := nameOf(m); !slices.Contains(asked, name) && isJudged(m, c) {
			asked = append(asked, name)
		}
	}
	var ratings map[string]policy.Rating
	if len(asked) > 0 && out.Error == nil && events != nil {
		ratings, failed = e.rate(ctx, c, asked, out)
	}
	for _, m := range e.opt.Definition.Agent.Evaluation.Metrics {
		s := Score{Metric: nameOf(m)}
		rating, rated := ratings[s.Metric]
		switch {
		case out.Error != nil:
			s.Why = "not computed: " + out.Error.Code
		case m.Name == latency:
			took := out.LatencyMS
			s.Value = &took
		case m.Name == cost && out.Usage.Unpriced:
			s.Why = "not computed: the price of a model that was asked is not known: the operator table, models.json, has none"
		case m.Name == cost:
			usd := rounded(out.Usage.USD)
			s.Value = &usd
		case !isJudged(m, c):
			s.Value, s.Why = matched(c.Expected.Get("tool_calls").Items(), out.Calls)
		case rated:
			s.Value, s.Why = &rating.Score, rating.Why
		case failed != nil:
			s.Why = "not computed: " + failed.Error()
		default:
			s.Why = "not computed: the judge gave no score from 0 to 1"
		}
		out.Scores = append(out.Scores, s)
	}
	return out
}

// isJudged reports whether a judge rates a metric of a case. The calls of tools are compared
// where the case lists them in expected_output.tool_calls.
func isJudged(m aaif.Metric, c aaif.TestCase) bool {
	switch m.Name {
	case latency, cost:
		return false
	case accuracy:
		return c.Expected.Get("tool_calls").Type() != canon.TypeArray
	}
	return true
}

// mostJudging is how long the judge may take for a case.
const mostJudging = 2 * time.Minute

// rate asks the judge, within what is left of the evaluation.
func (e *evaluation) rate(ctx context.Context, c aaif.TestCase, metrics []string, out Case) (map[string]policy.Rating, error) {
	if e.opt.Ask == nil {
		return nil, errors.New(e.opt.NoJudge)
	}
	l, why := e.left()
	if why != "" {
		return nil, errors.New(why)
	}
	ctx, cancel := context.WithTimeout(ctx, min(l.Active, mostJudging))
	defer cancel()
	return policy.Rate(ctx, func(ctx context.Context, system, question string) (string, error) {
		answer, used, err := e.opt.Ask(ctx, system, question)
		e.report.JudgeUsage = e.report.JudgeUsage.Plus(used)
		return answer, err
	}, metrics, exhibit(c, out))
}

// matched compares calls with those that are expected, in any order: by name, and by arguments
// where they are given. A call too many counts as a call too few does.
func matched(want []canon.Value, got []Call) (*float64, string) {
	open := slices.Clone(got)
	found := 0
	for _, w := range want {
		i := slices.IndexFunc(open, func(c Call) bool {
			return c.Tool == w.Get("name").Text() && (!w.Has("arguments") || canon.Equal(run.Value(c.Arguments), w.Get("arguments")))
		})
		if i >= 0 {
			open = slices.Delete(open, i, i+1)
			found++
		}
	}
	score, most := 1.0, max(len(want), len(got))
	if most > 0 {
		score = float64(found) / float64(most)
	}
	return &score, fmt.Sprintf("%d of %d expected calls, %d others", found, len(want), len(got)-found)
}

// judge returns the metrics over all cases, and whether all thresholds are met. A metric that
// was not computed for each of the cases is not met (AAIF-4.8-8).
func judge(metrics []aaif.Metric, cases []Case, all int) ([]Metric, bool) {
	passed, list := true, []Metric{}
	for i, m := range metrics {
		one := Metric{Name: nameOf(m), Threshold: m.Threshold, Bound: Minimum, Verdict: NoThreshold}
		if m.IsMaximum() {
			one.Bound = Maximum
		}
		sum := 0.0
		for _, c := range cases {
			if v := c.Scores[i].Value; v != nil {
				one.Computed++
				sum += *v
			}
		}
		if one.Computed > 0 {
			mean := rounded(sum / float64(one.Computed))
			one.Mean = &mean
		}
		if m.Threshold != nil {
			one.Verdict = verdict(one, all)
			passed = passed && one.Verdict == Met
		}
		list = append(list, one)
	}
	return list, passed
}

// verdict says whether a threshold is met: at least as much, or of some metrics at most
// (AAIF-4.8-3).
func verdict(m Metric, all int) Verdict {
	switch {
	case m.Computed < all:
		return NotComputed
	case m.Bound == Maximum && *m.Mean <= *m.Threshold, m.Bound == Minimum && *m.Mean >= *m.Threshold:
		return Met
	}
	return Missed
}

// rounded takes from a mean what adding made of it: equality passes.
func rounded(mean float64) float64 {
	const places = 1e9
	return math.Round(mean*places) / places
}
