package run

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// RestoreOptions say what the subagents of a restored run go on with.
type RestoreOptions struct {
	At time.Time
	// Definition returns the definition of an agent that works in the run.
	Definition func(w Worker) (aaif.Definition, error)
	// State returns a kept checkpoint by its id; false: it is not here. It is asked for
	// subagents whose checkpoints came by themselves.
	State func(id string) (canon.Value, bool)
}

// Restored returns the events that follow the first one of a run that started from a checkpoint: those
// that its agent handed over to, and its subagents, as the checkpoint says (AAIF-8.1-17,
// AAIF-8.2-5). What is done is not done again. Who an agent is, what its limits are and which
// memory it gets is said by the definitions here, and not by the checkpoint.
func (r *Run) Restored(o RestoreOptions) ([]Event, error) {
	b := &restorer{run: *r, o: o}
	if err := b.thread("", aaif.ReadState(Value(r.Start.State)), ""); err != nil {
		return nil, err
	}
	return b.events, nil
}

// restorer makes the events of a run from a checkpoint.
type restorer struct {
	run    Run
	o      RestoreOptions
	events []Event
}

func (b *restorer) add(e Event) error {
	e.Number, e.At = b.run.Events+1, b.o.At
	if err := b.run.Apply(e); err != nil {
		return err
	}
	b.events = append(b.events, e)
	return nil
}

// thread restores what handoffs and subagents have made of a thread that has started from a
// checkpoint. at is the pointer of the checkpoint.
func (b *restorer) thread(in string, s aaif.State, at string) error {
	d, err := b.definition(in)
	if err != nil {
		return err
	}
	if other := s.OfOtherVersion(d); other != nil {
		other.Path = at + other.Path
		if !other.Warning {
			return other
		}
		if err := b.add(Event{Kind: Noted, In: in, Code: otherVersion, Text: other.Err.Error()}); err != nil {
			return err
		}
	}
	for _, agent := range s.Value.Get(extension).Get("handed").Items() {
		if err := b.handed(in, d, agent.Text()); err != nil {
			return err
		}
		if d, err = b.definition(in); err != nil {
			return err
		}
	}
	if !b.run.Of(in).Worker().Leads {
		return nil
	}
	steps, err := b.steps(in, d, s, at)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := b.begin(in, d, step, at+"/subagent_states"); err != nil {
			return err
		}
	}
	return nil
}

// otherVersion is the code of a note about a checkpoint of another version of its agent.
const otherVersion = "state.version"

// definition returns the definition of the agent at work in a thread; zero for one elsewhere.
func (b *restorer) definition(in string) (aaif.Definition, error) {
	w := b.run.Of(in).Worker()
	if w.Remote != "" {
		return aaif.Definition{}, nil
	}
	return b.o.Definition(w)
}

// handed gives the thread the agent to which it was handed over.
func (b *restorer) handed(in string, d aaif.Definition, agent string) error {
	t := b.run.Of(in)
	s := Start{Input: t.Start.Input, Limits: t.Start.Limits, Conversation: true}
	for _, one := range topology.Members(d) {
		draft := s
		if none := b.run.engage(&draft, d, one.Alias); none == "" && strings.EqualFold(draft.Agent, agent) {
			draft.Alias, draft.Memory = one.Alias, PassedMemory{LongTerm: topology.PassesMemory(d, one.Alias)}
			return b.add(Event{Kind: Handed, In: in, Code: CopiedCode, Start: &draft, Text: one.Alias})
		}
	}
	return aaif.Violation("aaif", aaif.SubagentUnresolved, "4.3-17", "/"+extension+"/handed", "the run was handed over to agent %s, which the definition here does not name", aaif.Shown(agent))
}

// begin begins a step, and ends one that has ended.
func (b *restorer) begin(in string, d aaif.Definition, step checkpointStep, at string) error {
	path := b.run.free(in, step.Step)
	if step.Skipped != "" {
		return b.add(Event{Kind: Skipped, In: path, Step: step.Step, By: step.Alias, Text: step.Skipped})
	}
	t := b.run.Of(in)
	s := startOf(t, topology.Task{Step: step.Step, Alias: step.Alias, Input: Value(step.Input), Merge: step.Merge})
	if none := b.run.engage(&s, d, step.Alias); step.Alias != "" && none != "" {
		return aaif.Violation("aaif", aaif.SubagentUnresolved, "8.1-17", at, "%s", none)
	}
	active := len(step.State) > 0
	state := aaif.ReadState(Value(step.State))
	if active {
		if s.Remote == "" && !strings.EqualFold(state.AgentID, s.Agent) {
			return aaif.Violation("aaif", aaif.AgentUnknown, "8.1-17", at, "the checkpoint is of agent %s, and the subagent %s is %s here", aaif.Shown(state.AgentID), aaif.Shown(step.Step), aaif.Shown(s.Agent))
		}
		s.State = Raw(WithoutSubagents(state.Value))
	}
	if err := b.add(Event{Kind: Dispatched, In: path, Step: step.Step, Start: &s}); err != nil {
		return err
	}
	switch {
	case active:
		return b.thread(path, state, at)
	case step.Dropped:
		return b.add(Event{Kind: Cancelled, In: path, Text: step.Text})
	case step.Code != "":
		return b.add(Event{Kind: Failed, In: path, Code: step.Code, Text: step.Text, Step: step.Step, Retry: new(int)})
	case step.Place > 0:
		return b.add(Event{Kind: Completed, In: path, Text: step.Output})
	}
	return nil
}

