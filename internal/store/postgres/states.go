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
//	departed          microseconds, 0: it never left; bound and address are for whom and to where
//	document          nearly last because it can be large
//	by_id, by_agent   see short
var statesTable = newTable("states")

var (
	selectCheckpoints = `SELECT ` + statesTable.list + ` FROM states WHERE owner = $1`
	selectLatest      = selectCheckpoints + latestFirst + `$2`
	selectLater       = selectCheckpoints + ` AND (checkpoint, by_id) < ($2, $3)` + latestFirst + `$4`
	selectOfAgent     = selectCheckpoints + ` AND by_agent = $2` + latestFirst + `$3`
	selectLaterOf     = selectCheckpoints + ` AND by_agent = $2 AND (checkpoint, by_id) < ($3, $4)` + latestFirst + `$5`
)

const (
	latestFirst     = ` ORDER BY checkpoint DESC, by_id DESC LIMIT `
	selectStateKeys = `SELECT id, agent FROM states WHERE owner = $1 AND by_id > $2 ORDER BY by_id LIMIT $3`
)

// State looks a checkpoint up.
func (s *session) State(id string) (store.State, error) {
	values, err := s.intact(statesTable, statesTable.row, []any{short(id)})
	if err != nil {
		return store.State{}, err
	}
	return stored.StateOf(values), nil
}

// StateList lists checkpoints, and reads on until it has found as many as were asked for.
func (s *session) StateList(agent string, after store.StatePlace, max int) (found []store.State, err error) {
	for len(found) < max {
		limit, seen := max-len(found), 0
		query, args := statesAfter(agent, after, limit)
		err := s.each(query, args, func(rows pgx.Rows) error {
			values, seal, err := statesTable.scan(rows)
			if err != nil {
				return err
			}
			state := stored.StateOf(values)
			seen, after = seen+1, state.Place()
			if state.Document = nil; s.fits(statesTable, values, seal) {
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
func statesAfter(agent string, after store.StatePlace, limit int) (query string, args []any) {
	place := []any{stored.Micros(after.Checkpoint), short(after.ID), limit}
	switch {
	case after.ID == "" && agent == "":
		return selectLatest, []any{limit}
	case after.ID == "":
		return selectOfAgent, []any{short(agent), limit}
	case agent == "":
		return selectLater, place
	}
	return selectLaterOf, append([]any{short(agent)}, place...)
}

// StateKeys looks at the keys alone.
func (s *session) StateKeys(after string, most int) (found []store.StateKey, err error) {
	err = s.each(selectStateKeys, []any{short(after), max(most, 0)}, func(rows pgx.Rows) error {
		var id, agent []byte
		err := rows.Scan(&id, &agent)
		found = append(found, store.StateKey{ID: string(id), Agent: string(agent)})
		return err
	})
	return found, err
}

// DropState removes a checkpoint.
func (w *writer) DropState(id string) error { return w.dropDocument(deleteState, short(id)) }

// PutState adds a checkpoint.
func (w *writer) PutState(s store.State) error {
	return w.putNew(statesTable, stored.StateRow(s), len(s.Document))
}
