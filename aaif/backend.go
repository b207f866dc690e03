package aaif

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Backend is what a binding asks of whoever keeps agents and their states. Failures of
// documents are [*codec.ParseError] whose causes are [*Fault], in the order in which
// they were found and joined; everything else is a [*memory.Error]. It is safe for
// concurrent use.
type Backend interface {
	// Manifest returns the platform manifest: what is in force, and nothing more.
	Manifest(ctx context.Context) (Manifest, error)
	// Report returns the conformance report.
	Report(ctx context.Context) (Report, error)
	// Intake takes a definition in: validates it, verifies its signature, looks for
	// secrets, negotiates and keeps it. Of one that fails nothing is kept. The definition
	// that came last is the newest revision; one that is the newest already, byte for byte
	// in canonical form, changes nothing. A definition that could be kept if that were
	// asked for fails with [*Keepable].
	Intake(ctx context.Context, c memory.Caller, raw []byte, o IntakeOptions) (Receipt, error)
	// Agents yields the newest revision of every agent, in the order of their ids, from
	// the first whose id is greater than after: at most limit, and fewer only where there
	// are no more. 0, and whatever is greater, is [MostListed].
	Agents(ctx context.Context, c memory.Caller, after string, limit int) ([]Kept, error)
	// Agent returns one revision of an agent; 0 is the newest.
	Agent(ctx context.Context, c memory.Caller, agentID string, revision int) (Kept, error)
	// Admit verifies a migration token for a state that is about to come, before
	// anything else of it is looked at: signature, times, audience, single use, and
	// what of its binding the claim names. It spends nothing.
	Admit(ctx context.Context, c memory.Caller, token string, b Binding) error
	// Receive takes a state in: checksum, token, binding, known agent, in this order,
	// and keeps it. The token is spent in the transaction that keeps the state; of one
	// that fails nothing is kept and no token is spent.
	Receive(ctx context.Context, c memory.Caller, state canon.Value) (Landed, error)
	// States yields the checkpoints of an agent, or of all agents where agentID is
	// empty, that come after a place, the newest first, and those of one instant from the
	// greatest id on. limit is that of Agents.
	States(ctx context.Context, c memory.Caller, agentID string, after Place, limit int) ([]Landed, error)
	// State returns a checkpoint to whoever takes it away, as it came, but for what its
	// agent's policy keeps none of (AAIF-12-10). That is put into the audit log.
	State(ctx context.Context, c memory.Caller, stateID string) (Landed, error)
	// RemoveAgent removes an agent for good: every revision of its definition, and every
	// checkpoint of it. Whoever is not the owner in person may not. Migration tokens that
	// have served stay spent.
	RemoveAgent(ctx context.Context, c memory.Caller, agentID string) (Removal, error)
	// RemoveState removes a checkpoint, as RemoveAgent does an agent.
	RemoveState(ctx context.Context, c memory.Caller, stateID string) (Removal, error)
}

// The most bytes of documents that are taken in, wherever they come from.
const (
	MaxDefinition = 1 << 20
	MaxState      = 4 << 20
)

// MostListed is the most items that one answer of a [Backend] lists.
const MostListed = 1000

// Place is where a checkpoint stands in lists. The zero Place is before the first.
type Place struct {
	CheckpointAt time.Time
	StateID      string
}

// Removal says what was removed.
type Removal struct {
	Revisions int // of definitions
	States    int
	Pending   bool // traces of it may lie in the files for a while
}

// Keepable refuses a definition whose agent the platform cannot run, and which it keeps
// all the same where that is asked for, see [IntakeOptions]. Whoever shows it says how to
// ask.
type Keepable struct {
	Err error // why it cannot be run
}

// Error says why it cannot be run.
func (k *Keepable) Error() string { return k.Err.Error() }

// Unwrap returns the refusal.
func (k *Keepable) Unwrap() error { return k.Err }

// IntakeOptions say how strictly a definition is taken in. The zero IntakeOptions are
// for definitions of strangers.
type IntakeOptions struct {
	Deprecated bool // takes in deprecated agents, too
	DryRun     bool // does everything but keep it
	// Keep keeps a definition too whose agent the platform cannot run, for carrying it
	// on. What is lacking stands in the receipt and in every list; it is never made to
	// look like an agent that runs (AAIF-7-12).
	Keep bool
	// Replace lets a definition take the place of one that is vouched for otherwise: the
	// owner in person has seen both. No binding hands it on for others.
	Replace bool
}

// Receipt says what came of an intake (AAIF-7-16).
type Receipt struct {
	Kept        Kept
	Level       []Level // the highest levels that the definition reaches (section 6)
	Negotiation Negotiation
	Warnings    []string
	Disabled    []string // features that are off here
	Unchanged   bool     // the same definition was here already
}

// Kept is a definition as a platform keeps it.
type Kept struct {
	AgentID  string // UUID; given here where the document had none
	Revision int    // counts what was taken in under the id, from 1
	Version  string // agent.version; empty: none
	Name     string
	Status   Status
	Digest   string // SHA-256 of the canonical document, lower-case hex
	Signer   memory.DID
	Received time.Time
	// CannotRun says line by line why the platform cannot run the agent, by what is in
	// force there now; empty: it can.
	CannotRun []string
	Off       []string    // capabilities that it would go on without there, by what is in force now
	Document  canon.Value // zero in lists
}

// Binding is what a state says about itself before it comes (section 8.3).
type Binding struct {
	StateID, AgentID, RunID string
	Audience                string // who receives; empty: whoever asks
}

// Landed is a state as a platform keeps it.
type Landed struct {
	StateID, AgentID, RunID string
	Status                  RunStatus
	Source                  string // provenance.source_platform
	CheckpointAt, Received  time.Time
	Left                    Departed
	Warnings                []string
	Document                canon.Value // zero in lists
}

// Departed says that a state that is kept was given a migration token, and for which
// platform; the zero Departed: it was not. Whoever has confirmed to have it goes on with
// the run (AAIF-8.2-1).
type Departed struct {
	At  time.Time
	For string // the name of the platform
	To  string // the address of the one that has the state; empty: none is known to
}

// Place returns where it stands in lists.
func (l Landed) Place() Place { return Place{l.CheckpointAt, l.StateID} }
