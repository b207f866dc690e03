package run

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
	"github.com/satchel-memory/satchel/text/pattern"
)

// checkpointStep is a step of a team in a checkpoint, with what its summary among the
// subagent_states has no member for. Steps stand in the order in which they began.
type checkpointStep struct {
	Step    string          `json:"step"`
	Alias   string          `json:"alias,omitempty"` // empty: the agent's own part in the work of its team
	Input   json.RawMessage `json:"input,omitempty"`
	Merge   bool            `json:"merge,omitempty"`
	Skipped string          `json:"skipped,omitempty"` // why
	Place   int             `json:"place,omitempty"`   // among the steps that ended, from 1
	Output  string          `json:"output,omitempty"`
	Code    string          `json:"code,omitempty"`
	Text    string          `json:"text,omitempty"`
	Dropped bool            `json:"dropped,omitempty"` // it was cancelled
	State   json.RawMessage `json:"state,omitempty"`   // the checkpoint of a step that has not ended
}

// subagents returns the summaries of the subagents of the agent at work in a thread, and the
// steps at which they work.
func (r *Run) subagents(t *Thread, o CaptureOptions) (summaries []aaif.SubagentState, steps []canon.Value) {
	d := o.definition(t.Worker())
	children := r.children(t)
	inOrder := slices.Clone(children)
	slices.SortFunc(inOrder, func(a, b *Thread) int { return int(a.began - b.began) })
	places := map[string]int{}
	so, ended := r.outcomes(t)
	for i, one := range so[:ended] {
		places[one.Step] = i + 1
	}
	for _, c := range inOrder {
		step := checkpointStep{Step: c.Start.Step, Alias: c.Start.Alias, Input: c.Start.Input, Merge: c.Start.Merge, Skipped: c.Skipped, Place: places[c.Start.Step], Output: c.Output, Dropped: c.Dropped}
		if c.Err != nil {
			step.Code, step.Text = c.Err.Code, c.Err.Message
		}
		if c.Skipped == "" {
			summary := aaif.SubagentState{Alias: topology.NameOf(d, c.Start.Step, c.Start.Alias), AgentID: agentID(c.Start), Status: statusOf(c)}
			switch {
			case c.Status == aaif.Completed:
				summary.Output = canon.String(c.Output)
			case !c.Status.Ended():
				below := o
				below.StateID = derived(o.StateID, c.Start.Step)
				s, own := r.state(c, below)
				if o.Remembers != nil {
					s.Memory = o.Remembers(c)
				}
				if len(c.Agents) > 0 {
					s.AgentVersion = o.definition(c.Agents[0]).Agent.Version
				}
				summary.StateID, step.State = s.ID, Raw(aaif.WithChecksum(s.Document().With(extension, own)))
			}
			summaries = append(summaries, summary)
		}
		steps = append(steps, step.value())
	}
	return summaries, steps
}

// spentIDs returns the ids of calls that are in no conversation of the checkpoint. No later call
// of the run may have one of them: it would have the idempotency key of another call.
func (r *Run) spentIDs() (all []canon.Value) {
	spent := maps.Clone(r.ids)
	for t := range r.All() {
		if t.In == "" || !t.Status.Ended() {
			for _, m := range t.Messages {
				delete(spent, m.CallID)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(spent)) {
		all = append(all, canon.String(id))
	}
	return all
}

func (s checkpointStep) value() canon.Value {
	raw, err := json.Marshal(s)
	if err != nil {
		return canon.Value{} // texts and JSON are always written
	}
	return Value(raw)
}

// statusOf returns the status of a subagent in its summary.
func statusOf(t *Thread) string {
	switch t.Status {
	case aaif.Completed, aaif.Failed, aaif.Running:
		return string(t.Status)
	case aaif.AwaitingToolResult:
		return string(aaif.Running)
	}
	return string(aaif.Paused)
}

// uuidForm is the form of agent ids.
var uuidForm = pattern.New(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// agentID returns the agent_id of an agent. That of an agent elsewhere, which has none, is made
// of its address.
func agentID(s Start) string {
	if s.Remote == "" || uuidForm.MatchString(s.Agent) {
		return s.Agent
	}
	return derived(s.Remote, "")
}

// derived returns a UUID that is made of two texts.
func derived(of, name string) string {
	return aaif.DerivedID("satchel derived id 1\x00" + of + "\x00" + name)
}
