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
)

// CaptureOptions say where, when and by whom a checkpoint is made.
type CaptureOptions struct {
	StateID  string // a new UUID (AAIF-8.1-2)
	At       time.Time
	Version  string // of the definition
	Platform string
	Release  string
	By       string
	Memory   []aaif.MemoryItem
}

// Capture returns the run as a checkpoint with its checksum (section 8.1). A running run
// is captured as paused: the platform that restores it resumes it.
func (r *Run) Capture(o CaptureOptions) canon.Value {
	iteration := r.Iteration
	s := aaif.State{
		Standard: aaif.StandardID, ID: o.StateID, AgentID: r.Start.Agent, RunID: r.ID, AgentVersion: o.Version, CheckpointAt: o.At,
		Status: r.Status, Iteration: &iteration, Conversation: r.Messages, Memory: o.Memory, Variables: r.Variables,
		Error:      r.Err,
		Provenance: aaif.StateProvenance{SourcePlatform: o.Platform, SourceVersion: o.Release, CapturedBy: o.By},
	}
	for _, c := range r.Calls {
		s.Pending = append(s.Pending, c.pending())
		if c.Stage == Asking {
			s.Status = aaif.AwaitingApproval
			s.Approval = &aaif.Approval{Trigger: c.Why, Action: aaif.Action{Tool: c.Tool, Arguments: c.Arguments}, RequestedAt: c.AskedAt, TimeoutAt: c.Until}
		}
	}
	if s.Status == aaif.Running || s.Status == aaif.AwaitingToolResult {
		s.Status = aaif.Paused
	}
	used := canon.Object(
		canon.Member{Name: "active_seconds", Value: canon.Number(r.Active.Seconds())},
		canon.Member{Name: "input_tokens", Value: canon.Int(int64(r.Usage.Input))},
		canon.Member{Name: "output_tokens", Value: canon.Int(int64(r.Usage.Output))},
		canon.Member{Name: "usd", Value: canon.Number(r.Usage.USD)},
		canon.Member{Name: "unpriced", Value: canon.Bool(r.Usage.Unpriced)},
	)
	if of := r.Start.Trace.Root.String(); of != "" {
		used = used.With("trace", canon.String(of))
	}
	if len(r.carry) > 0 {
		var all []canon.Member
		for _, id := range slices.Sorted(maps.Keys(r.carry)) {
			all = append(all, canon.Member{Name: id, Value: r.carry[id]})
		}
		used = used.With("carry", canon.Object(all...))
	}
	return aaif.WithChecksum(s.Document().With(extension, used))
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
