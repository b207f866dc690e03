package run

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// All returns the threads of a run: first that of its own agent.
func (r *Run) All() iter.Seq[*Thread] {
	return func(yield func(*Thread) bool) {
		if !yield(&r.Thread) {
			return
		}
		for _, t := range r.Threads {
			if !yield(t) {
				return
			}
		}
	}
}

// Of returns a thread by its path; nil if there is none.
func (r *Run) Of(path string) *Thread {
	for t := range r.All() {
		if t.In == path {
			return t
		}
	}
	return nil
}

// above returns the path of the thread above.
func above(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}

// under reports whether a thread is the one at a path, or below it.
func (t *Thread) under(path string) bool {
	return path == "" || t.In == path || strings.HasPrefix(t.In, path+"/")
}

// Over returns the threads above a thread, the nearest first.
func (r *Run) Over(t *Thread) (all []*Thread) {
	for t.In != "" {
		if t = r.Of(above(t.In)); t == nil {
			return all
		}
		all = append(all, t)
	}
	return all
}

// edit returns a thread for an event to change, if the thread may still do something.
func (r *Run) edit(path string) (*Thread, error) {
	if path == "" {
		return &r.Thread, nil
	}
	i := slices.IndexFunc(r.Threads, func(t *Thread) bool { return t.In == path })
	switch {
	case i < 0:
		return nil, fmt.Errorf("the run has no thread %s", aaif.Shown(path))
	case r.Status.Ended(), r.Status == aaif.Migrating, r.Threads[i].Status.Ended():
		return nil, aaif.Transition(aaif.Completed, aaif.Running)
	}
	r.Threads[i] = r.Threads[i].edited()
	return r.Threads[i], nil
}

// used counts what models have used, for a thread and all above it.
func (r *Run) used(e Event) {
	if e.Usage == (Usage{}) {
		return
	}
	for path := e.In; ; path = above(path) {
		if path == "" {
			r.Usage = r.Usage.Plus(e.Usage)
			return
		}
		if i := slices.IndexFunc(r.Threads, func(t *Thread) bool { return t.In == path }); i >= 0 {
			r.Threads[i] = r.Threads[i].edited()
			r.Threads[i].Usage = r.Threads[i].Usage.Plus(e.Usage)
		}
	}
}

// hear remembers a note about a condition in words.
func (r *Run) hear(e Event) {
	if e.Code == condition.EventHint {
		r.heard = with(r.heard, r.site(e.In, e.Text), true)
	}
}

// site names the place in a definition of which a note is.
func (r *Run) site(in, text string) string {
	pointer, _, _ := strings.Cut(strings.TrimPrefix(text, condition.EventHint+" "), ":")
	agent := r.Start.Agent
	if t := r.Of(in); t != nil {
		agent = t.Worker().Agent
	}
	return agent + " " + pointer
}

// unheard returns notes as events, without those about conditions in words that the run has
// reported already (AAIF-5-14).
func (r *Run) unheard(in string, notes []Note) []Event {
	return events(slices.DeleteFunc(notes, func(n Note) bool { return n.Code == condition.EventHint && r.heard[r.site(in, n.Text)] }))
}

// begin adds the thread of a subagent, or a step that is not taken.
func (r *Run) begin(e Event) error {
	parent, err := r.edit(above(e.In))
	switch {
	case err != nil:
		return err
	case e.In == "" || r.Of(e.In) != nil:
		return errors.New("a thread begins once")
	case parent.Status.Ended() || !parent.Worker().Leads:
		return errors.New("no subagents work for this agent")
	}
	t := &Thread{In: e.In, began: e.Number, Status: aaif.Running}
	parent.below, parent.known = append(parent.below, e.In), e.Pass
	r.Threads = append(r.Threads, t)
	if e.Kind == Skipped {
		t.Start.Step, t.Start.Alias, t.Skipped, t.Status, t.ended = e.Step, e.By, e.Text, aaif.Completed, e.Number
		return nil
	}
	if e.Start == nil {
		return errors.New("nothing says what the thread begins with")
	}
	t.Start, t.Agents, t.Variables = *e.Start, []Worker{workerOf(*e.Start)}, Value(e.Start.Variables)
	input := Value(e.Start.Input)
	if len(e.Start.State) > 0 {
		return t.restore(aaif.ReadState(Value(e.Start.State)), e.At, r)
	}
	t.Messages = []aaif.Message{{Role: "user", Content: said(input), Timestamp: e.At}}
	t.toRemote(input, r)
	return nil
}

// toRemote makes the task of an agent elsewhere a call: it is written down before it is sent,
// a person may be asked, and nobody repeats it.
func (t *Thread) toRemote(input canon.Value, r *Run) {
	if t.Worker().Remote == "" {
		return
	}
	c := aaif.Call{ID: r.unused("task"), Tool: RemoteCall, Arguments: canon.Object(canon.Member{Name: "message", Value: canon.String(said(input))})}
	t.Messages = append(t.Messages, aaif.CallMessages("", []aaif.Call{c}, t.Messages[0].Timestamp)...)
	t.Calls = append(t.Calls, Call{Call: c, Stage: Wanted})
}

