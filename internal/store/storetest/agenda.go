package storetest

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var agendaTests = []test{
	{"work is filed for the earliest instant, and filed anew", agendaFiled},
	{"one takes work that is due", agendaLeased},
	{"retention that ends is work, for rows that are added and changed", agendaExpiry},
	{"an import that is cut off is work", agendaStaging},
	{"a change makes filed work due", agendaHastened},
	{"who has waited longest comes first, and nobody else is seen", agendaOrder},
	{"an erased owner has no work", agendaErased},
	{"owners are found by their labels", labelsFound},
}

// due expects the owners with work due at an instant.
func (p *place) due(work store.Work, by time.Time, want ...memory.DID) {
	p.t.Helper()
	same(p.t, string(work)+" due at "+by.String(), append([]memory.DID{}, value(p.store.Due(p.t.Context(), work, by, 10))(p.t)...), append([]memory.DID{}, want...))
}

func (p *place) schedule(owner memory.DID, work store.Work, at time.Time) {
	p.t.Helper()
	p.update(owner, func(w store.Writer) { must(p.t, w.Schedule(work, at)) })
}

func agendaFiled(p *place) {
	noon := birth.Add(time.Hour)
	p.due(store.Tidy, noon)
	p.schedule(ada, store.Tidy, noon)
	p.due(store.Tidy, noon.Add(-time.Microsecond))
	p.due(store.Tidy, noon, ada)
	p.due(store.Sweep, noon)
	p.schedule(ada, store.Tidy, noon.Add(time.Hour)) // is due before
	p.due(store.Tidy, noon, ada)
	p.schedule(ada, store.Tidy, birth)
	p.due(store.Tidy, birth, ada)
	p.update(ada, func(w store.Writer) { must(p.t, w.Reschedule(store.Tidy, noon)) })
	p.due(store.Tidy, birth)
	p.due(store.Tidy, noon, ada)
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		must(p.t, w.Reschedule(store.Tidy, time.Time{}))
		return errRefused
	}), errRefused)
	p.due(store.Tidy, noon, ada)
	for range 2 {
		p.update(ada, func(w store.Writer) { must(p.t, w.Reschedule(store.Tidy, time.Time{})) })
		p.due(store.Tidy, noon)
	}
}

func agendaLeased(p *place) {
	p.schedule(ada, store.Tidy, birth)
	lease := func(owner memory.DID, work store.Work, want bool) {
		p.t.Helper()
		got, err := p.store.Lease(p.t.Context(), owner, work, birth, birth.Add(time.Hour))
		must(p.t, err)
		same(p.t, "taken by "+string(owner), got, want)
	}
	lease(bob, store.Tidy, false)
	lease(ada, store.Sweep, false)
	lease(ada, store.Tidy, true)
	lease(ada, store.Tidy, false)
	p.due(store.Tidy, birth)
	p.due(store.Tidy, birth.Add(time.Hour), ada)
	p.schedule(ada, store.Tidy, birth.Add(time.Minute)) // came to light meanwhile
	p.due(store.Tidy, birth.Add(time.Minute), ada)
}

func agendaExpiry(p *place) {
	expiring := func(n int, at time.Time) store.Row {
		return with(row(n), func(c *store.Columns) { c.Expires = at })
	}
	first := func(want time.Time) {
		p.t.Helper()
		p.view(ada, func(r store.Reader) { same(p.t, "the first expiry", value(r.FirstExpiry())(p.t), want) })
	}
	noon := birth.Add(time.Hour)
	first(time.Time{})
	p.insert(ada, row(1))
	first(time.Time{})
	p.due(store.Sweep, noon.Add(1000*time.Hour))
	p.insert(ada, expiring(2, noon), expiring(3, noon.Add(time.Hour)))
	first(noon)
	p.due(store.Sweep, noon.Add(-time.Microsecond))
	p.due(store.Sweep, noon, ada)
	p.update(ada, func(w store.Writer) { must(p.t, w.Replace(expiring(1, birth), store.Links{})) })
	first(birth)
	p.due(store.Sweep, birth, ada)
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	first(noon)
}

func agendaStaging(p *place) {
	begin := func(w store.Writer, state store.ImportState) int64 {
		return value(w.SetImport(store.Import{Format: "x", At: birth, State: state, Lease: birth.Add(time.Hour)}))(p.t)
	}
	p.update(ada, func(w store.Writer) { begin(w, store.Published) })
	p.due(store.Tidy, birth.Add(time.Hour))
	p.update(ada, func(w store.Writer) { begin(w, store.Staging) })
	p.due(store.Tidy, birth)
	p.due(store.Tidy, birth.Add(time.Hour), ada)
}

func agendaHastened(p *place) {
	change := func(owner memory.DID) {
		p.t.Helper()
		p.update(owner, func(w store.Writer) {
			value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(1)}))(p.t)
		})
	}
	change(ada)
	p.due(store.Tell, birth)
	for _, owner := range []memory.DID{ada, bob} {
		p.schedule(owner, store.Tell, birth.Add(time.Hour))
	}
	change(ada)
	p.due(store.Tell, birth, ada)
}

func agendaOrder(p *place) {
	p.schedule(ada, store.Tidy, birth.Add(time.Second))
	p.schedule(bob, store.Tidy, birth)
	p.schedule("did:key:cleo", store.Tidy, birth.Add(time.Minute))
	p.due(store.Tidy, birth.Add(time.Second), bob, ada)
	same(p.t, "at most one", value(p.store.Due(p.t.Context(), store.Tidy, birth.Add(time.Hour), 1))(p.t), []memory.DID{bob})
}

func agendaErased(p *place) {
	for _, work := range store.AllWork() {
		p.schedule(ada, work, birth)
		p.schedule(bob, work, birth)
	}
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	for _, work := range store.AllWork() {
		p.due(work, birth, bob)
	}
}

func labelsFound(p *place) {
	labelled := func(label string, want ...memory.DID) {
		p.t.Helper()
		same(p.t, "labelled "+label, append([]memory.DID{}, value(p.store.Labelled(p.t.Context(), label))(p.t)...), append([]memory.DID{}, want...))
	}
	account := func(owner memory.DID, label string) {
		p.update(owner, func(w store.Writer) { must(p.t, w.SetAccount(store.Account{Label: label, Added: birth})) })
	}
	labelled("friend")
	account(bob, "friend")
	account(ada, "friend")
	account("did:key:cleo", "a friend\x00\xff")
	labelled("friend", bob, ada)
	labelled("a friend\x00\xff", "did:key:cleo")
	labelled("Friend")
	account(bob, "other")
	labelled("friend", ada)
	labelled("other", bob)
}
