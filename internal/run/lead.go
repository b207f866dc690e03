package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// The bounds of the tree of agents of a run (AAIF-4.3-25).
const (
	mostDeep    = 6   // agents that work for each other
	mostThreads = 100 // of a run
)

// tooManyAgents is the code of a tree of agents that is larger than the bounds.
const tooManyAgents aaif.Code = "SUBAGENT_LIMIT_EXCEEDED"

// lead decides what the subagents of the agent at work do next, and ends the thread with
// their result.
func (w *worker) lead(ctx context.Context, m *Setup) error {
	r := w.stands()
	t := r.Of(w.in)
	so, known := r.outcomes(t)
	move := m.Team.Next(Value(t.Start.Input), t.Variables, so)
	cancel := r.working(t)
	if !move.Done {
		cancel = slices.DeleteFunc(cancel, func(path string) bool { return !slices.Contains(move.Cancel, r.Of(path).Start.Step) })
	}
	events := w.told(&r, move.Notes)
	known += len(move.Skip)
	for _, o := range move.Skip {
		events = append(events, Event{Kind: Skipped, In: r.free(w.in, o.Step), Step: o.Step, By: o.Alias, Text: o.Text, Pass: known})
	}
	for i, task := range move.Begin {
		events = append(events, w.dispatched(&r, m, t, task, known, len(r.Threads)+len(move.Skip)+i)...)
	}
	switch {
	case len(move.Begin) > 0, len(move.Skip) > 0:
	case move.Done:
	case len(so) == known && len(cancel) == 0:
		return w.failAt(ctx, string(topology.NoMatch), "no subagent has anything to do", "orchestration")
	default:
		events = append(events, Event{Kind: Weighed, Pass: known})
	}
	if err := w.append(ctx, events...); err != nil {
		return err
	}
	if err := w.threads.drop(ctx, cancel, "its result is not needed any more"); err != nil {
		return err
	}
	switch {
	case !move.Done:
		return nil
	case move.Code != "":
		return w.failAt(ctx, move.Code, move.Text, move.FailedStep)
	}
	if done, err := w.handOver(ctx, m, move.Output); done || err != nil {
		return err
	}
	return w.finish(ctx, m, move.Output)
}

// dispatched returns the events with which a subagent begins to work. others is how many
// agents have worked in the run before.
func (w *worker) dispatched(r *Run, m *Setup, t *Thread, task topology.Task, known, others int) []Event {
	s := startOf(t, task)
	e := Event{Kind: Dispatched, In: r.free(w.in, task.Step), Step: task.Step, Pass: known, Start: &s}
	code, why := aaif.SubagentUnresolved, ""
	if task.Alias != "" {
		why = r.engage(&s, m.Definition, task.Alias)
	}
	switch {
	case why != "":
	case !s.Own && strings.Count(e.In, "/") >= mostDeep:
		code, why = tooManyAgents, fmt.Sprintf("%d agents work for each other already", mostDeep)
	case others >= mostThreads:
		code, why = tooManyAgents, fmt.Sprintf("%d agents have worked in this run already", mostThreads)
	default:
		return []Event{e}
	}
	return []Event{e, {Kind: Failed, In: e.In, Code: string(code), Text: why, Step: task.Step, Retry: new(int)}}
}

// startOf returns what the agent that leads a team begins a task of its team with.
func startOf(t *Thread, task topology.Task) Start {
	at := t.Worker()
	return Start{
		Agent: at.Agent, Revision: at.Revision, Digest: at.Digest, Input: Raw(task.Input), Variables: Raw(t.Variables), Limits: t.Start.Limits,
		Step: task.Step, Alias: task.Alias, Merge: task.Merge, Own: task.Alias == "",
	}
}

// engage completes what an agent begins with that works for another one: who it is, and its
// limits, which are no wider than those of that one. It returns why nobody can.
func (r *Run) engage(s *Start, d aaif.Definition, name string) (why string) {
	ref := name
	for _, one := range topology.Members(d) {
		if one.Alias == name {
			ref, s.Memory.Keys = one.Ref, one.MemoryKeys
		}
	}
	for _, p := range r.Start.Agents {
		if p.Ref != ref {
			continue
		}
		above := s.Limits
		s.Agent, s.Revision, s.Digest, s.Leads, s.Remote, s.Limits = p.Agent, p.Revision, p.Digest, p.Leads, p.Remote, p.Limits
		s.Limits.Active, s.Limits.Wait, s.Limits.Call = min(above.Active, p.Limits.Active), min(above.Wait, p.Limits.Wait), min(above.Call, p.Limits.Call)
		return ""
	}
	return "no agent is known as " + aaif.Shown(ref)
}

// free returns a path for a step that no thread has yet.
func (r *Run) free(parent, step string) string {
	path := strings.TrimPrefix(parent+"/"+step, "/")
	for n := 2; r.Of(path) != nil; n++ {
		path = fmt.Sprintf("%s~%d", strings.TrimPrefix(parent+"/"+step, "/"), n)
	}
	return path
}

// told returns what there is to report of conditions and of the team. Conditions in words are
// reported once in a run and place (AAIF-5-14).
func (w *worker) told(r *Run, notes []topology.Note) []Event {
	var all []Note
	for _, n := range notes {
		all = append(all, noteAt(n.Pointer, n.Code, n.Text))
	}
	return r.unheard(w.in, all)
}

// handOver hands the thread to another agent if a condition says so after a turn
// (AAIF-4.3-18). An agent's own part in the work of its team is no turn.
func (w *worker) handOver(ctx context.Context, m *Setup, answer string) (done bool, err error) {
	r := w.stands()
	t := r.Of(w.in)
	if m.Handoffs == nil || t.Start.Own && len(t.Agents) == 1 || !t.turned && !t.Worker().Leads {
		return false, nil
	}
	turn := topology.Turn{Input: Value(t.Start.Input), Output: answer, Message: answer, Variables: t.Variables}
	if answer == "" {
		turn.Output = t.lastText()
		turn.Message = turn.Output
	}
	to, yes, notes := m.Handoffs.After(turn)
	events := w.told(&r, notes)
	if !yes {
		if len(events) > 0 {
			err = w.append(ctx, events...)
		}
		return false, err
	}
	if len(t.Agents) > t.Start.Limits.Turns { // each has had a turn, or leads agents that had none
		return true, w.failAt(ctx, string(aaif.MaxIterations), "the work was handed over as often as is allowed, and did not come to an end", "handoff")
	}
	s := Start{Input: t.Start.Input, Limits: t.Start.Limits, Conversation: to.PassesContext(), Alias: to.Target}
	if none := r.engage(&s, m.Definition, to.Target); none != "" {
		return true, w.failAt(ctx, string(aaif.SubagentUnresolved), none, "handoff")
	}
	s.Memory = PassedMemory{LongTerm: to.PassMemory}
	return true, w.append(ctx, append(events, Event{Kind: Handed, Start: &s, Text: to.Target})...)
}

// lastText returns what the agent said in its latest turn.
func (t *Thread) lastText() string {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		if m := t.Messages[i]; m.Role == "assistant" && m.CallID == "" {
			return m.Content
		} else if m.Role == "user" {
			return ""
		}
	}
	return ""
}
