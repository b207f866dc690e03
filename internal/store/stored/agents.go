package stored

import "github.com/satchel-memory/satchel/internal/store"

// AgentRow returns the columns of table agents for a revision.
func AgentRow(a store.Agent) []any {
	return []any{a.ID, a.Revision, a.Digest, a.Came, a.Version, a.Name, a.Status, a.Signer, Micros(a.Received), some(a.Document)}
}

// AgentOf is the inverse of [AgentRow]. What a column does not hold, as after a
// change outside of satchel, is left empty.
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

// StateRow returns the columns of table states for a checkpoint.
func StateRow(s store.State) []any {
	return []any{s.ID, s.Agent, s.Run, s.Status, s.Source, Micros(s.Checkpoint), Micros(s.Received),
		departedAt(s.Departed), s.Departed.For, s.Departed.To, some(s.Document)}
}

// StateOf is the inverse of [StateRow], as [AgentOf] is of [AgentRow].
func StateOf(row []any) store.State {
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

// departedAt is 0 for a checkpoint that was never given a token, as in the rows that are
// older than the column.
func departedAt(d store.Departed) int64 {
	if d.At.IsZero() {
		return 0
	}
	return Micros(d.At)
}

// some returns bytes that are there, if there are none of them.
func some(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
