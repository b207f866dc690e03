package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table states: checkpoints of agents.
//
//	owner, id         key
//	agent … received  see [store.State]; indexes states_agent and states_checkpoint list them
//	document          nearly last because it can be large
var statesTable = newTable("states")

var (
	selectStates  = `SELECT ` + statesTable.list + ` FROM states`
	selectLatest  = selectStates + ` INDEXED BY states_checkpoint WHERE owner = ? ORDER BY checkpoint DESC, id DESC LIMIT ?`
	selectOfAgent = selectStates + ` INDEXED BY states_agent WHERE owner = ? AND agent = ? ORDER BY checkpoint DESC, id DESC LIMIT ?`
)

// State looks a checkpoint up.
func (s *session) State(id string) (store.State, error) {
	row, err := statesTable.scan(func(into ...any) error {
		return s.first(statesTable.row, []any{s.owner.number, id}, into...)
	})
	if err == nil && !s.fits(statesTable, row) {
		err = store.ErrAltered
	}
	if err != nil {
		return store.State{}, err
	}
	return stored.StateOf(row.values), nil
}

// StateList lists checkpoints, without those that were changed outside.
func (s *session) StateList(agent string, max int) ([]store.State, error) {
	if max <= 0 {
		return nil, s.ready()
	}
	query, args := selectLatest, []any{s.owner.number, max}
	if agent != "" {
		query, args = selectOfAgent, []any{s.owner.number, agent, max}
	}
	var found []store.State
	err := s.each(query, args, func(rows *sql.Rows) error {
		row, err := statesTable.scan(rows.Scan)
		if err != nil || !s.fits(statesTable, row) {
			return err
		}
		state := stored.StateOf(row.values)
		state.Document = nil
		found = append(found, state)
		return nil
	})
	return found, err
}

// DropState removes a checkpoint.
func (w *writer) DropState(id string) error {
	return w.dropDocument(`DELETE FROM states WHERE owner = ? AND id = ?`, w.owner.number, id)
}

// PutState adds a checkpoint.
func (w *writer) PutState(s store.State) error {
	return w.putNew(statesTable, stored.StateRow(s), len(s.Document))
}
