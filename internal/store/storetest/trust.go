package storetest

import (
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var trustTests = []test{
	{"a lesson is filed, replaced and goes with its row", trustLessons},
	{"many lessons come in the order asked for", trustManyLessons},
	{"a grant is filed, replaced and listed", trustGrants},
	{"how far an owner has moved is filed and stays", trustMoved},
	{"the audit log grows", trustAudit},
	{"hashes come in the order asked for, or not at all", trustHashes},
	{"a failed Update leaves nothing in the audit log", trustAuditFails},
	{"an erased owner leaves the audit log and the numbers", trustErase},
	{"an erased owner is none of another's business", trustEraseOthers},
	{"an owner without rows is erased", trustEraseNobody},
}

func lesson(n int) store.Lesson {
	return store.Lesson{Followed: n, Overridden: n + 1, Ignored: n + 2, Contradicted: n + 3, At: birth.Add(time.Duration(n) * time.Second)}
}

func trustLessons(p *place) {
	p.insert(ada, row(1), row(2))
	p.insert(bob, row(1))
	p.update(ada, func(w store.Writer) {
		same(p.t, "at first", value(w.Lessons([]int64{1}))(p.t), make([]store.Lesson, 1))
		must(p.t, w.SetLesson(2, lesson(5)))
		same(p.t, "in the transaction", value(w.Lessons([]int64{2}))(p.t), []store.Lesson{lesson(5)})
		fails(p.t, "of no row", w.SetLesson(9, lesson(1)), store.ErrNotFound)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "filed", value(r.Lessons([]int64{1, 2, 9, 2}))(p.t), []store.Lesson{{}, lesson(5), {}, lesson(5)})
		same(p.t, "none asked for", len(value(r.Lessons(nil))(p.t)), 0)
	})
	p.view(bob, func(r store.Reader) {
		same(p.t, "of another", value(r.Lessons([]int64{1, 2}))(p.t), make([]store.Lesson, 2))
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.SetLesson(2, lesson(7))) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "replaced", value(r.Lessons([]int64{2}))(p.t), []store.Lesson{lesson(7)})
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Delete(id(2)))
		same(p.t, "gone", value(w.Lessons([]int64{2}))(p.t), make([]store.Lesson, 1))
	})
}

func trustManyLessons(p *place) {
	const count = 300
	p.update(ada, func(w store.Writer) {
		for n := range count {
			number := value(w.Insert(row(n), store.Document{}, store.Links{}))(p.t)
			if n%3 == 0 {
				must(p.t, w.SetLesson(number, lesson(n)))
			}
		}
	})
	var asked []int64
	var want []store.Lesson
	for n := count - 1; n >= 0; n-- {
		asked = append(asked, int64(n+1))
		want = append(want, store.Lesson{})
		if n%3 == 0 {
			want[len(want)-1] = lesson(n)
		}
	}
	p.view(ada, func(r store.Reader) { same(p.t, "lessons", value(r.Lessons(asked))(p.t), want) })
}

func trustGrants(p *place) {
	grant := func(n int) store.Grant {
		at := birth.Add(time.Duration(n) * time.Hour)
		return store.Grant{ID: fmt.Sprint("token", n), Claims: []byte(`{"jti":"x"}`), Name: "a friend", Issued: at, Expires: at.Add(time.Hour)}
	}
	foreign := store.Grant{ID: "token0", Issued: birth, Revoked: birth.Add(time.Second)}
	p.update(ada, func(w store.Writer) {
		_, err := w.Grant("token1")
		fails(p.t, "Grant", err, store.ErrNotFound)
		for _, g := range []store.Grant{grant(1), foreign, grant(2)} {
			must(p.t, w.SetGrant(g))
		}
		same(p.t, "in the transaction", value(w.Grant("token1"))(p.t), grant(1))
	})
	revoked := grant(1)
	revoked.Revoked = birth.Add(2 * time.Hour)
	p.update(ada, func(w store.Writer) { must(p.t, w.SetGrant(revoked)) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "latest first", value(r.Grants())(p.t), []store.Grant{grant(2), revoked, foreign})
		same(p.t, "one", value(r.Grant("token0"))(p.t), foreign)
	})
	for owner, unknown := range map[memory.DID][]string{ada: {"", "token", "token3"}, bob: {"token0", "token1"}} {
		p.view(owner, func(r store.Reader) {
			for _, id := range unknown {
				_, err := r.Grant(id)
				fails(p.t, "Grant "+id, err, store.ErrNotFound)
			}
		})
	}
	p.view(bob, func(r store.Reader) { same(p.t, "of another", len(value(r.Grants())(p.t)), 0) })
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SetGrant(grant(1)))
		same(p.t, "in force again", value(w.Grant("token1"))(p.t), grant(1))
		must(p.t, w.EraseOwner())
		_, err := w.Grant("token0")
		fails(p.t, "Grant when all is erased", err, store.ErrNotFound)
	})
}

