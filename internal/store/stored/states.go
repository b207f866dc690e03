package stored

import "github.com/satchel-memory/satchel/internal/store"

// Table states: checkpoints of agents.
//
//	owner, id         key
//	agent … received  see [store.State]; indexes states_agent and states_checkpoint list them
//	departed          microseconds, 0: it never left; bound and address are for whom and to where
//	document          nearly last because it can be large
var statesTable = Named("states")

// stateRow returns the columns of table states for a checkpoint.
func stateRow(s store.State) []any {
	return []any{s.ID, s.Agent, s.Run, s.Status, s.Source, Micros(s.Checkpoint), Micros(s.Received),
		departedAt(s.Departed), s.Departed.For, s.Departed.To, some(s.Document)}
}

// departedAt is 0 for a checkpoint without a token, as in rows older than the column.
func departedAt(d store.Departure) int64 {
	if d.At.IsZero() {
		return 0
	}
	return Micros(d.At)
}

// stateOf is the inverse of [stateRow], as [AgentOf] is of [agentRow].
func stateOf(row []any) store.State {
	var s store.State
	s.ID, _ = row[0].(string)
	s.Agent, _ = row[1].(string)
	s.Run, _ = row[2].(string)
	s.Status, _ = row[3].(string)
	s.Source, _ = row[4].(string)
	checkpoint, _ := row[5].(int64)
	received, _ := row[6].(int64)
	s.Checkpoint, s.Received = Instant(checkpoint), Instant(received)
	if departed, _ := row[7].(int64); departed != 0 {
		s.Departed.At = Instant(departed)
	}
	s.Departed.For, _ = row[8].(string)
	s.Departed.To, _ = row[9].(string)
	s.Document, _ = row[10].([]byte)
	return s
}

// State looks a checkpoint up.
func (a Agents) State(id string) (store.State, error) {
	values, err := intact(a.tx, "states", a.sql.State, a.tx.Key(id))
	if err != nil {
		return store.State{}, err
	}
	return stateOf(values), nil
}

// StateList lists checkpoints. It reads on until it has found the wanted number.
func (a Agents) StateList(agent string, after store.StatePlace, max int) (found []store.State, err error) {
	var place []any // of the last row as stored, with any change from outside
	if after.ID != "" {
		place = []any{Micros(after.Checkpoint), a.tx.Key(after.ID)}
	}
	for len(found) < max {
		limit, seen := max-len(found), 0
		query, args := a.statesAfter(agent, place, limit)
		err := a.tx.Whole("states", query, args, func(row TableRow) error {
			state := stateOf(row.Values)
			seen, place = seen+1, []any{row.Values[5], row.Values[0]}
			if id, ok := row.Values[0].(string); ok {
				place[1] = a.tx.Key(id)
			}
			if state.Document = nil; Genuine(a.tx, "states", row) {
				found = append(found, state)
			}
			return nil
		})
		if err != nil || seen < limit {
			return found, err
		}
	}
	return found, a.tx.Ready()
}

// statesAfter is the statement that lists the checkpoints after a place.
func (a Agents) statesAfter(agent string, place []any, limit int) (query string, args []any) {
	if agent != "" {
		args = append(args, a.tx.Key(agent))
	}
	args = append(append(args, place...), limit)
	switch {
	case agent == "" && place == nil:
		return a.sql.Latest, args
	case agent == "":
		return a.sql.Later, args
	case place == nil:
		return a.sql.LatestOf, args
	}
	return a.sql.LaterOf, args
}

// PutState adds a checkpoint.
func (a AgentKeeper) PutState(s store.State) error {
	return putNew(a.tx, statesTable, stateRow(s), len(s.Document))
}

// DropState removes a checkpoint.
func (a AgentKeeper) DropState(id string) error {
	return dropDocument(a.tx, a.sql.DropState, a.tx.Key(id))
}
