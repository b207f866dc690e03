package stored

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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
//
// Table run_events: what happened in them.
//
//	owner, run, number  key; 0 is what the run was started with, so that an append does not write that again
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
		numberOf(r.Sealed), r.Events, Micros(r.Began), Micros(r.Changed), openMicros(r.Due())}
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
		Until: at(6), Wake: at(7), Lineage: text(8), Sealed: number(9) != 0, Events: number(10), Began: at(11), Changed: at(12)}
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
	Run        string // selects a run by id
	Latest     string // selects a number of runs, the latest first
	Later      string // selects them after a place
	LatestOf   string // selects a number of runs of an agent
	LaterOf    string // selects them after a place
	Events     string // selects a number of events of a run after a number
	Last       string // selects the number of a run's last event
	Due        string // selects runs of a lineage that are due at a time or before, after a time and an id, at most so many
	Next       string // selects the earliest time at which a run of a lineage is due, NULL: none is
	Drop       string // deletes a run by id, and returns its seal
	DropEvents string // deletes the events of a run, and returns their seals and the lengths of their documents
}

// RunHome is what a store knows of itself, see [store.Runs].
type RunHome interface {
	// Clock returns the time by the store's clock.
	Clock() (time.Time, error)
	// Lineage names the store's history.
	Lineage() (string, error)
}

// AgentRuns finds runs. A store adds the list of their ids, and so has a [store.Runs].
type AgentRuns struct {
	RunHome
	tx  Tx
	sql *AgentRunsSQL
}

// NewAgentRuns returns the runs of the owner of a transaction.
func NewAgentRuns(tx Tx, home RunHome, sql *AgentRunsSQL) AgentRuns { return AgentRuns{home, tx, sql} }

// Run looks a run up, with what it was started with.
func (a AgentRuns) Run(id string) (store.Run, error) {
	_, run, err := a.find(id)
	if err != nil {
		return store.Run{}, err
	}
	run.Document, err = a.begun(id)
	return run, err
}

// RunHead looks a run up.
func (a AgentRuns) RunHead(id string) (store.Run, error) {
	_, run, err := a.find(id)
	return run, err
}

// begun returns what a run was started with.
func (a AgentRuns) begun(id string) ([]byte, error) {
	row, err := a.tx.Find(runEventsTable.Name, id, int64(0))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, store.ErrAltered
	case err != nil:
		return nil, err
	case !Genuine(a.tx, runEventsTable.Name, row):
		return nil, store.ErrAltered
	}
	return runEventOf(row.Values).Document, nil
}

// find returns the row of a run and the run without its document.
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

// RunList lists runs. It reads on until it has found the wanted number.
func (a AgentRuns) RunList(agent string, after store.RunPlace, max int) (found []store.Run, err error) {
	var place []any // of the last row as stored, with any change from outside
	if after.ID != "" {
		place = []any{Micros(after.Began), a.tx.Key(after.ID)}
	}
	return a.list(max, func(limit int) (string, []any) {
		return a.runsAfter(agent, place, limit)
	}, func(row TableRow) { place = []any{row.Values[placeBegan], a.key(row)} })
}

