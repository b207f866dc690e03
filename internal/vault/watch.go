package vault

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var _ ump.Watcher = (*Vault)(nil)

// Head returns the sequence number of the owner's latest change.
func (v *Vault) Head(ctx context.Context, c memory.Caller) (int64, error) {
	const op = "subscribe"
	if err := v.full(op, c); err != nil {
		return 0, err
	}
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return 0, err
	}
	var head int64
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		head, err = r.Head()
		return err
	})
	return head, v.refusal(c, op, "", err)
}

// eventsAtOnce is how many events one call returns unless it asks for fewer.
const eventsAtOnce = 100

// Changes returns the events after s.After that the caller may know of (decision
// UD-27). Records have their present form.
func (v *Vault) Changes(ctx context.Context, c memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	const op = "subscribe"
	if err := v.full(op, c); err != nil {
		return nil, s.After, err
	}
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return nil, s.After, err
	}
	if s.Max <= 0 || s.Max > eventsAtOnce {
		s.Max = eventsAtOnce
	}
	f := feed{vault: v, query: s, next: s.After}
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		f.rows, f.events, f.next = r, nil, s.After
		if f.gate, err = v.gate(r, c); err != nil {
			return err
		}
		asked := memory.Scope{Project: s.Project, Agent: s.Agent}
		if f.scope, err = f.gate.names.narrowed(op, c, asked); err != nil {
			return err
		}
		if f.gate.names == nil {
			if f.gate.names, err = projectNames(r); err != nil {
				return err
			}
		}
		return f.read()
	})
	if err != nil {
		return nil, s.After, v.refusal(c, op, "", err)
	}
	if ids := told(f.events); len(ids) > 0 { // a watcher asks again and again
		v.noteGiven(c, inquiry{way: op, project: s.Project}, ids...)
	}
	return f.events, f.next, nil
}

