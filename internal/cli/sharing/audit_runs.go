package sharing

import (
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
)

// namedRun is a run that entries are about.
type namedRun struct {
	id    string
	steps map[string]runStep // by mark; ids of calls are unique in a run only
}

// runStep is what a run did: a call of a tool, or a question to a model.
type runStep struct{ call, tool, model string }

// String names the step for people.
func (s runStep) String() string {
	if s.tool == "" {
		return s.model
	}
	return s.tool + " (" + s.call + ")"
}

// runOf returns the run that an entry is about, and what it did, as far as they are still there.
func (l ownersLog) runOf(e audit.Entry) (named namedRun, step runStep) {
	for _, mark := range e.Records {
		if r, ok := l.runs[mark]; ok {
			named = r
		}
	}
	for _, mark := range e.Records {
		if s, ok := named.steps[mark]; ok {
			step = s
		}
	}
	return named, step
}

// runsOf finds the runs, calls and models that entries name by marks. Of runs that were removed
// it finds nothing, and neither without the key of the log's owner.
func (l ownersLog) runsOf(a *cli.App, entries []audit.Entry) (map[string]namedRun, error) {
	sought := map[string]bool{}
	for _, e := range entries {
		switch e.Act {
		case audit.RunStart, audit.RunResume, audit.RunCall, audit.RunApprove, audit.RunEnd:
			for _, mark := range e.Records {
				sought[mark] = true
			}
		default: // of something else
		}
	}
	if len(sought) == 0 || l.AuditMark(l.caller, "x") == "" {
		return nil, nil
	}
	runs, found := runstore.New(l.Vault), map[string]namedRun{}
	const page = 500
	for at := (runstore.Place{}); ; {
		list, err := runs.List(a.Ctx, l.caller, "", at, page)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			at = runstore.Place{Began: r.Began, ID: r.ID}
			if mark := l.AuditMark(l.caller, r.ID); sought[mark] {
				found[mark] = namedRun{r.ID, l.stepsOf(a, runs, r.ID)}
			}
		}
		if len(list) < page {
			return found, nil
		}
	}
}

// stepsOf finds the calls and models of a run, by mark. What cannot be read, such as a sealed
// run whose key is closed, stays without a name.
func (l ownersLog) stepsOf(a *cli.App, runs *runstore.Service, id string) map[string]runStep {
	r, found := run.Run{ID: id}, map[string]runStep{}
	const page = 500
	for {
		events, err := runs.Events(a.Ctx, l.caller, id, r.Events, page)
		if err != nil {
			return found
		}
		for _, row := range events {
			e, err := run.Decode(row.Number, row.Document)
			if err != nil || r.Apply(e) != nil {
				return found
			}
			if e.Kind == run.Asked {
				found[l.AuditMark(l.caller, e.Route)] = runStep{model: e.Route}
			}
			thread := r.Of(e.In)
			if thread == nil {
				continue
			}
			for _, c := range thread.Calls {
				step := runStep{call: c.ID, tool: c.Tool}
				if c.IsOutput() {
					step.tool = "the answer"
				}
				found[l.AuditMark(l.caller, c.ID)] = step
			}
		}
		if len(events) < page {
			return found
		}
	}
}
