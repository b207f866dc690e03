package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// Options say which agent is evaluated, and with what.
type Options struct {
	Subject    Subject
	Definition aaif.Definition
	// Executor executes the runs. Evaluate sets its journal.
	Executor *run.Executor
	// Limits bound the evaluation: USD, Tokens and Active all of it, with what the judge uses,
	// and the others each run.
	Limits run.Limits
	// Begin returns the first events of a run of a case, with an input that fits the agent.
	Begin func(input aaif.TestCase, l run.Limits) ([]run.Event, error)
	// Stub is told once what answers in place of tools.
	Stub func(tool.Stub)
	// Ask asks the judge; nil: there is none, and NoJudge says why.
	Ask      func(ctx context.Context, system, question string) (string, run.Usage, error)
	Judge    string // its name
	NoJudge  string
	Warnings []string
	Answers  Answers
	// NewID returns the id of a run.
	NewID func() (string, error)
	// OnCase hears of every case that is done; nil: nobody listens.
	OnCase func(done int, c Case)
}

// Failures of [Evaluate], before anything is asked.
var (
	ErrNoCases      = errors.New("the definition has no test case: evaluation.test_cases")
	ErrNoThresholds = errors.New("no metric of the definition has a threshold, so that nothing could be missed: evaluation.metrics")
)

// evaluation is an evaluation that is under way.
type evaluation struct {
	opt     Options
	journal journal
	began   time.Time
	report  Report

	now     string     // the id of the case that is under way
	mu      sync.Mutex // of stubbed
	stubbed map[string]int
}

// Evaluate puts all test cases to an agent, one after the other, and returns the report. It
// stops when ctx is over: then the report has the cases that were done, has not passed, and
// the error is that of ctx.
func Evaluate(ctx context.Context, o Options) (Report, error) {
	of := o.Definition.Agent.Evaluation
	switch {
	case len(of.Cases) == 0:
		return Report{}, ErrNoCases
	case !slices.ContainsFunc(of.Metrics, func(m aaif.Metric) bool { return m.Threshold != nil }):
		return Report{}, ErrNoThresholds
	}
	e := &evaluation{opt: o, began: o.Executor.Now(), stubbed: map[string]int{}}
	e.report = Report{Agent: o.Subject, At: e.began.UTC().Truncate(time.Second), Judge: o.Judge, Warnings: append([]string{}, o.Warnings...), Cases: []Case{}}
	o.Executor.Journal = &e.journal
	o.Stub(e.stub)
	for i, c := range of.Cases {
		if ctx.Err() != nil {
			break
		}
		done := e.do(ctx, c)
		if ctx.Err() != nil {
			break // it was not done
		}
		e.report.Cases = append(e.report.Cases, done)
		if o.OnCase != nil {
			o.OnCase(i+1, done)
		}
	}
	e.report.Metrics, e.report.Passed = judge(of.Metrics, e.report.Cases, len(of.Cases))
	return e.report, ctx.Err()
}

// left returns the limits of the next run; why says which limit of the evaluation is reached.
func (e *evaluation) left() (l run.Limits, why string) {
	l, used := e.opt.Limits, e.report.Usage.Plus(e.report.JudgeUsage)
	l.USD -= used.USD
	l.Active -= e.opt.Executor.Now().Sub(e.began)
	if used.Unpriced {
		l.Tokens -= used.Tokens()
	}
	switch {
	case l.USD <= 0:
		why = fmt.Sprintf("the evaluation has cost its %v dollars", e.opt.Limits.USD)
	case l.Tokens <= 0:
		why = fmt.Sprintf("the evaluation has used its %d tokens of models whose price is not known", e.opt.Limits.Tokens)
	case l.Active <= 0:
		why = fmt.Sprintf("the evaluation has taken its %s", e.opt.Limits.Active)
	}
	return l, why
}