func told(events []memory.Event) []memory.ID {
	var ids []memory.ID
	for _, e := range events {
		if e.Record != nil {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// feed reads an owner's changes for one subscriber.
type feed struct {
	vault  *Vault
	gate   Gate
	query  memory.Subscription
	scope  memory.Scope // narrowed to the scope of the caller's token
	rows   store.Reader
	events []memory.Event
	next   int64
}

func (f *feed) read() error {
	for len(f.events) < f.query.Max {
		changes, err := f.rows.Changes(f.next, eventsAtOnce)
		if err != nil || len(changes) == 0 {
			return err
		}
		for _, change := range changes {
			done, err := f.take(change)
			if err != nil || !done || len(f.events) >= f.query.Max {
				return err
			}
		}
	}
	return nil
}

// take adds the events of a change, and reports whether it added all of them.
func (f *feed) take(change store.Change) (bool, error) {
	if change.Type == store.Imported {
		return f.imported(change)
	}
	f.next = change.Sequence
	kind, ok := eventOf[change.Type]
	if !ok {
		return true, nil
	}
	if kind == memory.WasErased {
		f.erased(change)
		return true, nil
	}
	row, err := f.rows.Row(change.ID)
	if errors.Is(err, store.ErrNotFound) {
		f.gone(change.Sequence, kind, change.ID)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.add(change.Sequence, kind, row)
}

var eventOf = map[store.ChangeType]memory.EventType{
	store.Created: memory.WasCreated, store.Merged: memory.WasMerged, store.Revised: memory.WasRevised,
	store.Tombstoned: memory.WasTombstoned, store.Erased: memory.WasErased, store.ErasedPrivately: memory.WasErased,
}

// erased adds the id of an erased record, so that subscribers can drop their copies.
// Only the owner's side learns the ids of private records.
func (f *feed) erased(change store.Change) {
	if change.Type == store.ErasedPrivately && !f.gate.Caller.Speaks() || !f.concerns(change) {
		return
	}
	f.events = append(f.events, memory.Event{Sequence: change.Sequence, Type: memory.WasErased, ID: change.ID})
}

// concerns reports whether an erased record belonged to the subscriber's project and
// agent, as far as the record's marks show.
func (f *feed) concerns(change store.Change) bool {
	l := f.vault.ledger(f.gate.Caller.Owner)
	project, agent, _ := strings.Cut(change.Mark, " ")
	is := func(name string) bool {
		return project != "" && project == l.Mark("project "+f.gate.names.canonical(name))
	}
	var within []string
	if g := f.gate.Caller.Grant; f.scope.Project != "" {
		within = []string{f.scope.Project}
	} else if g != nil {
		within = g.Projects
	}
	return (len(within) == 0 || slices.ContainsFunc(within, is)) &&
		(f.scope.Agent == "" || agent != "" && agent == l.Mark("agent "+f.scope.Agent))
}

// gone adds the bare event of a change to a record that was erased later. Only the
// owner's side learns of it, and only with a subscription to all changes: nothing shows
// any more where the record belonged.
func (f *feed) gone(sequence int64, kind memory.EventType, id memory.ID) {
	if f.gate.Caller.Speaks() && f.scope.Project == "" && f.scope.Agent == "" {
		f.events = append(f.events, memory.Event{Sequence: sequence, Type: kind, ID: id})
	}
}

// imported adds an event for every record of an import. The record with document number
// n has a sequence number. It is as far below the change's number as n is below the
// number of the import's last record.
func (f *feed) imported(change store.Change) (bool, error) {
	from := change.Sequence - (change.Last - change.First)
	first := change.First
	if f.next >= from {
		first += f.next - from + 1
	}
	for n := first; n <= change.Last; n += eventsAtOnce {
		numbers := make([]int64, 0, eventsAtOnce)
		for i := n; i < n+eventsAtOnce && i <= change.Last; i++ {
			numbers = append(numbers, i)
		}
		rows, err := f.rows.Numbered(numbers)
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			if row.Columns.Import != change.Import {
				continue
			}
			at := change.Sequence - (change.Last - row.Number)
			f.next = at
			if err := f.add(at, memory.WasCreated, row); err != nil {
				return false, err
			}
			if len(f.events) >= f.query.Max && at < change.Sequence {
				return false, nil
			}
		}
	}
	f.next = change.Sequence
	return true, nil
}

// add adds a record's event if the subscriber asked for such events and may see the
// record.
func (f *feed) add(sequence int64, kind memory.EventType, row store.Row) error {
	told := len(f.events)
	rec, err := f.tell(sequence, kind, row)
	if err != nil || kind != memory.WasRevised || len(f.events) > told {
		return err
	}
	for _, id := range rec.Supersedes { // the subscriber may not see the successor, but may learn that the prior has ended
		prior, err := f.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := f.tell(sequence, kind, prior); err != nil || len(f.events) > told {
			return err
		}
	}
	return nil
}

// tell is add for one record, which it returns.
func (f *feed) tell(sequence int64, kind memory.EventType, row store.Row) (memory.Record, error) {
	rec, damage, err := f.vault.read(f.rows, row)
	if err != nil {
		return memory.Record{}, err
	}
	if damage != nil {
		f.vault.damaged(f.gate.Caller.Owner, row.ID, damage)
		return memory.Record{}, nil
	}
	if sees, err := f.gate.Sees(rec); !sees || err != nil {
		return rec, err
	}
	if status := f.gate.status(rec); status != memory.Active && !f.gate.Caller.Speaks() {
		if status == memory.Candidate {
			return rec, nil
		}
		kind = memory.WasTombstoned
	}
	out, err := f.gate.emit(rec, false)
	if err != nil || !f.wanted(out) { // the subscription must not probe for what is hidden from the caller
		return rec, nil
	}
	event := memory.Event{Sequence: sequence, Type: kind, ID: rec.ID, Record: &out}
	if Foreign(rec, f.gate.Caller.Owner) && out.Lifecycle.Status == memory.Tombstoned {
		event.Record = nil // its owner never signed the shell's words (UMP-2-26)
	}
	f.events = append(f.events, event)
	return rec, nil
}

func (f *feed) wanted(rec memory.Record) bool {
	n := f.gate.names
	return (f.scope.Project == "" || n.canonical(f.scope.Project) == n.canonical(rec.Scope.Project)) &&
		(f.scope.Agent == "" || f.scope.Agent == rec.Scope.Agent)
}

// Await waits until the owner has a change after a sequence number.
func (v *Vault) Await(ctx context.Context, c memory.Caller, after int64) error {
	watcher, ok := v.store.(store.Watcher)
	if !ok {
		return &memory.Error{Kind: memory.Unsupported, Op: "subscribe", Message: "this store cannot be watched"}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	written, err := watcher.Watch(ctx, c.Owner)
	if err != nil {
		return v.refusal(c, "subscribe", "", err)
	}
	for {
		head, err := v.Head(ctx, c)
		if err != nil {
			return err
		}
		if head > after {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, open := <-written:
			if !open {
				return v.ended(ctx, c)
			}
		}
	}
}

func (x *access) ended(ctx context.Context, c memory.Caller) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return x.refusal(c, "subscribe", "", store.ErrClosed)
}
