package belief

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// settling is how long a diff waits before it reports that something began or ended by
// itself. A change with a slightly earlier date may still be in progress, and the diff
// must not skip it.
const settling = 5 * time.Second

// Diff returns the changes after an instant, within a query and the caller's token.
// generated_at of the result is the instant for the next call: between two calls no
// change is lost and none is reported twice (decision E-30). It reveals nothing that the
// caller may not see. Beliefs that left the query count as deleted (decision E-22).
// Errors are those of Context.
func (v *views) Diff(ctx context.Context, c memory.Caller, q engram.Query, at time.Time) (engram.Delta, error) {
	q, err := v.askedContext(c, q)
	if err != nil {
		return engram.Delta{}, err
	}
	q.AsOf, q.History = time.Time{}, false
	at = at.UTC().Truncate(time.Microsecond)
	var delta engram.Delta
	was, _ := v.reads.of(c.Owner)
	err = v.viewContext(ctx, c, func(r store.Reader, label string, erasures int64) error {
		now := v.kernel.Now()
		d := diff{vault: v.beliefs, caller: c, query: q, label: label, now: now, moved: map[string]time.Time{}, lost: map[memory.ID]tombstoneForm{}, reopened: map[string]tombstoneForm{}}
		state, err := stateOf(r, label, erasures)
		if err == nil {
			d.since, err = changesSince(r, at)
		}
		if err != nil {
			return err
		}
		if e, ok := v.edges.of(c.Owner, state); ok && d.quiet(e, now) {
			delta, err = d.delta()
			return err
		}
		if d.all, err = v.gatherKnowing(ctx, r, c.Owner, was, nil); err != nil {
			return err
		}
		v.edges.keep(c.Owner, d.all.edge(state, now))
		delta, err = d.make(r, c.Owner, now)
		return err
	})
	if err != nil {
		return engram.Delta{}, err
	}
	v.kernel.NoteRead(c, contextOp, make([]memory.ID, len(delta.Added)+len(delta.Updated))...)
	return delta, nil
}

// diff is a comparison in progress.
type diff struct {
	vault   *beliefs
	caller  memory.Caller
	query   engram.Query
	label   string
	since   *since
	all     *lineageSet
	now     time.Time
	horizon time.Time            // the latest instant at which a change by itself is reported
	moved   map[string]time.Time // when beliefs and constraints changed last, by id

	before, after *passport                   // the changed lineages, as they were and as they are
	identity      bool                        // a record of the identity has changed
	newly         []tombstoneForm             // new tombstones beside the records
	lost          map[memory.ID]tombstoneForm // tombstones of lineages, by root
	reopened      map[string]tombstoneForm    // tombstones of beliefs whose earlier version is in force again, by id
	identified    time.Time                   // when an identity changed last
}

// quiet reports whether nothing has changed, by anybody or by itself.
func (d *diff) quiet(e edge, now time.Time) bool {
	if d.since.head.After(d.since.at) || d.since.head.After(now) || !e.holds(d.since.at, now) || e.since.After(now.Add(-settling)) {
		return false
	}
	d.all, d.before = &lineageSet{}, &passport{}
	d.after = d.before
	return true
}

// make compares the memory at the earlier instant with the present one.
func (d *diff) make(r store.Reader, owner memory.DID, now time.Time) (engram.Delta, error) {
	if d.since.head.After(now) {
		now = d.since.head // another server's clock is ahead
	}
	if d.horizon = now.Add(-settling); d.horizon.Before(d.since.head) {
		d.horizon = d.since.head
	}
	unborn := func(ver *version) bool { return !d.since.bornAt(ver).IsZero() }
	unburied := func(ver *version) bool { return !d.since.buried[ver.id].IsZero() }
	d.before = d.vault.passport(owner, moment{at: d.since.at, unborn: unborn, unburied: unburied}, false)
	d.after = d.vault.passport(owner, moment{at: now}, false)
	err := eachTombstone(r, func(lineage memory.ID, g tombstoneForm) {
		d.after.gone[lineage], d.before.gone[lineage] = true, true
		if at := d.since.goneAt(g); !at.IsZero() {
			d.newly, d.lost[lineage] = append(d.newly, g), g
			d.moves(g.ID, at)
		}
	})
	if err != nil {
		return engram.Delta{}, err
	}
	for _, l := range d.all.list {
		if err := d.compare(l); err != nil {
			return engram.Delta{}, err
		}
	}
	if err := d.identities(); err != nil {
		return engram.Delta{}, err
	}
	return d.delta()
}

// identities adds the unchanged identities where one has changed: the change may select
// another of them.
func (d *diff) identities() error {
	if !d.identity {
		return nil
	}
	for _, l := range d.all.list {
		if !l.isIdentity() || !d.touched(l).IsZero() {
			continue
		}
		if err := errors.Join(d.before.add(l), d.after.add(l)); err != nil {
			return err
		}
	}
	return nil
}

// isIdentity reports whether a lineage states the owner's identity.
func (l *lineage) isIdentity() bool {
	return slices.ContainsFunc(l.versions, func(ver version) bool { return !ver.damaged && ver.role() == identityRole })
}

// compare adds a changed lineage to both sides: as it was, and as it is.
func (d *diff) compare(l *lineage) error {
	at := d.touched(l)
	g, reopened := d.lost[l.root]
	if reopened {
		at = later(at, d.moved[g.ID])
	}
	if at.IsZero() {
		return nil
	}
	if l.isIdentity() {
		d.identity, d.identified = true, later(d.identified, at)
	}
	was := *l
	was.proposals = nil
	for _, p := range l.proposals {
		if d.changed(&p).IsZero() {
			was.proposals = append(was.proposals, p)
		}
	}
	told := len(d.after.told)
	err := errors.Join(d.tell(d.before, &was, at), d.tell(d.after, l, at))
	if reopened && d.since.born[g.Record].IsZero() {
		for _, t := range d.after.told[told:] {
			d.reopened[t.ID] = g
		}
	}
	return err
}

// tell adds a lineage that changed at an instant to one of the two sides.
func (d *diff) tell(p *passport, l *lineage, at time.Time) error {
	beliefs, constraints := len(p.told), len(p.constraints)
	if err := p.add(l); err != nil {
		return err
	}
	for _, t := range p.told[beliefs:] {
		d.moves(t.ID, at)
	}
	for _, k := range p.constraints[constraints:] {
		d.moves(k.ID, at)
	}
	return nil
}

func (d *diff) moves(id string, at time.Time) { d.moved[id] = later(d.moved[id], at) }

// touched returns when a record of a lineage last changed, by an act or by itself; zero:
// it has not changed.
func (d *diff) touched(l *lineage) (at time.Time) {
	for _, list := range [][]version{l.versions, l.proposals} {
		for i := range list {
			at = later(at, d.changed(&list[i]))
		}
	}
	l.eachEdge(func(edge time.Time) {
		if edge.After(d.since.at) && !edge.After(d.horizon) {
			at = later(at, edge)
		}
	})
	return at
}

// changed returns when a record was last stored, forgotten or ended; zero: not since.
// Repeating a record does not change a belief.
func (d *diff) changed(ver *version) time.Time {
	at := later(d.since.bornAt(ver), d.since.buried[ver.id])
	if ver.damaged {
		return at
	}
	for _, next := range ver.rec.SupersededBy {
		at = later(at, d.since.born[next])
	}
	if !ver.rec.Time.ValidTo.IsZero() {
		at = later(at, d.since.said[ver.id])
	}
	return at
}
