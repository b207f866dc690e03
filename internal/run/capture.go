package run

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// CaptureOptions say where, when and by whom a checkpoint is made.
type CaptureOptions struct {
	StateID  string // a new UUID (AAIF-8.1-2); those of subagents are made of it
	At       time.Time
	Version  string // of the definition
	Platform string
	Release  string
	By       string
	Memory   []aaif.MemoryItem
	// Definition returns the definition of an agent that works in the run; false, or nil: the
	// checkpoint has no place in a pipeline, and no version of the definition.
	Definition func(w Worker) (aaif.Definition, bool)
	// Remembers returns what the agent at work in a subagent's thread remembers; nil: nothing.
	Remembers func(t *Thread) []aaif.MemoryItem
}

// definition returns the definition of an agent; zero if it is not known.
func (o CaptureOptions) definition(w Worker) aaif.Definition {
	if o.Definition == nil {
		return aaif.Definition{}
	}
	d, _ := o.Definition(w)
	return d
}

// Capture returns the run as a checkpoint with its checksum (section 8.1). A running run
// is captured as paused: the platform that restores it resumes it. The checkpoint holds those
// of subagents that have not ended (AAIF-8.1-17).
func (r *Run) Capture(o CaptureOptions) canon.Value {
	s, own := r.state(&r.Thread, o)
	s.AgentVersion, s.Memory = o.Version, o.Memory
	if ids := r.spentIDs(); len(ids) > 0 {
		own = own.With("ids", canon.Array(ids...))
	}
	return aaif.WithChecksum(s.Document().With(extension, own))
}

// state returns a thread as a checkpoint, and what the format has no member for.
func (r *Run) state(t *Thread, o CaptureOptions) (aaif.State, canon.Value) {
	iteration := t.Iteration
	s := aaif.State{
		Standard: aaif.StandardID, ID: o.StateID, AgentID: agentID(t.Start), RunID: r.ID, CheckpointAt: o.At,
		Status: t.Status, Iteration: &iteration, Conversation: t.Messages, Variables: t.Variables,
		Error:      t.Err,
		Provenance: aaif.StateProvenance{SourcePlatform: o.Platform, SourceVersion: o.Release, CapturedBy: o.By},
	}
	if s.Status == aaif.AwaitingApproval && !t.asks() {
		s.Status = aaif.Paused // a subagent waits for a person, and its own checkpoint says for what
	}
	for _, c := range t.Calls {
		s.Pending = append(s.Pending, c.pending())
		if c.Stage == Asking {
			s.Status = aaif.AwaitingApproval
			s.Approval = &aaif.Approval{Trigger: c.Why, Action: aaif.Action{Tool: c.Tool, Arguments: c.Arguments}, RequestedAt: c.AskedAt, TimeoutAt: c.Until}
		}
	}
	if s.Status == aaif.Running || s.Status == aaif.AwaitingToolResult {
		s.Status = aaif.Paused
	}
	own := t.extension()
	if of := t.Start.Trace.Root.String(); of != "" {
		own = own.With("trace", canon.String(of))
	}
	if t.Worker().Leads {
		var steps []canon.Value
		so, _ := r.outcomes(t)
		s.Position = topology.Position(o.definition(t.Worker()), so)
		s.Subagents, steps = r.subagents(t, o)
		own = own.With("subagents", canon.Array(steps...))
	}
	return s, own
}

// extension returns what a checkpoint of a thread says besides the members of the format.
func (t *Thread) extension() canon.Value {
	own := canon.Object(
		canon.Member{Name: "active_seconds", Value: canon.Number(t.Active.Seconds())},
		canon.Member{Name: "input_tokens", Value: canon.Int(int64(t.Usage.Input))},
		canon.Member{Name: "output_tokens", Value: canon.Int(int64(t.Usage.Output))},
		canon.Member{Name: "usd", Value: canon.Number(t.Usage.USD)},
		canon.Member{Name: "unpriced", Value: canon.Bool(t.Usage.Unpriced)},
		canon.Member{Name: "input", Value: Value(t.Start.Input)},
	)
	if len(t.carry) > 0 {
		var all []canon.Member
		for _, id := range slices.Sorted(maps.Keys(t.carry)) {
			all = append(all, canon.Member{Name: id, Value: t.carry[id]})
		}
		own = own.With("carry", canon.Object(all...))
	}
	var handed []canon.Value
	for _, w := range t.Agents[min(1, len(t.Agents)):] {
		handed = append(handed, canon.String(w.Agent))
	}
	if len(handed) > 0 {
		own = own.With("handed", canon.Array(handed...))
	}
	return own
}

// pending returns a call as a checkpoint has it.
func (c Call) pending() aaif.PendingCall {
	p := aaif.PendingCall{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Status: aaif.CallPending}
	if c.Stage == InFlight {
		p.Status, p.SubmittedAt = aaif.CallInFlight, c.SentAt
	}
	return p
}

// Key returns the idempotency key of a call. It is the same on every platform and at every
// repetition.
func (r *Run) Key(c Call) string {
	sum := sha256.Sum256([]byte("satchel run call 1\x00" + r.ID + "\x00" + c.ID + "\x00" + policy.Digest(c.Tool, c.Arguments)))
	return hex.EncodeToString(sum[:16])
}
