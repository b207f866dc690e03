package vault

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// settling is how long something that begins or ends by itself waits before a diff
// tells of it: a change may be under way whose date is a little earlier, and it must not
// be passed over.
const settling = 5 * time.Second

// Diff returns what has changed after an instant, within a query and the caller's
// token. generated_at of the result is the instant for the next call: nothing is lost
// between two of them and nothing told twice (decision E-30). What has left the query
// is among the deleted (decision E-22). Errors are those of Context.
func (v *Vault) Diff(ctx context.Context, c memory.Caller, q engram.Query, at time.Time) (engram.Delta, error) {
	q, err := v.askedContext(c, q)
	if err != nil {
		return engram.Delta{}, err
	}
	q.AsOf, q.History = time.Time{}, false
	at = at.UTC().Truncate(time.Microsecond)
	var delta engram.Delta
	err = v.viewContext(ctx, c, func(r store.Reader, label string, erasures int64) error {
		now, d := v.now(), diff{vault: v, query: q, label: label}
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
		if d.all, err = v.gather(ctx, r, c.Owner); err != nil {
			return err
		}
		v.edges.keep(c.Owner, d.all.edge(state, now))
		delta, err = d.make(r, c.Owner, now)
		return err
	})
	if err != nil {
		return engram.Delta{}, err
	}
	v.noteRead(c, contextOp, make([]memory.ID, len(delta.Added)+len(delta.Updated))...)
	return delta, nil
}

// diff is a comparison under way.
type diff struct {
	vault   *Vault
	query   engram.Query
	label   string
	since   *since
	all     *gathered
	horizon time.Time // up to when what changes by itself is told
	latest  time.Time // of what ever changed by itself

	before, after *passport  // what has changed, as it was and as it is
	identity      bool       // a record of it has changed
	newly         []goneForm // tombstones that came beside the records
}

// quiet reports whether nothing has changed, by anybody or by itself.
func (d *diff) quiet(e edge, now time.Time) bool {
	if d.since.head.After(d.since.at) || d.since.head.After(now) || !e.holds(d.since.at, now) || e.since.After(now.Add(-settling)) {
		return false
	}
	d.latest = e.since
	d.before = &passport{}
	d.after = d.before
	return true
}

// make compares what was with what is.
func (d *diff) make(r store.Reader, owner memory.DID, now time.Time) (engram.Delta, error) {
	if d.since.head.After(now) {
		now = d.since.head // another server's clock is ahead
	}
	if d.horizon = now.Add(-settling); d.horizon.Before(d.since.head) {
		d.horizon = d.since.head
	}
	unborn := d.since.isBorn
	unburied := func(ver *version) bool { return d.since.buried[ver.id] }
	d.before = d.vault.passport(owner, moment{at: d.since.at, unborn: unborn, unburied: unburied}, false)
	d.after = d.vault.passport(owner, moment{at: now}, false)
	err := eachGone(r, func(lineage memory.ID, g goneForm) {
		d.after.gone[lineage], d.before.gone[lineage] = true, true
		if d.since.hasGone(g) {
			d.newly = append(d.newly, g)
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

// identities tells the identities that have not changed beside one that has: which of
// them is meant may be another now.
func (d *diff) identities() error {
	if !d.identity {
		return nil
	}
	for _, l := range d.all.list {
		if !l.isIdentity() || d.touched(l) {
			continue
		}
		if err := errors.Join(d.before.add(l), d.after.add(l)); err != nil {
			return err
		}
	}
	return nil
}

// isIdentity reports whether a lineage has to do with who the owner is.
func (l *lineage) isIdentity() bool {
	return slices.ContainsFunc(l.versions, func(ver version) bool { return !ver.damaged && ver.role() == identityRole })
}

// compare tells a lineage twice if it has changed.
func (d *diff) compare(l *lineage) error {
	if !d.touched(l) {
		return nil
	}
	d.identity = d.identity || l.isIdentity()
	was := *l
	was.proposals = nil
	for _, p := range l.proposals {
		if !d.changed(&p) {
			was.proposals = append(was.proposals, p)
		}
	}
	if err := d.before.add(&was); err != nil {
		return err
	}
	return d.after.add(l)
}

// touched reports whether something in a lineage has changed, or changed by itself.
func (d *diff) touched(l *lineage) bool {
	touched := false
	for _, list := range [][]version{l.versions, l.proposals} {
		for i := range list {
			touched = d.changed(&list[i]) || touched
		}
	}
	l.eachEdge(func(at time.Time) {
		if at.After(d.horizon) {
			return
		}
		touched = touched || at.After(d.since.at)
		if at.After(d.latest) {
			d.latest = at
		}
	})
	return touched
}

// changed reports whether a record was stored, forgotten or ended since. That it was
// said again changes nothing of a belief.
func (d *diff) changed(ver *version) bool {
	if d.since.isBorn(ver) || d.since.buried[ver.id] {
		return true
	}
	if ver.damaged {
		return false
	}
	for _, next := range ver.rec.SupersededBy {
		if d.since.born[next] {
			return true
		}
	}
	return d.since.said[ver.id] && !ver.rec.Time.ValidTo.IsZero()
}

// generated is the instant for the next diff.
func (d *diff) generated() time.Time {
	at := d.since.head
	if d.latest.After(at) {
		at = d.latest
	}
	if at.IsZero() {
		at = d.since.at
	}
	return at.UTC()
}
