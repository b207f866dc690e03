package store

import "time"

// Agent is one stored revision of an agent's definition (AAIF section 4).
type Agent struct {
	ID       string // of the agent; the same for all revisions
	Revision int64  // counts the revisions under the id, from 1
	Digest   string // of Document, in hexadecimal digits
	Came     string // of the document before it got an id
	Version  string
	Name     string
	Status   string
	Signer   string // the signer; empty: none, or unknown
	Received time.Time
	Document []byte
}

// State is a stored checkpoint of an agent (AAIF section 8).
type State struct {
	ID         string
	Agent, Run string
	Status     string
	Source     string // the platform it came from
	Checkpoint time.Time
	Received   time.Time
	Departed   Departure
	Document   []byte
}

// Departure records that a checkpoint got a migration token, and for whom; the zero
// Departed: it got none. An unused token expires soon; a checkpoint that arrived elsewhere
// is there.
type Departure struct {
	At time.Time // of the token, or of the arrival
	// For is the name of the token's platform.
	For string
	// To is the address of the platform that has confirmed the checkpoint; empty: no
	// platform has.
	To string
}

// Place returns a checkpoint's place in lists.
func (s State) Place() StatePlace { return StatePlace{s.Checkpoint, s.ID} }

// StatePlace is a checkpoint's place in lists. The newest come first; at the same instant
// the greatest id does. The zero StatePlace is before the first.
type StatePlace struct {
	Checkpoint time.Time
	ID         string
}

// StateKey names a checkpoint and its agent.
type StateKey struct{ ID, Agent string }

// Spent is a used single-use token.
type Spent struct {
	Issuer, JTI string
	Until       time.Time // after this nobody accepts the token anyway
}

// Agents finds agents' definitions and their checkpoints. Times have the resolution of a
// microsecond and come back in UTC. A row that was changed outside of the store fails with
// ErrAltered, and lists leave it out, as far as the store can tell, see Records.Altered.
type Agents interface {
	// Agent returns a revision of an agent, 0: the newest, or ErrNotFound.
	Agent(id string, revision int64) (Agent, error)
	// AgentAs returns the newest revision of an agent whose Digest is digest, or
	// ErrNotFound. Without an id, it returns the revision whose Came is digest, of any
	// agent.
	AgentAs(id, digest string) (Agent, error)
	// AgentList returns the newest revisions of at most max agents with ids greater than
	// after, in the bytewise order of their ids; ids with the same first 256 bytes may be
	// in any order. It returns fewer only if there are no more.
	AgentList(after string, max int) ([]Agent, error)
	// AgentIDs returns at most max agents' ids greater than after, in the order of
	// AgentList, those of outside changes included. It fails with ErrAltered if one cannot
	// be an id.
	AgentIDs(after string, max int) ([]string, error)
	// State returns a checkpoint, or ErrNotFound.
	State(id string) (State, error)
	// StateList returns at most max checkpoints of an agent, or of all if agent is empty,
	// after a place and without their documents. It returns fewer only if there are no
	// more.
	StateList(agent string, after StatePlace, max int) ([]State, error)
	// StateKeys is AgentIDs for checkpoints.
	StateKeys(after string, max int) ([]StateKey, error)
	// IsSpent reports whether the store remembers a token as used, even if its row was
	// changed outside of the store.
	IsSpent(issuer, jti string) (bool, error)
	// SpentList returns the tokens whose Until is not before now, in the bytewise order of
	// issuers and ids; those with the same first 256 bytes may be in any order. It includes
	// tokens whose row was changed outside of the store.
	SpentList(now time.Time) ([]Spent, error)
}

// AgentKeeper stores agents' definitions and checkpoints; [Trust.Usage] counts their
// documents. It finds what it has stored.
type AgentKeeper interface {
	Agents
	// PutAgent stores a revision, or fails with ErrExists if its number exists.
	PutAgent(a Agent) error
	// PutState stores a checkpoint, or fails with ErrExists if its id exists.
	PutState(s State) error
	// DropAgent removes a revision, 0: the newest, or fails with ErrNotFound. It also
	// removes rows that were changed outside of the store.
	DropAgent(id string, revision int64) error
	// DropState removes a checkpoint, as DropAgent does a revision.
	DropState(id string) error
	// Spend records a used token. It fails with ErrExists if the token was used before,
	// even if its row was changed outside of the store. It forgets tokens whose Until is
	// before now.
	Spend(t Spent, now time.Time) error
	// Unspend forgets a used token, if it is there.
	Unspend(issuer, jti string) error
}
