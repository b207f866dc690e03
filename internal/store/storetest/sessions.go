package storetest

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

var sessionTests = []test{
	{"are kept, replaced and dropped", sessionsKept},
	{"end", sessionsEnd},
	{"are one owner's", sessionsOwned},
}

// digest returns a digest of 64 digits that ends in a letter.
func digest(letter string) string { return strings.Repeat("0", 63) + letter }

func visit(letter string, minutes int) store.Session {
	made := birth.Add(time.Duration(minutes) * time.Minute)
	return store.Session{Digest: digest(letter), Use: store.Visit, Made: made, Seen: made, Ends: made.Add(time.Hour), Label: "Firefox \xff\x00 on Linux"}
}

func sessionsKept(p *place) {
	link := visit("a", 0)
	link.Use, link.Code, link.Label = store.Entrance, digest("c"), ""
	p.view(ada, func(r store.Reader) {
		_, err := r.Sessions().Session(digest("a"))
		fails(p.t, "before", err, store.ErrNotFound)
		same(p.t, "list before", len(value(r.Sessions().SessionList())(p.t)), 0)
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SessionKeeper().PutSession(link))
		must(p.t, w.SessionKeeper().PutSession(visit("b", 2)))
		must(p.t, w.SessionKeeper().PutSession(visit("d", 1)))
		same(p.t, "its own write", value(w.SessionKeeper().Session(digest("a")))(p.t), link)
	})
	seen := visit("b", 2)
	seen.Seen = seen.Seen.Add(30 * time.Minute)
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SessionKeeper().PutSession(seen))
		must(p.t, w.SessionKeeper().DropSession(digest("a")))
		must(p.t, w.SessionKeeper().DropSession(digest("x")))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "list", value(r.Sessions().SessionList())(p.t), []store.Session{seen, visit("d", 1)})
		_, err := r.Sessions().Session(digest("a"))
		fails(p.t, "dropped", err, store.ErrNotFound)
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func sessionsEnd(p *place) {
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SessionKeeper().PutSession(visit("a", 0)))
		must(p.t, w.SessionKeeper().PutSession(visit("b", 1)))
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SessionKeeper().DropEnded(birth.Add(time.Hour-time.Microsecond)))
		same(p.t, "before the first ends", len(value(w.Sessions().SessionList())(p.t)), 2)
		must(p.t, w.SessionKeeper().DropEnded(birth.Add(time.Hour)))
		same(p.t, "after", value(w.Sessions().SessionList())(p.t), []store.Session{visit("b", 1)})
	})
}

func sessionsOwned(p *place) {
	p.update(ada, func(w store.Writer) { must(p.t, w.SessionKeeper().PutSession(visit("a", 0))) })
	p.update(bob, func(w store.Writer) {
		_, err := w.Sessions().Session(digest("a"))
		fails(p.t, "of another", err, store.ErrNotFound)
		same(p.t, "list of another", len(value(w.Sessions().SessionList())(p.t)), 0)
		must(p.t, w.SessionKeeper().DropSession(digest("a")))
		must(p.t, w.SessionKeeper().DropEnded(birth.Add(time.Hour*99)))
		must(p.t, w.SessionKeeper().PutSession(visit("a", 5)))
	})
	p.view(ada, func(r store.Reader) { same(p.t, "ada's", value(r.Sessions().Session(digest("a")))(p.t), visit("a", 0)) })
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { same(p.t, "erased", len(value(r.Sessions().SessionList())(p.t)), 0) })
	p.view(bob, func(r store.Reader) { same(p.t, "bob's", value(r.Sessions().Session(digest("a")))(p.t), visit("a", 5)) })
}
