package stored

import "github.com/satchel-memory/satchel/internal/store"

// Table agents: the definitions of agents, every revision of each.
//
//	owner, id, revision  key
//	digest … received    see [store.Agent]; index agents_came finds what came without an id
//	document             nearly last because it can be large
var agentsTable = Named("agents")

// agentRow returns the columns of table agents for a revision.
func agentRow(a store.Agent) []any {
	return []any{a.ID, a.Revision, a.Digest, a.Came, a.Version, a.Name, a.Status, a.Signer, Micros(a.Received), some(a.Document)}
}

// AgentOf is the inverse of [agentRow]. A column of a wrong type, as after a change outside
// of satchel, becomes empty.
func AgentOf(row []any) store.Agent {
	var a store.Agent
	a.ID, _ = row[0].(string)
	a.Revision, _ = row[1].(int64)
	a.Digest, _ = row[2].(string)
	a.Came, _ = row[3].(string)
	a.Version, _ = row[4].(string)
	a.Name, _ = row[5].(string)
	a.Status, _ = row[6].(string)
	a.Signer, _ = row[7].(string)
	received, _ := row[8].(int64)
	a.Received = Instant(received)
	a.Document, _ = row[9].([]byte)
	return a
}

// AgentsSQL are a store's statements on agents, their checkpoints and tokens. Those that
// delete an agent or a checkpoint return its seal and its document's length.
type AgentsSQL struct {
	ListSQL           // of checkpoints
	Agent      string // selects a revision by id and number
	Newest     string // selects the newest revision by id
	Digest     string // selects the newest revision by id and digest
	Came       string // selects a revision by the digest of the received document
	DropAgent  string // deletes a revision by id and number
	DropNewest string // deletes the newest revision by id
	State      string // selects a checkpoint by id
	DropState  string // deletes a checkpoint by id
	Spent      string // selects the tokens that end at a time or later
	DropPast   string // deletes the tokens that end before a time
	DropSpent  string // deletes a token by issuer and id
}

// Agents finds agents' definitions and their checkpoints. A store adds the lists in its own
// way, and so has a [store.Agents].
type Agents struct {
	tx  Tx
	sql *AgentsSQL
}

// NewAgents returns the agents of the owner of a transaction.
func NewAgents(tx Tx, sql *AgentsSQL) Agents { return Agents{tx, sql} }

// AgentKeeper stores agents' definitions and checkpoints.
type AgentKeeper struct {
	tx  WriteTx
	sql *AgentsSQL
}

// NewAgentKeeper returns the keeper of the agents of an Update's owner.
func NewAgentKeeper(tx WriteTx, sql *AgentsSQL) AgentKeeper { return AgentKeeper{tx, sql} }

// Agent looks a revision up.
func (a Agents) Agent(id string, revision int64) (store.Agent, error) {
	if revision == 0 {
		return a.agent(a.sql.Newest, a.tx.Key(id))
	}
	return a.agent(a.sql.Agent, a.tx.Key(id), revision)
}

// AgentAs looks a revision up by its digest.
func (a Agents) AgentAs(id, digest string) (store.Agent, error) {
	if id == "" {
		return a.agent(a.sql.Came, digest)
	}
	return a.agent(a.sql.Digest, a.tx.Key(id), digest)
}

func (a Agents) agent(query string, args ...any) (store.Agent, error) {
	values, err := intact(a.tx, "agents", query, args...)
	if err != nil {
		return store.Agent{}, err
	}
	return AgentOf(values), nil
}

// PutAgent adds a revision.
func (a AgentKeeper) PutAgent(agent store.Agent) error {
	return putNew(a.tx, agentsTable, agentRow(agent), len(agent.Document))
}

// DropAgent removes a revision.
func (a AgentKeeper) DropAgent(id string, revision int64) error {
	if revision == 0 {
		return dropDocument(a.tx, a.sql.DropNewest, a.tx.Key(id))
	}
	return dropDocument(a.tx, a.sql.DropAgent, a.tx.Key(id), revision)
}

// some returns non-nil bytes, even for none.
func some(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
