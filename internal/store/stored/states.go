package stored

import "github.com/satchel-memory/satchel/internal/store"

// Table states: checkpoints of agents.
//
//	owner, id         key
//	agent … received  see [store.State]; indexes states_agent and states_checkpoint list them
//	departed          microseconds, 0: it never left; bound and address are for whom and to where
//	document          nearly last because it can be large
var (
	statesTable     = Named("states")
	placeCheckpoint = statesTable.Place("checkpoint")
)

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

// StateList lists checkpoints.
func (a Agents) StateList(agent string, after store.StatePlace, max int) ([]store.State, error) {
	without := func(row []any) store.State { s := stateOf(row); s.Document = nil; return s }
	return latest(a.tx, &a.sql.ListSQL, statesTable, placeCheckpoint, without, agent, rowPlace{after.Checkpoint, after.ID}, max)
}

// PutState adds a checkpoint.
func (a AgentKeeper) PutState(s store.State) error {
	return putNew(a.tx, statesTable, stateRow(s), len(s.Document))
}

// DropState removes a checkpoint.
func (a AgentKeeper) DropState(id string) error {
	return dropDocument(a.tx, a.sql.DropState, a.tx.Key(id))
}