// RemoteCall is the name under which an agent elsewhere is given a task.
const RemoteCall = "satchel.remote"

// cancel ends a thread without a result.
func (r *Run) cancel(e Event) error {
	if e.In == "" {
		return errors.New("a run ends with an error")
	}
	t, err := r.edit(e.In)
	if err != nil {
		return err
	}
	t.drop(e)
	r.endBelow(t, e)
	return nil
}

func (t *Thread) drop(e Event) {
	t.Status, t.Dropped, t.ended = aaif.Failed, true, e.Number
	t.Err = &aaif.RunError{Code: string(aaif.Cancelled), Message: e.Text, OccurredAt: e.At, Retries: new(int)}
}

// endBelow ends what works for a thread that has ended.
func (r *Run) endBelow(t *Thread, e Event) {
	if t.ended == 0 {
		t.ended = e.Number
	}
	for i, one := range r.Threads {
		if !one.Status.Ended() && one.In != t.In && one.under(t.In) {
			one = one.edited()
			one.drop(e)
			r.Threads[i] = one
		}
	}
}

// children returns the threads of the subagents of the agent at work in a thread.
func (r *Run) children(t *Thread) (all []*Thread) {
	for _, path := range t.below {
		all = append(all, r.Of(path))
	}
	return all
}

// working returns the paths of the subagents of the agent at work in a thread that have not ended.
func (r *Run) working(t *Thread) (paths []string) {
	for _, c := range r.children(t) {
		if !c.Status.Ended() {
			paths = append(paths, c.In)
		}
	}
	return paths
}

// outcomes returns what became of the steps of a thread's team, those with a result in the
// order of their results, and how many have one.
func (r *Run) outcomes(t *Thread) (all []topology.Outcome, ended int) {
	children := r.children(t)
	slices.SortStableFunc(children, func(a, b *Thread) int {
		switch {
		case a.ended == 0 && b.ended == 0:
			return 0
		case a.ended == 0:
			return 1
		case b.ended == 0:
			return -1
		}
		return int(a.ended - b.ended)
	})
	for _, c := range children {
		o := topology.Outcome{Step: c.Start.Step, Alias: c.Start.Alias, Running: !c.Status.Ended(), Output: c.Output, Skipped: c.Skipped != "", Cancelled: c.Dropped, Text: c.Skipped}
		if c.Err != nil {
			o.Code, o.Text = c.Err.Code, c.Err.Message
		}
		if !o.Running {
			ended++
		}
		all = append(all, o)
	}
	return all, ended
}

// news reports whether an outcome has not been weighed, or nothing has begun.
func (r *Run) news(t *Thread) bool {
	ended := 0
	for _, c := range r.children(t) {
		if c.Status.Ended() {
			ended++
		}
	}
	return ended > t.known || ended == len(t.below)
}

// settleLeaders sets the status of threads that wait for their subagents: they wait for a
// person while all of those do that have not ended.
func (r *Run) settleLeaders() {
	for i := len(r.Threads) - 1; i >= -1; i-- {
		t := &r.Thread
		if i >= 0 {
			t = r.Threads[i]
		}
		if !t.Worker().Leads || len(t.Calls) > 0 || t.Status != aaif.Running && t.Status != aaif.AwaitingApproval {
			continue
		}
		status := aaif.AwaitingApproval
		if r.news(t) || slices.ContainsFunc(r.children(t), func(c *Thread) bool { return !c.Status.Ended() && c.Status != aaif.AwaitingApproval }) {
			status = aaif.Running
		}
		if t.Status != status {
			if i >= 0 {
				t = t.edited()
				r.Threads[i] = t
			}
			t.Status = status
		}
	}
}

// Asking returns the calls about which people are asked, with the threads that they are of.
func (r *Run) Asking() iter.Seq2[*Thread, Call] {
	return func(yield func(*Thread, Call) bool) {
		for t := range r.All() {
			for _, c := range t.Calls {
				if c.Stage == Asking && !t.Status.Ended() && !yield(t, c) {
					return
				}
			}
		}
	}
}

// waits reports whether a person is asked about a call.
func (r *Run) waits() bool {
	for range r.Asking() {
		return true
	}
	return false
}

// Turns returns how often models were asked, for all agents of the run.
func (r *Run) Turns() (n int) {
	for t := range r.All() {
		n += t.Iteration
	}
	return n
}

// Name returns how people are told of a thread: the alias of its agent, or its path.
func (t *Thread) Name() string {
	if t.Start.Alias != "" && !strings.Contains(t.In, "/") {
		return t.Start.Alias
	}
	return strings.ReplaceAll(t.In, "/:", "/")
}
