package stored

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table runs: the runs of agents.
//
//	owner, id       key
//	agent … changed see [store.Run]; index runs_began lists them, runs_agent those of an agent
//	due             microseconds, see [store.Run.Due]; NULL: never; index runs_due finds those that are
//	queue, slots    see [store.Run]; index runs_held finds the runs of an agent that have a holder
//
// Table run_events: what happened in them.
//
//	owner, run, number  key
//	at                  microseconds
//	document            last because it can be large
var (
	agentRunsTable = Named("runs")
	runEventsTable = Named("run_events")
	placeDue       = agentRunsTable.Place("due")
	placeBegan     = agentRunsTable.Place("began")
)

// agentRunRow returns the columns of table runs for a run.
func agentRunRow(r store.Run) []any {
	return []any{r.ID, r.Agent, r.Revision, r.Status, r.Fence, r.Holder, Micros(r.Until), Micros(r.Wake), r.Lineage,
		numberOf(r.Sealed), r.Events, Micros(r.Began), Micros(r.Changed), openMicros(r.Due()), r.Queue, r.Slots}
}

// numberOf returns 1 for true.
func numberOf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// agentRunOf is the inverse of [agentRunRow], as [AgentOf] is of [agentRow].
func agentRunOf(row []any) store.Run {
	text := func(place int) string { s, _ := row[place].(string); return s }
	number := func(place int) int64 { n, _ := row[place].(int64); return n }
	at := func(place int) time.Time { return Instant(number(place)) }
	return store.Run{ID: text(0), Agent: text(1), Revision: number(2), Status: text(3), Fence: number(4), Holder: text(5),
		Until: at(6), Wake: at(7), Lineage: text(8), Sealed: number(9) != 0, Events: number(10), Began: at(11), Changed: at(12), Queue: text(14), Slots: number(15)}
}

// runEventRow returns the columns of table run_events for an event.
func runEventRow(e store.RunEvent) []any {
	return []any{e.Run, e.Number, Micros(e.At), some(e.Document)}
}

// runEventOf is the inverse of [runEventRow], as [AgentOf] is of [agentRow].
func runEventOf(row []any) store.RunEvent {
	var e store.RunEvent
	e.Run, _ = row[0].(string)
	e.Number, _ = row[1].(int64)
	at, _ := row[2].(int64)
	e.At = Instant(at)
	e.Document, _ = row[3].([]byte)
	return e
}

// AgentRunsSQL are a store's statements on runs and their events.
type AgentRunsSQL struct {
	ListSQL           // of runs
	Events     string // selects a number of events of a run after a number
	Last       string // selects the number of a run's last event
	Due        string // selects runs of a lineage that are due at a time or before, after a time and an id, of the queues of a JSON array, NULL: of all, at most so many
	Next       string // selects the earliest time at which a run of a lineage is due, of those that need not wait for others at a time
	Held       string // counts the runs of an agent that are held at a time, without one id
	Holders    string // selects the runs that have a holder
	Drop       string // deletes a run by id, and returns its seal and 0
	DropEvents string // deletes the events of a run, and returns their seals and the lengths of their documents
}

// RunHome is the part of [store.Runs] that each store has in its own way.
type RunHome interface {
	// RunIDs lists ids of runs.
	RunIDs(after string, max int) ([]string, error)
	// Clock returns the time by the store's clock.
	Clock() (time.Time, error)
	// Lineage names the store's history.
	Lineage() (string, error)
}

// AgentRuns implements [store.Runs].
type AgentRuns struct {
	RunHome
	tx  Tx
	sql *AgentRunsSQL
}

// NewAgentRuns returns the runs of the owner of a transaction.
func NewAgentRuns(tx Tx, home RunHome, sql *AgentRunsSQL) AgentRuns { return AgentRuns{home, tx, sql} }

// Run looks a run up.
func (a AgentRuns) Run(id string) (store.Run, error) {
	_, run, err := a.find(id)
	return run, err
}

