package aaif

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// State is a run as it stood at a checkpoint (section 8.1).
type State struct {
	Standard     string          `aaif:"sc_standard!"`
	Version      string          `aaif:"sc_version=3.0.0"`
	ID           string          `aaif:"state_id!"`
	AgentID      string          `aaif:"agent_id!"`
	RunID        string          `aaif:"run_id"`
	AgentVersion string          `aaif:"agent_version"`
	CheckpointAt time.Time       `aaif:"checkpoint_at!"`
	Status       RunStatus       `aaif:"status!"`
	Iteration    *int            `aaif:"iteration"`
	Position     Position        `aaif:"pipeline_position"`
	Conversation []Message       `aaif:"conversation"`
	Memory       []MemoryItem    `aaif:"memory_snapshot"`
	Pending      []PendingCall   `aaif:"pending_tool_calls"`
	Subagents    []SubagentState `aaif:"subagent_states"`
	Variables    canon.Value     `aaif:"variables"`
	Approval     *Approval       `aaif:"approval_request"` // while the status is awaiting_approval
	Error        *RunError       `aaif:"error"`            // once the status is failed
	Provenance   StateProvenance `aaif:"provenance"`
	Value        canon.Value
}

// Position is where in its pipeline a run stood.
type Position struct {
	Current   string   `aaif:"current_step"`
	Completed []string `aaif:"completed_steps"`
	Remaining []string `aaif:"remaining_steps"`
	Subagent  string   `aaif:"current_subagent"`
	Slot      *int     `aaif:"parallel_slot"` // from 0
	Value     canon.Value
}

// Message is one of a conversation. A call of a tool is one of the assistant whose
// content is its arguments (decision R27).
type Message struct {
	Role      string    `aaif:"role!"` // system, user, assistant, tool
	Content   string    `aaif:"content!"`
	CallID    string    `aaif:"tool_call_id"`
	Tool      string    `aaif:"tool_name"`
	Tokens    int       `aaif:"token_count"`
	Timestamp time.Time `aaif:"timestamp"`
	Value     canon.Value
}

// MemoryItem is one item of memory, without its vector.
type MemoryItem struct {
	Scope      Scope     `aaif:"scope!"`
	Key        string    `aaif:"key!"`
	Content    string    `aaif:"content!"`
	Backend    string    `aaif:"backend"`
	CapturedAt time.Time `aaif:"captured_at"`
	TTL        int       `aaif:"ttl_remaining_seconds"` // 0: it never expires (decision R34)
	Value      canon.Value
}

// PendingCall is a call of a tool without a result.
type PendingCall struct {
	ID          string      `aaif:"id!"`
	Tool        string      `aaif:"tool_name!"`
	Arguments   canon.Value `aaif:"arguments!"`
	Status      CallStatus  `aaif:"status"`
	SubmittedAt time.Time   `aaif:"submitted_at"`
	Callback    string      `aaif:"callback_url"`
	Value       canon.Value
}

// SubagentState is how far a subagent was.
type SubagentState struct {
	Alias   string      `aaif:"alias!"`
	AgentID string      `aaif:"agent_id!"`
	StateID string      `aaif:"state_id"`
	Status  string      `aaif:"status"` // pending, running, paused, completed, failed
	Output  canon.Value `aaif:"output"`
	Value   canon.Value
}

// Approval is what a person was asked.
type Approval struct {
	Trigger     string    `aaif:"trigger_description"`
	Action      Action    `aaif:"pending_action"`
	RequestedAt time.Time `aaif:"requested_at"`
	TimeoutAt   time.Time `aaif:"timeout_at"`
	Approver    string    `aaif:"approver_hint"`
	Value       canon.Value
}

// Action is the call that waits for an approval.
type Action struct {
	Tool      string      `aaif:"tool_name"`
	Arguments canon.Value `aaif:"arguments"`
	Value     canon.Value
}

// RunError is why a run failed.
type RunError struct {
	Code       string    `aaif:"code"`
	Message    string    `aaif:"message"`
	Step       string    `aaif:"step"`
	OccurredAt time.Time `aaif:"occurred_at"`
	Retries    *int      `aaif:"retries_remaining"`
	StackTrace string    `aaif:"stack_trace"` // stays at home
	Value      canon.Value
}

// StateProvenance says where a checkpoint comes from, and for whom it is.
type StateProvenance struct {
	SourcePlatform string `aaif:"source_platform"`
	SourceVersion  string `aaif:"source_runtime_version"`
	CapturedBy     string `aaif:"captured_by"`
	TargetPlatform string `aaif:"target_platform"`
	Token          string `aaif:"migration_token"`
	Checksum       string `aaif:"checksum"` // SHA-256 in lower-case hex, see [Checksum]
	Value          canon.Value
}

// ReadState reads a state as far as it can be read.
func ReadState(v canon.Value) State { return view[State](v) }

// Document returns the state as it is written. Its checksum is not computed anew.
func (s State) Document() canon.Value { return document(s) }
