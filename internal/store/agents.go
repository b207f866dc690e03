package store

import "time"

// Agent is one revision of a definition of an agent as it is kept (AAIF section 4).
type Agent struct {
	ID       string // of the agent, which no revision changes
	Revision int64  // counts what was taken in under the id, from 1
	Digest   string // of Document, in hexadecimal digits
	Came     string // of the document as it came: another where it had no id
	Version  string
	Name     string
	Status   string
	Signer   string // who signed it; empty: nobody, or nobody known
	Received time.Time
	Document []byte
}

// State is a checkpoint of an agent as it is kept (AAIF section 8).
type State struct {
	ID         string
	Agent, Run string
	Status     string
	Source     string // the platform it came from
	Checkpoint time.Time
	Received   time.Time
	Departed   Departed
	Document   []byte
}

// Departed says that a checkpoint was given a migration token, and for whom; the zero
// Departed: it was not. A token that was not used has expired soon, a checkpoint that
// arrived elsewhere is there.
type Departed struct {
	At time.Time // when, or when it had arrived
	// For is the name of the platform that the token is for.
	For string
	// To is the address of the platform that has confirmed to have the checkpoint; empty:
	// none is known to have it.
	To string
}

// Place returns where a checkpoint stands in lists.
func (s State) Place() StatePlace { return StatePlace{s.Checkpoint, s.ID} }

// StatePlace is where a checkpoint stands in lists: the newest come first, and of those
// of one instant the one whose id is greatest. The zero StatePlace is before the first.
type StatePlace struct {
	Checkpoint time.Time
	ID         string
}

// StateKey says which checkpoint is whose.
type StateKey struct{ ID, Agent string }

// Spent is a token that serves once and has.
type Spent struct {
	Issuer, JTI string
	Until       time.Time // when it would not be taken any more anyhow
}

// Agents finds definitions of agents and their checkpoints. Times have the resolution
// of a microsecond and come back in UTC. What was changed outside of the store fails
// with ErrAltered where one is asked for, and is left out of lists, as far as can be
// told, see Records.Altered.
type Agents interface {
	// Agent returns a revision of an agent, 0: the newest, or ErrNotFound.
	Agent(id string, revision int64) (Agent, error)
	// AgentAs returns the newest revision of an agent whose Digest is digest, or
	// ErrNotFound; without an id, the one that came so, whichever agent's that is.
	AgentAs(id, digest string) (Agent, error)
	// AgentList returns the newest revisions of at most max agents whose ids are
	// greater than after, in the bytewise order of their ids, where those of 256 bytes
	// and more that begin alike may be in any order; fewer only where there are no more.
	AgentList(after string, max int) ([]Agent, error)
	// AgentIDs returns the ids of at most max agents that are greater than after, in
	// the order of AgentList, of what was changed outside of the store, too. It fails with
	// ErrAltered where one cannot be an id.
	AgentIDs(after string, max int) ([]string, error)
	// State returns a checkpoint, or ErrNotFound.
	State(id string) (State, error)
	// StateList returns at most max checkpoints of an agent, or of all where agent is
	// empty, that come after a place, without their documents; fewer only where there
	// are no more.
	StateList(agent string, after StatePlace, max int) ([]State, error)
	// StateKeys is AgentIDs for checkpoints.
	StateKeys(after string, max int) ([]StateKey, error)
	// IsSpent reports whether a token has served and is remembered, even where that
	// row was changed outside of the store.
	IsSpent(issuer, jti string) (bool, error)
	// SpentList returns the tokens that are remembered at a time: whose Until does not
	// lie before it, in the bytewise order of issuers and ids, where those that begin
	// alike for 256 bytes may be in any order. A token whose row was changed outside of
	// the store is among them.
	SpentList(now time.Time) ([]Spent, error)
}

// AgentKeeper files definitions of agents and their checkpoints, which count in
// [Trust.Usage] with their documents. It finds what it has filed.
type AgentKeeper interface {
	Agents
	// PutAgent files a revision, or fails with ErrExists when there is one of that
	// number.
	PutAgent(a Agent) error
	// PutState files a checkpoint, or fails with ErrExists when there is one of that
	// id.
	PutState(s State) error
	// DropAgent removes a revision, 0: the newest, or fails with ErrNotFound. What was
	// changed outside of the store can be removed, too.
	DropAgent(id string, revision int64) error
	// DropState removes a checkpoint, as DropAgent does a revision.
	DropState(id string) error
	// Spend files that a token has served, or fails with ErrExists when it had, even
	// where that row was changed outside of the store. It forgets those whose Until
	// lies before now.
	Spend(t Spent, now time.Time) error
	// Unspend forgets that a token has served, if it had.
	Unspend(issuer, jti string) error
}
