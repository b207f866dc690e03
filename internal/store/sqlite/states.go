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
//	departed          microseconds, 0: it never left; bound and address are for whom and to where
//	document          nearly last because it can be large
var statesTable = newTable("states")

var (
	selectStates  = `SELECT ` + statesTable.list + ` FROM states`
	selectLatest  = selectStates + ` INDEXED BY states_checkpoint WHERE owner = ?`
	selectOfAgent = selectStates + ` INDEXED BY states_agent WHERE owner = ? AND agent = ?`
)

const (
	beyondPlace     = ` AND (checkpoint, id) < (?, ?)`
	latestFirst     = ` ORDER BY checkpoint DESC, id DESC LIMIT ?`
	selectStateKeys = `SELECT id, agent FROM states WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`
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

// StateList lists checkpoints, and reads on until it has found as many as were asked for.
func (s *session) StateList(agent string, after store.StatePlace, max int) (found []store.State, err error) {
	var place []any // as it lies in the file, whatever was changed there
	if after.ID != "" {
		place = []any{stored.Micros(after.Checkpoint), after.ID}
	}
	for len(found) < max {
		limit, seen := max-len(found), 0
		query, args := statesAfter(s.owner.number, agent, place, limit)
		err := s.each(query, args, func(rows *sql.Rows) error {
			row, err := statesTable.scan(rows.Scan)
			if err != nil {
				return err
			}
			state := stored.StateOf(row.values)
			seen, place = seen+1, []any{row.values[5], row.values[0]}
			if state.Document = nil; s.fits(statesTable, row) {
				found = append(found, state)
			}
			return nil
		})
		if err != nil || seen < limit {
			return found, err
		}
	}
	return found, s.ready()
}

// statesAfter is what lists the checkpoints after a place.
func statesAfter(owner int64, agent string, place []any, limit int) (query string, args []any) {
	query, args = selectLatest, []any{owner}
	if agent != "" {
		query, args = selectOfAgent, []any{owner, agent}
	}
	if len(place) > 0 {
		query, args = query+beyondPlace, append(args, place...)
	}
	return query + latestFirst, append(args, limit)
}

// StateKeys looks at the keys alone.
func (s *session) StateKeys(after string, max int) (found []store.StateKey, err error) {
	err = s.eachText(selectStateKeys, after, max, 2, func(key []string) { found = append(found, store.StateKey{ID: key[0], Agent: key[1]}) })
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
