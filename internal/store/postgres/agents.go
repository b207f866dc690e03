package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

var (
	agentsTable = tableOf("agents")
	statesTable = tableOf("states")
	spentTable  = tableOf("spent")
)

var agentsSQL = &stored.AgentsSQL{
	Agent: agentsTable.row, Newest: selectNewest, Digest: selectDigest, Came: selectCame, DropAgent: deleteAgent, DropNewest: deleteNewest,
	State: statesTable.row, ListSQL: stored.ListSQL{Latest: selectLatest, Later: selectLater, LatestOf: selectLatestOf, LaterOf: selectLaterOf}, DropState: deleteState,
	Spent: selectSpent, DropPast: deleteSpent, DropSpent: deleteToken,
}

var (
	selectAgents = `SELECT ` + agentsTable.list + ` FROM agents WHERE owner = $1`
	selectNewest = selectAgents + ` AND by_id = $2 ORDER BY revision DESC LIMIT 1`
	selectDigest = selectAgents + ` AND by_id = $2 AND digest = $3 ORDER BY revision DESC LIMIT 1`
	selectCame   = selectAgents + ` AND came = $2 ORDER BY by_id DESC, revision DESC LIMIT 1`

	selectCheckpoints = `SELECT ` + statesTable.list + ` FROM states WHERE owner = $1`
	selectLatest      = selectCheckpoints + ` ORDER BY checkpoint DESC, by_id DESC LIMIT $2`
	selectLater       = selectCheckpoints + ` AND (checkpoint, by_id) < ($2, $3) ORDER BY checkpoint DESC, by_id DESC LIMIT $4`
	selectLatestOf    = selectCheckpoints + ` AND by_agent = $2 ORDER BY checkpoint DESC, by_id DESC LIMIT $3`
	selectLaterOf     = selectCheckpoints + ` AND by_agent = $2 AND (checkpoint, by_id) < ($3, $4) ORDER BY checkpoint DESC, by_id DESC LIMIT $5`

	selectSpent = `SELECT ` + spentTable.list + ` FROM spent WHERE owner = $1 AND until >= $2 ORDER BY by_issuer, by_jti`
)

const (
	selectNextAgent = `SELECT id FROM agents WHERE owner = $1 AND by_id > $2 ORDER BY by_id LIMIT 1`
	selectStateKeys = `SELECT id, agent FROM states WHERE owner = $1 AND by_id > $2 ORDER BY by_id LIMIT $3`

	deleteAgent  = `DELETE FROM agents WHERE owner = $1 AND by_id = $2 AND revision = $3 RETURNING seal, octet_length(document)`
	deleteNewest = `DELETE FROM agents WHERE owner = $1 AND by_id = $2 AND revision =
		(SELECT revision FROM agents WHERE owner = $1 AND by_id = $2 ORDER BY revision DESC LIMIT 1) RETURNING seal, octet_length(document)`
	deleteState = `DELETE FROM states WHERE owner = $1 AND by_id = $2 RETURNING seal, octet_length(document)`
	deleteSpent = `DELETE FROM spent WHERE owner = $1 AND until < $2 RETURNING seal`
	deleteToken = `DELETE FROM spent WHERE owner = $1 AND by_issuer = $2 AND by_jti = $3 RETURNING seal`
)

// agents implements [store.Agents].
type agents struct {
	stored.Agents
	x *ownerTx
}

var _ store.Agents = agents{}

func newAgents(x *ownerTx) agents { return agents{stored.NewAgents(x, agentsSQL), x} }

// AgentList reads one id after the other; the index yields them in order.
func (a agents) AgentList(after string, max int) ([]store.Agent, error) {
	var found []store.Agent
	for len(found) < max {
		id, err := a.next(after)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		after = id
		agent, err := a.Agent(id, 0)
		if errors.Is(err, store.ErrAltered) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, agent)
	}
	return found, a.x.Ready()
}

// AgentIDs reads one id after the other.
func (a agents) AgentIDs(after string, max int) (found []string, err error) {
	for len(found) < max {
		id, err := a.next(after)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		after = id
		found = append(found, id)
	}
	return found, a.x.Ready()
}

func (a agents) next(after string) (string, error) {
	var id []byte
	err := a.x.first(selectNextAgent, []any{short(after)}, &id)
	return string(id), err
}

// StateKeys reads the keys only.
func (a agents) StateKeys(after string, most int) (found []store.StateKey, err error) {
	err = a.x.each(selectStateKeys, []any{short(after), max(most, 0)}, func(rows pgx.Rows) error {
		var id, agent []byte
		err := rows.Scan(&id, &agent)
		found = append(found, store.StateKey{ID: string(id), Agent: string(agent)})
		return err
	})
	return found, err
}