func trustMoved(p *place) {
	says := func(r store.Reader, what, want string) {
		p.t.Helper()
		same(p.t, what, value(r.Moved())(p.t), want)
	}
	p.view(ada, func(r store.Reader) { says(r, "at first", "") })
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SetMoved("begun bob"))
		says(w, "in the transaction", "begun bob")
	})
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		must(p.t, w.SetMoved("lost"))
		return errRefused
	}), errRefused)
	p.view(ada, func(r store.Reader) { says(r, "filed", "begun bob") })
	p.view(bob, func(r store.Reader) { says(r, "of another", "") })
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { says(r, "when all is erased", "begun bob") })
	p.update(ada, func(w store.Writer) { must(p.t, w.SetMoved("")) })
	p.view(ada, func(r store.Reader) { says(r, "taken back", "") })
}

// entries makes a number of byte strings, the first empty.
func entries(name string, from, to int) [][]byte {
	list := [][]byte{}
	for n := from; n < to; n++ {
		entry := fmt.Appendf(nil, "%s %d", name, n)
		if n == 0 {
			entry = []byte{}
		}
		list = append(list, entry)
	}
	return list
}

func auditSize(p *place, r store.Reader) [2]int64 {
	p.t.Helper()
	n, h, err := r.Audit().AuditSize()
	must(p.t, err)
	return [2]int64{n, h}
}

// texts makes byte strings comparable, whether an empty one is nil or not.
func texts(list [][]byte) []string {
	texts := []string{}
	for _, b := range list {
		texts = append(texts, string(b))
	}
	return texts
}

func trustAudit(p *place) {
	p.update(ada, func(w store.Writer) {
		same(p.t, "at first", auditSize(p, w), [2]int64{0, 0})
		same(p.t, "no head", value(w.Audit().AuditHead())(p.t) == nil, true)
		must(p.t, w.AuditKeeper().AppendAudit(entries("entry", 0, 2), entries("hash", 0, 3)))
		must(p.t, w.AuditKeeper().SetAuditHead([]byte("head")))
		same(p.t, "in the transaction", auditSize(p, w), [2]int64{2, 3})
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AuditKeeper().AppendAudit(entries("entry", 2, 150), nil))
		must(p.t, w.AuditKeeper().AppendAudit(nil, entries("hash", 3, 5)))
		must(p.t, w.AuditKeeper().AppendAudit(nil, nil))
		must(p.t, w.AuditKeeper().SetAuditHead([]byte("another head")))
	})
	all := texts(entries("entry", 0, 150))
	p.view(ada, func(r store.Reader) {
		same(p.t, "size", auditSize(p, r), [2]int64{150, 5})
		same(p.t, "all", texts(value(r.Audit().AuditEntries(0, 1000))(p.t)), all)
		same(p.t, "some", texts(value(r.Audit().AuditEntries(7, 3))(p.t)), all[7:10])
		same(p.t, "after the end", len(value(r.Audit().AuditEntries(150, 3))(p.t)), 0)
		same(p.t, "none asked for", len(value(r.Audit().AuditEntries(0, 0))(p.t)), 0)
		same(p.t, "head", string(value(r.Audit().AuditHead())(p.t)), "another head")
	})
	p.view(bob, func(r store.Reader) {
		same(p.t, "of another", auditSize(p, r), [2]int64{0, 0})
		same(p.t, "entries of another", len(value(r.Audit().AuditEntries(0, 9))(p.t)), 0)
		same(p.t, "head of another", value(r.Audit().AuditHead())(p.t) == nil, true)
	})
}

func trustHashes(p *place) {
	p.update(ada, func(w store.Writer) { must(p.t, w.AuditKeeper().AppendAudit(nil, entries("hash", 0, 200))) })
	p.view(ada, func(r store.Reader) {
		var places []int64
		for n := range int64(200) {
			places = append(places, 199-n)
		}
		all := texts(entries("hash", 0, 200))
		same(p.t, "all", texts(value(r.Audit().AuditHashes(places))(p.t)), backwards(all))
		same(p.t, "twice the same", texts(value(r.Audit().AuditHashes([]int64{3, 0, 3}))(p.t)), []string{"hash 3", "", "hash 3"})
		same(p.t, "none", len(value(r.Audit().AuditHashes(nil))(p.t)), 0)
		_, err := r.Audit().AuditHashes([]int64{1, 200})
		fails(p.t, "AuditHashes", err, store.ErrNotFound)
	})
	p.view(bob, func(r store.Reader) {
		_, err := r.Audit().AuditHashes([]int64{1})
		fails(p.t, "AuditHashes of another", err, store.ErrNotFound)
	})
}

