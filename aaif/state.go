package aaif

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// State is a run at a checkpoint (section 8.1).
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

// Position is the place of a run in its pipeline.
type Position struct {
	Current   string   `aaif:"current_step"`
	Completed []string `aaif:"completed_steps"`
	Remaining []string `aaif:"remaining_steps"`
	Subagent  string   `aaif:"current_subagent"`
	Slot      *int     `aaif:"parallel_slot"` // from 0
	Value     canon.Value
}

// Message is a message of a conversation. A tool call is a message of the assistant with
// the arguments as content (decision R27).
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

// PendingCall is a tool call without a result.
type PendingCall struct {
	ID          string      `aaif:"id!"`
	Tool        string      `aaif:"tool_name!"`
	Arguments   canon.Value `aaif:"arguments!"`
	Status      CallStatus  `aaif:"status"`
	SubmittedAt time.Time   `aaif:"submitted_at"`
	Callback    string      `aaif:"callback_url"`
	Value       canon.Value
}

// SubagentState is the progress of a subagent.
type SubagentState struct {
	Alias   string      `aaif:"alias!"`
	AgentID string      `aaif:"agent_id!"`
	StateID string      `aaif:"state_id"`
	Status  string      `aaif:"status"` // pending, running, paused, completed, failed
	Output  canon.Value `aaif:"output"`
	Value   canon.Value
}

// Approval is a question to a person.
type Approval struct {
	Trigger     string    `aaif:"trigger_description"`
	Action      Action    `aaif:"pending_action"`
	RequestedAt time.Time `aaif:"requested_at"`
	TimeoutAt   time.Time `aaif:"timeout_at"`
	Approver    string    `aaif:"approver_hint"`
	Value       canon.Value
}

// Action is the call that waits for approval.
type Action struct {
	Tool      string      `aaif:"tool_name"`
	Arguments canon.Value `aaif:"arguments"`
	Value     canon.Value
}

// RunError says why a run failed.
type RunError struct {
	Code       string    `aaif:"code"`
	Message    string    `aaif:"message"`
	Step       string    `aaif:"step"`
	OccurredAt time.Time `aaif:"occurred_at"`
	Retries    *int      `aaif:"retries_remaining"`
	StackTrace string    `aaif:"stack_trace"` // never leaves the platform
	Value      canon.Value
}

// StateProvenance says where a checkpoint comes from, and which platform it is for.
type StateProvenance struct {
	SourcePlatform string `aaif:"source_platform"`
	SourceVersion  string `aaif:"source_runtime_version"`
	CapturedBy     string `aaif:"captured_by"`
	TargetPlatform string `aaif:"target_platform"`
	Token          string `aaif:"migration_token"`
	Checksum       string `aaif:"checksum"` // SHA-256 in lower-case hex, see [Checksum]
	Value          canon.Value
}

// ReadState reads a state. Members that cannot be read count as absent.
func ReadState(v canon.Value) State { return view[State](v) }

// Document returns the state as a document. It does not recompute the checksum.
func (s State) Document() canon.Value { return document(s) }

// Below returns the checkpoints of subagents that a checkpoint of this platform holds, and those
// that these hold. Others send them by themselves.
func (s State) Below() (all []State) {
	for _, step := range s.Value.Get("x-satchel").Get("subagents").Items() {
		if v := step.Get("state"); v.Type() == canon.TypeObject {
			one := ReadState(v)
			all = append(append(all, one), one.Below()...)
		}
	}
	return all
}

// OfOtherVersion returns a violation if the state was captured under another version of its
// agent than that of a definition under which the run is to go on, nil if it was not. It is a
// warning, except for another major version of an agent that is strict (AAIF-8.1-3).
func (s State) OfOtherVersion(d Definition) *codec.ParseError {
	was, is := s.AgentVersion, d.Agent.Version
	if was == "" || was == is {
		return nil
	}
	p := fault(VersionUnsupported, "8.1-3", "/agent_version", "the state is of version %q of its agent, and the definition here of version %q", Shown(was), Shown(is))
	p.Warning = !d.Agent.Compliance.Safety.IsStrict() || versionForm.MatchString(was) && versionForm.MatchString(is) && majorOf(was) == majorOf(is)
	return p
}

func majorOf(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}

// CanBecome reports whether a run may change from one status to another (AAIF-8.1-6).
// Running and paused alternate. A running run may wait for an approval or a tool result.
// Running and paused runs may migrate. Completed and failed are final. A run that did not
// arrive at its destination becomes paused again. Staying in a status is no change.
func (s RunStatus) CanBecome(next RunStatus) bool { return slices.Contains(s.next(), next) }

// Ended reports whether a status is final.
func (s RunStatus) Ended() bool { return s == Completed || s == Failed }

func (s RunStatus) next() []RunStatus {
	switch s {
	case Running:
		return []RunStatus{Paused, AwaitingApproval, AwaitingToolResult, Migrating, Completed, Failed}
	case Paused:
		return []RunStatus{Running, Migrating}
	case AwaitingApproval, AwaitingToolResult:
		return []RunStatus{Running, Failed}
	case Migrating:
		return []RunStatus{Completed, Paused}
	}
	return nil
}

// Transition refuses a change that [RunStatus.CanBecome] does not allow.
func Transition(from, to RunStatus) error {
	if from.CanBecome(to) {
		return nil
	}
	return fault(StateTransition, "8.1-6", "/status", "a run in this state cannot become what was asked")
}
