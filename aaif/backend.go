package aaif

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Backend keeps agents and their states for a binding. Failures of documents are joined
// [*codec.ParseError] values with [*Fault] causes, in the order in which they were found.
// Every other failure is a [*memory.Error]. A Backend is safe for concurrent use.
type Backend interface {
	// Manifest returns the platform manifest, which lists only capabilities in force.
	Manifest(ctx context.Context) (Manifest, error)
	// Report returns the conformance report.
	Report(ctx context.Context) (Report, error)
	// Intake validates a definition, verifies its signature, looks for secrets, negotiates,
	// and keeps the definition. It keeps nothing of a definition that fails. The latest
	// arrival is the newest revision. A definition equal to the newest in canonical form
	// changes nothing. A definition that the platform could keep, but not run, fails with
	// [*NotRunnableError].
	Intake(ctx context.Context, c memory.Caller, raw []byte, o IntakeOptions) (Receipt, error)
	// Agents yields the newest revision of every agent, ordered by id, beginning with the
	// first id greater than after. It yields at most limit agents, and fewer only if
	// there are no more. A limit of 0, or above [MostListed], means MostListed.
	Agents(ctx context.Context, c memory.Caller, after string, limit int) ([]KeptAgent, error)
	// Agent returns one revision of an agent; 0 is the newest.
	Agent(ctx context.Context, c memory.Caller, agentID string, revision int) (KeptAgent, error)
	// Admit verifies a migration token before its state is read: signature, times, audience,
	// single use, and the bindings that the claim names. It does not spend the token.
	Admit(ctx context.Context, c memory.Caller, token string, b Binding) error
	// Receive checks a state's checksum, token, binding and agent, in this order, and
	// keeps the state. The transaction that keeps the state spends the token. If a check
	// fails, Receive keeps nothing and spends no token.
	Receive(ctx context.Context, c memory.Caller, state canon.Value) (KeptState, error)
	// Confirm records that the sender of a state has been told that it arrived. Until then the
	// sender may go on with its run, and no run starts from the state (AAIF-8.2-7).
	Confirm(ctx context.Context, c memory.Caller, stateID string) error
	// States yields the checkpoints after a place, newest first, and by descending id
	// within one instant. An empty agentID means all agents. limit works as in Agents.
	States(ctx context.Context, c memory.Caller, agentID string, after Place, limit int) ([]KeptState, error)
	// State returns a checkpoint as it arrived, except the parts that its agent's policy
	// forbids the platform to keep (AAIF-12-10). It writes this to the audit log.
	State(ctx context.Context, c memory.Caller, stateID string) (KeptState, error)
	// RemoveAgent removes an agent for good, with every revision of its definition and
	// every checkpoint. Only the owner in person may do so. Spent migration tokens stay
	// spent.
	RemoveAgent(ctx context.Context, c memory.Caller, agentID string) (Removal, error)
	// RemoveState removes a checkpoint for good. Only the owner in person may do so.
	RemoveState(ctx context.Context, c memory.Caller, stateID string) (Removal, error)
}

// The most bytes that a document may have, from any source.
const (
	MaxDefinition = 1 << 20
	MaxState      = 4 << 20
)

// MostListed is the most items that one answer of a [Backend] lists.
const MostListed = 1000

// Place is the place of a checkpoint in a list. The zero Place precedes the first.
type Place struct {
	CheckpointAt time.Time
	StateID      string
}

// Removal counts what was removed.
type Removal struct {
	Revisions int // revisions of definitions
	States    int
	Pending   bool // traces may remain in the files for a while
}

// NotRunnableError refuses a definition whose agent the platform cannot run. The platform
// keeps it nevertheless if asked to, see [IntakeOptions]. The binding tells the user how
// to ask.
type NotRunnableError struct {
	Err error // why the agent cannot run
}

// Error says why the agent cannot run.
func (k *NotRunnableError) Error() string { return k.Err.Error() }

// Unwrap returns the refusal.
func (k *NotRunnableError) Unwrap() error { return k.Err }

// IntakeOptions say how strict an intake is. The zero IntakeOptions suit definitions from
// strangers.
type IntakeOptions struct {
	Deprecated bool // accepts deprecated agents
	DryRun     bool // does everything but keep the definition
	// Keep keeps a definition even if the platform cannot run its agent, so that the
	// owner can carry it on. The receipt and every list name what is lacking; the agent
	// never looks runnable (AAIF-7-12).
	Keep bool
	// Replace lets a definition replace one with another signer or none: the owner in
	// person has seen both. No binding sets it for others.
	Replace bool
}

// Receipt is the result of an intake (AAIF-7-16).
type Receipt struct {
	Kept        KeptAgent
	Level       []Level // the highest levels that the definition reaches (section 6)
	Negotiation Negotiation
	Warnings    []string
	Disabled    []string // features that are off on this platform
	Unchanged   bool     // the platform had this definition already
}

// KeptAgent is a definition as a platform keeps it.
type KeptAgent struct {
	AgentID  string // UUID; the platform assigns one if the document has none
	Revision int    // counts the definitions under the id, from 1
	Version  string // agent.version; empty: none
	Name     string
	Status   Status
	Digest   string // SHA-256 of the canonical document, lower-case hex
	Signer   memory.DID
	Received time.Time
	// CannotRun says in lines of text why the platform, as configured now, cannot run the
	// agent; empty: it can.
	CannotRun []string
	Off       []string    // capabilities that the agent would do without, as the platform is configured now
	Document  canon.Value // zero in lists
}

// Binding is what a sender says about a state before sending it (section 8.3).
type Binding struct {
	StateID, AgentID, RunID string
	Audience                string // the receiver; empty: any
}

// KeptState is a state as a platform keeps it.
type KeptState struct {
	StateID, AgentID, RunID string
	Status                  RunStatus
	Source                  string // provenance.source_platform
	CheckpointAt, Received  time.Time
	Left                    Departure
	Warnings                []string
	Document                canon.Value // zero in lists
}

// Departure says for which platform a kept state got a migration token; the zero
// Departure means none. A platform that has confirmed the state goes on with the run
// (AAIF-8.2-1).
type Departure struct {
	At  time.Time
	For string // the name of the platform
	To  string // the address of the platform that has the state; empty: unknown
}

// Place returns the state's place in a list.
func (l KeptState) Place() Place { return Place{l.CheckpointAt, l.StateID} }