// runsAfter is the statement that lists the runs after a place.
func (a AgentRuns) runsAfter(agent string, place []any, limit int) (query string, args []any) {
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

// DueRuns lists runs that are due. It reads on until it has found the wanted number.
func (a AgentRuns) DueRuns(by time.Time, max int) ([]store.Run, error) {
	lineage, err := a.Lineage()
	if err != nil {
		return nil, err
	}
	place := []any{int64(math.MinInt64), ""}
	return a.list(max, func(limit int) (string, []any) {
		return a.sql.Due, append(append([]any{lineage, Micros(by)}, place...), limit)
	}, func(row TableRow) { place = []any{row.Values[placeDue], a.key(row)} })
}

// key returns the id of a row as the index has it.
func (a AgentRuns) key(row TableRow) any {
	if id, ok := row.Values[0].(string); ok {
		return a.tx.Key(id)
	}
	return row.Values[0]
}

// list runs one statement after the other until it has found max genuine runs, or there are
// no more. each is called for every row, and moves the place of the next statement.
func (a AgentRuns) list(max int, next func(limit int) (string, []any), each func(TableRow)) (found []store.Run, err error) {
	for len(found) < max {
		limit, seen := max-len(found), 0
		query, args := next(limit)
		err := a.tx.Whole(agentRunsTable.Name, query, args, func(row TableRow) error {
			seen++
			each(row)
			if Genuine(a.tx, agentRunsTable.Name, row) {
				found = append(found, agentRunOf(row.Values))
			}
			return nil
		})
		if err != nil || seen < limit {
			return found, err
		}
	}
	return found, a.tx.Ready()
}

// NextRun looks for the run that is due first.
func (a AgentRuns) NextRun() (time.Time, error) {
	lineage, err := a.Lineage()
	if err != nil {
		return time.Time{}, err
	}
	var at *int64
	if err := First(a.tx, a.sql.Next, []any{lineage}, &at); err != nil || at == nil {
		return time.Time{}, err
	}
	return Instant(*at), nil
}

// RunEvents reads events, and fails where one is missing or there are more than the run says.
func (a AgentRuns) RunEvents(id string, after int64, max int) (found []store.RunEvent, err error) {
	_, run, err := a.find(id)
	if err != nil {
		return nil, err
	}
	if max <= 0 {
		return nil, a.tx.Ready()
	}
	if after < 0 {
		after = 0 // the event of number 0 is the run's document
	}
	genuine, last := true, after
	err = a.tx.Whole(runEventsTable.Name, a.sql.Events, []any{a.tx.Key(id), after, max}, func(row TableRow) error {
		e := runEventOf(row.Values)
		genuine = genuine && Genuine(a.tx, runEventsTable.Name, row) && e.Number == last+1
		last = e.Number
		found = append(found, e)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !genuine, len(found) > 0 && last > run.Events, len(found) < max && last < run.Events:
		return nil, store.ErrAltered
	}
	return found, nil
}

// whole fails with [store.ErrAltered] unless a run's last event is the one that the run
// names: somebody may have put back its row, or removed or added events.
func (a AgentRuns) whole(run store.Run) error {
	var last int64
	err := First(a.tx, a.sql.Last, []any{a.tx.Key(run.ID)}, &last)
	if errors.Is(err, store.ErrNotFound) || err == nil && last != run.Events {
		return store.ErrAltered
	}
	return err
}

// AgentRunKeeper stores runs. A store adds the list of their ids.
type AgentRunKeeper struct {
	runs AgentRuns
	tx   WriteTx
}

// NewAgentRunKeeper returns the keeper of the runs of an Update's owner.
func NewAgentRunKeeper(tx WriteTx, home RunHome, sql *AgentRunsSQL) AgentRunKeeper {
	return AgentRunKeeper{NewAgentRuns(tx, home, sql), tx}
}

// PutRun adds a run.
func (k AgentRunKeeper) PutRun(r store.Run) error {
	err := putNew(k.tx, agentRunsTable, agentRunRow(r), 0)
	if err == nil {
		err = k.PutRunEvents([]store.RunEvent{{Run: r.ID, At: r.Began, Document: r.Document}})
	}
	if err != nil {
		return err
	}
	return k.plan(r)
}

// plan files when a run is due.
func (k AgentRunKeeper) plan(r store.Run) error {
	if at := r.Due(); !at.IsZero() {
		return k.tx.Schedule(store.Drive, at)
	}
	return nil
}

// PutRunEvents adds events.
func (k AgentRunKeeper) PutRunEvents(events []store.RunEvent) error {
	for _, e := range events {
		if err := putNew(k.tx, runEventsTable, runEventRow(e), len(e.Document)); err != nil {
			return err
		}
	}
	return nil
}

var errNameless = errors.New("whoever holds a run needs a name")

// HoldRun gives a run its next holder.
func (k AgentRunKeeper) HoldRun(id string, h store.Hold) (store.Run, error) {
	if h.Holder == "" {
		return store.Run{}, errNameless
	}
	old, run, err := k.runs.find(id)
	if err == nil {
		err = k.runs.whole(run)
	}
	if err != nil {
		return store.Run{}, err
	}
	now, err := k.runs.Clock()
	if err != nil {
		return store.Run{}, err
	}
	lineage, err := k.runs.Lineage()
	switch {
	case err != nil:
		return store.Run{}, err
	case run.Holder != "" && run.Holder != h.Holder && run.Until.After(now) && !h.Force:
		return store.Run{}, store.ErrHeld
	case run.Lineage != lineage && !h.Resumes:
		return store.Run{}, store.ErrCopied
	}
	run.Fence, run.Holder, run.Lineage = run.Fence+1, h.Holder, lineage
	run.Until = now.Add(h.Lease).Truncate(time.Microsecond)
	if err := k.change(old, run); err != nil {
		return store.Run{}, err
	}
	run.Document, err = k.runs.begun(id)
	return run, err
}

// AppendRun adds events for a run's holder.
func (k AgentRunKeeper) AppendRun(id string, fence int64, c store.RunChange, events []store.RunEvent) (store.Run, error) {
	old, run, err := k.runs.find(id)
	if err != nil {
		return store.Run{}, err
	}
	if run.Fence != fence || run.Holder == "" {
		return store.Run{}, store.ErrFenced
	}
	if err := k.runs.whole(run); err != nil {
		return store.Run{}, err
	}
	if err := k.alter(&run, c); err != nil {
		return store.Run{}, err
	}
	bytes := 0
	for _, e := range events {
		bytes += len(e.Document)
	}
	k.tx.OwnerRow().Use(0, bytes)
	err = k.tx.Put(runEventsTable.Name, len(events), func(i int, to []any) []any {
		e := events[i]
		e.Run, e.Number = id, run.Events+1+int64(i)
		return append(to, runEventRow(e)...)
	})
	run.Events += int64(len(events))
	if err == nil {
		err = k.change(old, run)
	}
	if err != nil {
		return store.Run{}, err
	}
	return run, nil
}

// alter changes the columns of a run.
func (k AgentRunKeeper) alter(run *store.Run, c store.RunChange) error {
	run.Status = cmp.Or(c.Status, run.Status)
	if c.Wake != nil {
		run.Wake = c.Wake.UTC().Truncate(time.Microsecond)
	}
	if !c.At.IsZero() {
		run.Changed = c.At.UTC().Truncate(time.Microsecond)
	}
	switch {
	case c.Release:
		run.Holder, run.Until = "", time.Time{}
	case c.Extend != 0:
		now, err := k.runs.Clock()
		if err != nil {
			return err
		}
		run.Until = now.Add(c.Extend).Truncate(time.Microsecond)
	}
	return nil
}

// change replaces the row of a run.
func (k AgentRunKeeper) change(old TableRow, run store.Run) error {
	if err := k.tx.Change(agentRunsTable.Name, old, agentRunRow(run)); err != nil {
		return err
	}
	return k.plan(run)
}

// DropRun removes a run.
func (k AgentRunKeeper) DropRun(id string) error {
	err := dropDocument(k.tx, k.runs.sql.DropEvents, k.tx.Key(id))
	none := errors.Is(err, store.ErrNotFound)
	if err != nil && !none {
		return err
	}
	found := false
	err = k.tx.Remove(k.runs.sql.Drop, []any{k.tx.Key(id)}, func(row Scanner) error {
		var seal []byte
		err := row.Scan(&seal)
		found = true
		k.tx.OwnerRow().Lose(seal)
		return err
	})
	if err == nil && none && !found {
		return store.ErrNotFound
	}
	k.tx.OwnerRow().Leave()
	return err
}

// LineageOf returns the name of a store's history: a digest of its random marker and of
// where it lies, see [store.Runs].
func LineageOf(marker []byte, place string) string {
	sum := sha256.Sum256(append(append([]byte("satchel lineage 1\x00"), marker...), place...))
	return hex.EncodeToString(sum[:16])
}
