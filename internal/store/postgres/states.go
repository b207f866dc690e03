package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table states: checkpoints of agents.
//
//	owner, id         key
//	agent … received  see [store.State]; indexes states_agent and states_checkpoint list them
//	document          nearly last because it can be large
//	by_id, by_agent   see short
var statesTable = newTable("states")

var (
	selectCheckpoints = `SELECT ` + statesTable.list + ` FROM states WHERE owner = $1`
	selectLatest      = selectCheckpoints + ` ORDER BY checkpoint DESC, by_id DESC LIMIT $2`
	selectOfAgent     = selectCheckpoints + ` AND by_agent = $2 ORDER BY checkpoint DESC, by_id DESC LIMIT $3`
)

// State looks a checkpoint up.
func (s *session) State(id string) (store.State, error) {
	values, err := s.intact(statesTable, statesTable.row, []any{short(id)})
	if err != nil {
		return store.State{}, err
	}
	return stored.StateOf(values), nil
}

// StateList lists checkpoints, without those that were changed outside.
func (s *session) StateList(agent string, max int) ([]store.State, error) {
	if max <= 0 {
		return nil, s.ready()
	}
	query, args := selectLatest, []any{max}
	if agent != "" {
		query, args = selectOfAgent, []any{short(agent), max}
	}
	var found []store.State
	err := s.each(query, args, func(rows pgx.Rows) error {
		values, seal, err := statesTable.scan(rows)
		if err != nil || !s.fits(statesTable, values, seal) {
			return err
		}
		state := stored.StateOf(values)
		state.Document = nil
		found = append(found, state)
		return nil
	})
	return found, err
}

// DropState removes a checkpoint.
func (w *writer) DropState(id string) error { return w.dropDocument(deleteState, short(id)) }

// PutState adds a checkpoint.
func (w *writer) PutState(s store.State) error {
	return w.putNew(statesTable, stored.StateRow(s), len(s.Document))
}