func trustAuditFails(p *place) {
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AuditKeeper().AppendAudit(entries("entry", 1, 2), entries("hash", 1, 2)))
	})
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		must(p.t, w.AuditKeeper().AppendAudit(entries("lost", 1, 3), entries("lost", 1, 3)))
		must(p.t, w.AuditKeeper().SetAuditHead([]byte("lost")))
		return errRefused
	}), errRefused)
	p.update(ada, func(w store.Writer) { must(p.t, w.AuditKeeper().AppendAudit(entries("entry", 2, 3), nil)) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "size", auditSize(p, r), [2]int64{2, 1})
		same(p.t, "entries", texts(value(r.Audit().AuditEntries(0, 9))(p.t)), texts(entries("entry", 1, 3)))
		same(p.t, "head", value(r.Audit().AuditHead())(p.t) == nil, true)
	})
}

func trustErase(p *place) {
	furnish(p, ada)
	p.update(ada, func(w store.Writer) {
		must(p.t, w.EraseOwner())
		bare(p, w)
	})
	p.view(ada, func(r store.Reader) {
		bare(p, r)
		same(p.t, "audit log", auditSize(p, r), [2]int64{2, 1})
		same(p.t, "entries", texts(value(r.Audit().AuditEntries(0, 9))(p.t)), texts(entries("entry", 0, 2)))
		same(p.t, "hash", texts(value(r.Audit().AuditHashes([]int64{0}))(p.t)), texts(entries("hash", 0, 1)))
		same(p.t, "head", string(value(r.Audit().AuditHead())(p.t)), "head")
	})
	same(p.t, "owners", value(p.store.Owners(p.t.Context()))(p.t), []memory.DID{ada})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
	p.update(ada, func(w store.Writer) {
		same(p.t, "next document", value(w.Insert(row(1), words("word"), store.Links{}))(p.t), int64(3))
		same(p.t, "next change", value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(1)}))(p.t), int64(3))
		same(p.t, "next import", value(w.SetImport(store.Import{At: birth}))(p.t), int64(2))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "rows", ids(page(p.t, r, store.Filter{}, 9)), list(1))
		same(p.t, "changes", len(value(r.Changes(0, 9))(p.t)), 1)
		same(p.t, "size", size(p, r), [2]int64{1, 1})
		same(p.t, "lessons", value(r.Lessons([]int64{1, 3}))(p.t), make([]store.Lesson, 2))
	})
	same(p.t, "findings in the end", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func trustEraseOthers(p *place) {
	furnish(p, ada)
	furnish(p, bob)
	fails(p.t, "Update", p.store.Update(p.t.Context(), bob, func(w store.Writer) error {
		must(p.t, w.EraseOwner())
		return errRefused
	}), errRefused)
	furnished(p, bob)
	p.update(bob, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	furnished(p, ada)
	p.view(bob, func(r store.Reader) { bare(p, r) })
}

// furnished expects the data of furnish.
func furnished(p *place, owner memory.DID) {
	p.t.Helper()
	p.view(owner, func(r store.Reader) {
		same(p.t, "rows", ids(page(p.t, r, store.Filter{}, 9)), list(1))
		same(p.t, "staged", value(r.Count(store.Filter{Import: 1}))(p.t), 2)
		same(p.t, "alias", value(r.Alias("space", "x"))(p.t), id(1))
		same(p.t, "project alias", value(r.ProjectAliases())(p.t), map[string]string{"alias": "p"})
		same(p.t, "receipt", value(r.Receipt("k"))(p.t).Key, "k")
		same(p.t, "import", value(r.Import(1))(p.t).Digest, "d")
		same(p.t, "postings", numbers(value(r.Postings("word", 9))(p.t)), []int64{1})
		same(p.t, "changes", len(value(r.Changes(0, 9))(p.t)), 1)
		same(p.t, "lesson", value(r.Lessons([]int64{1}))(p.t), []store.Lesson{lesson(1)})
		same(p.t, "grant", value(r.Grant("token"))(p.t).Name, "name")
	})
}

func trustEraseNobody(p *place) {
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.insert(ada, row(1))
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { bare(p, r) })
}
