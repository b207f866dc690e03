package stored

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// AgentRunKeeper implements [store.RunKeeper].
type AgentRunKeeper struct {
	AgentRuns
	tx   WriteTx
	seen *seenRun
}

// seenRun is the run that a keeper looked up last: callers look a run up before they append to it.
// Every change of a run makes it the zero seenRun, which is none.
type seenRun struct {
	row TableRow
	run store.Run
}

// NewAgentRunKeeper returns the keeper of the runs of an Update's owner.
func NewAgentRunKeeper(tx WriteTx, home RunHome, sql *AgentRunsSQL) AgentRunKeeper {
	return AgentRunKeeper{NewAgentRuns(tx, home, sql), tx, &seenRun{}}
}

// Run looks a run up.
func (k AgentRunKeeper) Run(id string) (store.Run, error) {
	row, run, err := k.find(id)
	if err == nil {
		*k.seen = seenRun{row, run}
	}
	return run, err
}

// known is find, for the run that was looked up last without a round trip.
func (k AgentRunKeeper) known(id string) (TableRow, store.Run, error) {
	if seen := *k.seen; seen.row.Values != nil && seen.run.ID == id {
		return seen.row, seen.run, k.tx.Ready()
	}
	return k.find(id)
}

// PutRun adds a run.
func (k AgentRunKeeper) PutRun(r store.Run) error {
	if err := putNew(k.tx, agentRunsTable, agentRunRow(r), 0); err != nil {
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
	old, run, err := k.find(id)
	if err == nil {
		err = k.whole(run)
	}
	if err != nil {
		return store.Run{}, err
	}
	now, err := k.Clock()
	if err != nil {
		return store.Run{}, err
	}
	lineage, err := k.Lineage()
	switch {
	case err != nil:
		return store.Run{}, err
	case run.Holder != "" && run.Holder != h.Holder && run.Until.After(now) && !h.Force:
		return store.Run{}, store.ErrHeld
	case run.Lineage != lineage && !h.Resumes:
		return store.Run{}, store.ErrCopied
	}
	if h.Executes {
		if err := k.crowded(run, now); err != nil {
			return store.Run{}, err
		}
	}
	run.Fence, run.Holder, run.Lineage = run.Fence+1, h.Holder, lineage
	run.Until = now.Add(h.Lease).Truncate(time.Microsecond)
	return run, k.change(old, run)
}

// AppendRun adds events for a run's holder.
func (k AgentRunKeeper) AppendRun(id string, fence int64, c store.RunChange, events []store.RunEvent) (store.Run, error) {
	old, run, err := k.known(id)
	if err != nil {
		return store.Run{}, err
	}
	if run.Fence != fence || run.Holder == "" {
		return store.Run{}, store.ErrFenced
	}
	if err := k.whole(run); err != nil {
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
	if err == nil && c.Release && run.Slots > 0 {
		err = k.planNext()
	}
	if err != nil {
		return store.Run{}, err
	}
	return run, nil
}

// planNext files when the next run is due, after one that others may have waited for.
func (k AgentRunKeeper) planNext() error {
	at, err := k.NextRun()
	if err != nil || at.IsZero() {
		return err
	}
	return k.tx.Schedule(store.Drive, at)
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
		now, err := k.Clock()
		if err != nil {
			return err
		}
		return k.extend(run, now, c.Extend)
	}
	return nil
}

// extend makes the lease of a run end so long after now. A lease that had ended left its slot to
// others: without one it fails with [store.ErrFenced].
func (k AgentRunKeeper) extend(run *store.Run, now time.Time, by time.Duration) error {
	if !run.Until.After(now) {
		if err := k.crowded(*run, now); errors.Is(err, store.ErrCrowded) {
			return store.ErrFenced
		} else if err != nil {
			return err
		}
	}
	run.Until = now.Add(by).Truncate(time.Microsecond)
	return nil
}

// RenewRuns extends the leases of runs. It reads all of them at once.
func (k AgentRunKeeper) RenewRuns(lease time.Duration, fences map[string]int64) (lost []string, err error) {
	now, err := k.Clock()
	if err != nil {
		return nil, err
	}
	*k.seen = seenRun{}
	left, rows := maps.Clone(fences), []TableRow{}
	err = k.tx.Whole(agentRunsTable.Name, k.sql.Holders, nil, func(row TableRow) error {
		run := agentRunOf(row.Values)
		if fence, is := left[run.ID]; is && run.Fence == fence && Genuine(k.tx, agentRunsTable.Name, row) {
			delete(left, run.ID)
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	lost = slices.Collect(maps.Keys(left))
	var due time.Time
	for _, row := range rows {
		run := agentRunOf(row.Values)
		err := k.extend(&run, now, lease)
		if errors.Is(err, store.ErrFenced) {
			lost = append(lost, run.ID)
			continue
		}
		if err == nil {
			err = k.tx.Change(agentRunsTable.Name, row, agentRunRow(run))
		}
		if err != nil {
			return nil, err
		}
		if at := run.Due(); due.IsZero() || !at.IsZero() && at.Before(due) {
			due = at
		}
	}
	if !due.IsZero() {
		err = k.tx.Schedule(store.Drive, due)
	}
	return lost, err
}

// change replaces the row of a run.
func (k AgentRunKeeper) change(old TableRow, run store.Run) error {
	*k.seen = seenRun{}
	if err := k.tx.Change(agentRunsTable.Name, old, agentRunRow(run)); err != nil {
		return err
	}
	return k.plan(run)
}

// DropRun removes a run.
func (k AgentRunKeeper) DropRun(id string) error {
	*k.seen = seenRun{}
	events := dropDocument(k.tx, k.sql.DropEvents, k.tx.Key(id))
	if events != nil && !errors.Is(events, store.ErrNotFound) {
		return events
	}
	err := dropDocument(k.tx, k.sql.Drop, k.tx.Key(id))
	if errors.Is(err, store.ErrNotFound) {
		return events // of a run whose row is gone
	}
	if err != nil {
		return err
	}
	return k.planNext()
}
