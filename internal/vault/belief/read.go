package belief

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// contextOp is the name of this operation in refusals and in the audit log.
const contextOp = "context"

// Context returns the part of the owner's memory that the caller may have, in Engram's
// form (section 3.9). It reads one snapshot, redacts it, leaves out hidden records and
// candidates, and narrows it to the query and the caller's token. A query that cannot be
// answered is an [engram.Fault].
func (v *views) Context(ctx context.Context, c memory.Caller, q engram.Query) (engram.View, error) {
	q, err := v.askedContext(c, q)
	if err != nil {
		return engram.View{}, err
	}
	var view engram.View
	was, epoch := v.reads.of(c.Owner)
	var is *cachedRecords
	if !q.History {
		is = newCachedRecords()
	}
	err = v.viewContext(ctx, c, func(r store.Reader, label string, erasures int64) error {
		m := moment{at: v.kernel.Now()}
		all, err := v.gatherKnowing(ctx, r, c.Owner, was, is)
		if err != nil {
			return err
		}
		if view.State, err = stateOf(r, label, erasures); err != nil {
			return err
		}
		e := all.edge(view.State, m.at)
		view.Until = e.until
		v.edges.keep(c.Owner, e)
		view.Memory, view.Definition, err = v.selected(r, c, q, all, m, label)
		return err
	})
	if err != nil {
		return engram.View{}, err
	}
	if is != nil {
		v.reads.keep(c.Owner, is, epoch)
	}
	view.Subject, view.Scope = engram.Subject{ID: engram.SubjectID(c.Owner)}, q.ScopeName()
	if ofPerson(q) {
		view.Subject.DisplayName = view.Identity.DisplayName
	}
	v.kernel.NoteRead(c, contextOp, make([]memory.ID, len(view.Beliefs))...)
	return view, nil
}

// selected reads lineages as beliefs and narrows them to a query.
func (v *views) selected(r store.Reader, c memory.Caller, q engram.Query, all *lineageSet, m moment, label string) (engram.Memory, *engram.Definition, error) {
	present, gone, err := v.tellAll(r, c.Owner, all, m, q.History)
	if err != nil {
		return engram.Memory{}, nil, err
	}
	told := present
	if !q.AsOf.IsZero() {
		then := moment{at: q.AsOf, kept: m.at}
		if told, _, err = v.tellAll(r, c.Owner, all, then, q.History); err != nil {
			return engram.Memory{}, nil, err
		}
	}
	out := told.memory(label)
	if !q.AsOf.IsZero() {
		out = stillKept(out, present, q)
	}
	out = withGone(out, gone)
	out, d, err := engram.Select(out, q)
	return all.withoutRejected(out, c), issuedFor(d, c), err
}

// tellAll reads every lineage as it was at a moment.
func (b *beliefs) tellAll(r store.Reader, owner memory.DID, all *lineageSet, m moment, history bool) (*passport, []tombstoneForm, error) {
	p := b.passport(owner, m, history)
	if !history && m.plain() {
		p.was, p.is = all.was, all.is
		p.learn = func(belief string, number int64) { b.places.learn(owner, belief, number) }
	}
	var gone []tombstoneForm
	err := eachTombstone(r, func(lineage memory.ID, g tombstoneForm) {
		p.gone[lineage] = true
		gone = append(gone, g)
	})
	p.told = make([]engram.BeliefHistory, 0, len(all.list))
	for _, l := range all.list {
		if err == nil {
			err = p.add(l)
		}
	}
	return p, gone, err
}

// stillKept removes from a past memory the beliefs that are deleted by now, or that have
// left the query: the past must not reveal what the present withholds.
func stillKept(then engram.Memory, now *passport, q engram.Query) engram.Memory {
	kept := map[string]engram.Belief{}
	for _, t := range now.told {
		kept[t.ID] = t.Belief
	}
	then.Beliefs = slices.DeleteFunc(then.Beliefs, func(b engram.Belief) bool {
		k, ok := kept[b.ID]
		return !ok || !q.Admits(k.Category)
	})
	for i, b := range then.Beliefs {
		if k := kept[b.ID]; k.Status == engram.Deleted {
			then.Beliefs[i] = k
		}
	}
	return then
}

// withGone adds the tombstones beside the records, except for ids that are back.
func withGone(m engram.Memory, gone []tombstoneForm) engram.Memory {
	here := map[string]bool{}
	for _, b := range m.Beliefs {
		here[b.ID] = true
	}
	for _, k := range m.Constraints {
		here[k.ID] = true
	}
	for _, g := range gone {
		switch {
		case here[g.ID]:
		case g.Constraint:
			m.Constraints = append(m.Constraints, g.constraint())
		default:
			m.Beliefs = append(m.Beliefs, g.belief())
		}
		here[g.ID] = true
	}
	return m
}

// issuedFor adds the token's purpose, holder and expiry to a definition (section 3.7).
func issuedFor(d *engram.Definition, c memory.Caller) *engram.Definition {
	if d == nil || c.Grant == nil || c.Grant.Runtime == nil {
		return d
	}
	d.Purpose, d.IssuedTo, d.ValidUntil = c.Grant.Runtime.Purpose, c.Grant.Runtime.IssuedTo, c.Grant.Expires
	return d
}

// eachEdge calls do with every instant at which a lineage changes by itself.
func (l *lineage) eachEdge(do func(time.Time)) {
	for _, list := range [][]version{l.versions, l.proposals} {
		for i := range list {
			ver := &list[i]
			if ver.damaged {
				continue
			}
			do(ver.rec.Time.From())
			if !ver.rec.Time.ValidTo.IsZero() {
				do(ver.rec.Time.ValidTo)
			}
			if !ver.expires.IsZero() {
				do(ver.expires)
			}
		}
	}
}
