package sqlite

import (
	"database/sql"

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
	selectAgents = `SELECT ` + agentsTable.list + ` FROM agents AS a`
	selectNewest = selectAgents + ` WHERE owner = ? AND id = ? ORDER BY revision DESC LIMIT 1`
	selectDigest = selectAgents + ` WHERE owner = ? AND id = ? AND digest = ? ORDER BY revision DESC LIMIT 1`
	selectCame   = selectAgents + ` INDEXED BY agents_came WHERE owner = ? AND came = ? ORDER BY id DESC, revision DESC LIMIT 1`
	selectPage   = selectAgents + ` WHERE owner = ? AND id > ? AND revision =
		(SELECT max(revision) FROM agents AS b WHERE b.owner = a.owner AND b.id = a.id) ORDER BY id LIMIT ?`

	selectStates   = `SELECT ` + statesTable.list + ` FROM states`
	selectLatest   = selectStates + ` INDEXED BY states_checkpoint WHERE owner = ? ORDER BY checkpoint DESC, id DESC LIMIT ?`
	selectLater    = selectStates + ` INDEXED BY states_checkpoint WHERE owner = ? AND (checkpoint, id) < (?, ?) ORDER BY checkpoint DESC, id DESC LIMIT ?`
	selectLatestOf = selectStates + ` INDEXED BY states_agent WHERE owner = ? AND agent = ? ORDER BY checkpoint DESC, id DESC LIMIT ?`
	selectLaterOf  = selectStates + ` INDEXED BY states_agent WHERE owner = ? AND agent = ? AND (checkpoint, id) < (?, ?) ORDER BY checkpoint DESC, id DESC LIMIT ?`

	selectSpent = `SELECT ` + spentTable.list + ` FROM spent WHERE owner = ? AND until >= ? ORDER BY issuer, jti`
)

const (
	selectIDs       = `SELECT DISTINCT id FROM agents WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`
	selectStateKeys = `SELECT id, agent FROM states WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`

	deleteAgent  = `DELETE FROM agents WHERE owner = ? AND id = ? AND revision = ? RETURNING seal, octet_length(document)`
	deleteNewest = `DELETE FROM agents WHERE owner = ?1 AND id = ?2 AND revision = (SELECT max(revision) FROM agents WHERE owner = ?1 AND id = ?2)
		RETURNING seal, octet_length(document)`
	deleteState = `DELETE FROM states WHERE owner = ? AND id = ? RETURNING seal, octet_length(document)`
	deleteSpent = `DELETE FROM spent WHERE owner = ? AND until < ? RETURNING seal`
	deleteToken = `DELETE FROM spent WHERE owner = ? AND issuer = ? AND jti = ? RETURNING seal`
)

// agents implements [store.Agents]. Its lists read keys in the order of the file.
type agents struct {
	stored.Agents
	x *ownerTx
}

var _ store.Agents = agents{}

func newAgents(x *ownerTx) agents { return agents{stored.NewAgents(x, agentsSQL), x} }

// AgentList reads on until it has found max agents.
func (a agents) AgentList(after string, max int) ([]store.Agent, error) {
	var found []store.Agent
	for len(found) < max {
		limit, seen := max-len(found), 0
		err := a.x.Whole(agentsTable.Name, selectPage, []any{after, limit}, func(row stored.TableRow) error {
			agent := stored.AgentOf(row.Values)
			seen, after = seen+1, agent.ID
			if stored.Genuine(a.x, agentsTable.Name, row) {
				found = append(found, agent)
			}
			return nil
		})
		if err != nil || seen < limit {
			return found, err
		}
	}
	return found, a.x.Ready()
}

// AgentIDs reads the keys only.
func (a agents) AgentIDs(after string, max int) (found []string, err error) {
	err = a.x.eachText(selectIDs, after, max, 1, func(key []string) { found = append(found, key[0]) })
	return found, err
}

// StateKeys reads the keys only.
func (a agents) StateKeys(after string, max int) (found []store.StateKey, err error) {
	err = a.x.eachText(selectStateKeys, after, max, 2, func(key []string) { found = append(found, store.StateKey{ID: key[0], Agent: key[1]}) })
	return found, err
}

// eachText reads columns that are text as the store writes them.
func (x *ownerTx) eachText(query, after string, most, columns int, do func([]string)) error {
	return x.each(query, []any{x.owner.number, after, max(most, 0)}, func(rows *sql.Rows) error {
		raw, into, texts := make([]any, columns), make([]any, columns), make([]string, columns)
		for i := range raw {
			into[i] = &raw[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range raw {
			text, ok := raw[i].(string)
			if !ok {
				return store.ErrAltered
			}
			texts[i] = text
		}
		do(texts)
		return nil
	})
}