// find returns the row of a run, and the run.
func (a AgentRuns) find(id string) (TableRow, store.Run, error) {
	row, err := a.tx.Find(agentRunsTable.Name, id)
	if err != nil {
		return TableRow{}, store.Run{}, err
	}
	if !Genuine(a.tx, agentRunsTable.Name, row) {
		return TableRow{}, store.Run{}, store.ErrAltered
	}
	return row, agentRunOf(row.Values), nil
}

// RunList lists runs.
func (a AgentRuns) RunList(agent string, after store.RunPlace, max int) ([]store.Run, error) {
	return latest(a.tx, &a.sql.ListSQL, agentRunsTable, placeBegan, agentRunOf, agent, rowPlace{after.Began, after.ID}, max)
}

// DueRuns lists runs that are due.
func (a AgentRuns) DueRuns(by time.Time, max int, queues ...string) ([]store.Run, error) {
	lineage, err := a.Lineage()
	if err != nil {
		return nil, err
	}
	var of any
	if len(queues) > 0 {
		list, err := json.Marshal(queues)
		if err != nil {
			return nil, err
		}
		of = string(list)
	}
	return listed(a.tx, agentRunsTable, placeDue, agentRunOf, []any{int64(math.MinInt64), ""}, max, func(place []any, limit int) (string, []any) {
		return a.sql.Due, append(append([]any{lineage, Micros(by)}, place...), of, limit)
	})
}

// NextRun looks for the run that is due first.
func (a AgentRuns) NextRun() (time.Time, error) {
	lineage, err := a.Lineage()
	if err != nil {
		return time.Time{}, err
	}
	now, err := a.Clock()
	if err != nil {
		return time.Time{}, err
	}
	var at int64
	err = First(a.tx, a.sql.Next, []any{lineage, Micros(now)}, &at)
	if errors.Is(err, store.ErrNotFound) {
		return time.Time{}, nil
	}
	return Instant(at), err
}

// crowded fails with [store.ErrCrowded] if others hold all slots of a run's agent.
func (a AgentRuns) crowded(run store.Run, now time.Time) error {
	if run.Slots <= 0 {
		return nil
	}
	var held int64
	if err := First(a.tx, a.sql.Held, []any{a.tx.Key(run.Agent), Micros(now), a.tx.Key(run.ID)}, &held); err != nil {
		return err
	}
	if held >= run.Slots {
		return store.ErrCrowded
	}
	return nil
}

// RunEvents reads events, and fails where one is missing or there are more than the run says.
func (a AgentRuns) RunEvents(id string, after int64, most int) (found []store.RunEvent, err error) {
	_, run, err := a.find(id)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		return nil, a.tx.Ready()
	}
	after = max(after, 0)
	genuine, last := true, after
	err = a.tx.Whole(runEventsTable.Name, a.sql.Events, []any{a.tx.Key(id), after, most}, func(row TableRow) error {
		e := runEventOf(row.Values)
		genuine = genuine && Genuine(a.tx, runEventsTable.Name, row) && e.Number == last+1
		last = e.Number
		found = append(found, e)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !genuine, len(found) > 0 && last > run.Events, len(found) < most && last < run.Events:
		return nil, store.ErrAltered
	}
	return found, nil
}

// whole fails with [store.ErrAltered] unless a run's last event is the one that the run
// names: somebody may have put back its row, or removed or added events.
func (a AgentRuns) whole(run store.Run) error {
	var last int64
	err := First(a.tx, a.sql.Last, []any{a.tx.Key(run.ID)}, &last)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if last != run.Events {
		return store.ErrAltered
	}
	return nil
}

// LineageOf returns the name of a store's history: a digest of its random marker and of
// where it lies, see [store.Runs]. Without a marker it fails with [store.ErrAltered].
func LineageOf(marker []byte, place string) (string, error) {
	if len(marker) == 0 {
		return "", store.ErrAltered
	}
	sum := sha256.Sum256(append(append([]byte("satchel lineage 1\x00"), marker...), place...))
	return hex.EncodeToString(sum[:16]), nil
}