// WithoutSubagents returns a checkpoint without those that it holds of subagents. The journal
// of a restored run has these where the subagents begin.
func WithoutSubagents(state canon.Value) canon.Value {
	own := state.Get(extension)
	if !own.Has("subagents") {
		return state
	}
	return state.With(extension, own.Without("subagents"))
}

// steps returns the steps of a team by a checkpoint. The one of this platform says all of them
// in order; that of another one has summaries and a place in the pipeline.
func (b *restorer) steps(in string, d aaif.Definition, s aaif.State, at string) ([]checkpointStep, error) {
	own := s.Value.Get(extension).Get("subagents")
	if own.Type() != canon.TypeArray {
		return b.foreign(in, d, s, at)
	}
	var steps []checkpointStep
	if err := json.Unmarshal(own.AppendCanonical(nil), &steps); err != nil {
		return nil, aaif.Violation("aaif", aaif.WrongForm, "8.1-17", at+"/"+extension+"/subagents", "the steps cannot be read: %v", err)
	}
	slices.SortStableFunc(steps, func(a, b checkpointStep) int { return cmp.Compare(a.rank(), b.rank()) })
	return steps, nil
}

// rank orders steps so that those that ended come first, in the order of their results.
func (s checkpointStep) rank() int {
	if s.Place > 0 {
		return s.Place
	}
	return 1 << 30
}

// foreign returns the steps by the members of the format. A subagent that works needs its own
// checkpoint: without it nobody knows what it has done.
func (b *restorer) foreign(in string, d aaif.Definition, s aaif.State, at string) ([]checkpointStep, error) {
	t := b.run.Of(in)
	var steps []checkpointStep
	known := map[string]checkpointStep{}
	for i, one := range s.Subagents {
		step := checkpointStep{Place: i + 1}
		step.Step, step.Alias = topology.StepOf(d, one.Alias)
		switch aaif.RunStatus(one.Status) {
		case aaif.Completed:
			step.Output = said(one.Output)
		case aaif.Failed:
			step.Code, step.Text = subagentFailed, "the checkpoint says that the subagent failed"
		case aaif.Running, aaif.Paused:
			state, ok := b.o.State(one.StateID)
			if one.StateID == "" || !ok {
				return nil, aaif.Violation("aaif", aaif.Unresolved, "8.1-17", at+"/subagent_states/"+strconv.Itoa(i)+"/state_id",
					"the subagent %s works, and its own checkpoint is not here: take it in first", aaif.Shown(one.Alias))
			}
			step.State, step.Place = Raw(state), 0
		default:
			continue // it has not begun
		}
		known[step.Step] = step
		steps = append(steps, step)
	}
	if p := s.Position; len(p.Completed)+len(p.Remaining) > 0 || p.Current != "" {
		passed, ok := topology.Passed(d, p)
		if !ok {
			return nil, aaif.Violation("aaif", aaif.WrongState, "8.2-5", at+"/pipeline_position", "is not a place in the pipeline of the definition here")
		}
		steps = inLine(passed, steps, known, t.lastSaid())
	}
	for i := range steps {
		steps[i].Input = inputOf(d, t, steps[:i])
	}
	return steps, nil
}

// subagentFailed is the code of a subagent of which a checkpoint says no more.
const subagentFailed = "SUBAGENT_FAILED"

// inLine returns the steps of a pipeline in its order. Of a completed step without a summary
// nobody knows the output, except of the latest: the agent has said it last.
func inLine(passed []topology.Task, steps []checkpointStep, known map[string]checkpointStep, last string) (all []checkpointStep) {
	for i, task := range passed {
		step, ok := known[task.Step]
		if !ok {
			step = checkpointStep{Step: task.Step, Alias: task.Alias, Place: i + 1, Output: last}
			if i < len(passed)-1 || last == "" {
				step.Output, step.Skipped = "", "it was done before, elsewhere"
			}
		}
		all = append(all, step)
	}
	for _, step := range steps {
		if !slices.ContainsFunc(all, func(one checkpointStep) bool { return one.Step == step.Step }) {
			all = append(all, step)
		}
	}
	return all
}

// inputOf returns what a step got after others: in a pipeline the output before it, and
// otherwise the input of the team.
func inputOf(d aaif.Definition, t *Thread, before []checkpointStep) json.RawMessage {
	input := t.Start.Input
	if len(d.Agent.Orchestration.Pipeline) == 0 {
		return input
	}
	for _, step := range before {
		if step.Skipped == "" && step.Place > 0 && step.Code == "" {
			input = Raw(canon.String(step.Output))
		}
	}
	return input
}

// lastSaid returns what an agent said last in the conversation of a checkpoint.
func (t *Thread) lastSaid() string {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role == "assistant" && m.CallID == "" {
			return m.Content
		}
	}
	return ""
}

// InputOf returns the input of a run by its checkpoint.
func InputOf(state canon.Value) canon.Value {
	if input := state.Get(extension).Get("input"); input.Type() != canon.TypeUndefined {
		return input
	}
	for _, m := range aaif.ReadState(state).Conversation {
		if m.Role == "user" {
			return canon.String(m.Content)
		}
	}
	return canon.Value{}
}
