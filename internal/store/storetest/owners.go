package storetest

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var ownerTests = []test{
	{"nothing of one owner shows for another", ownerIsolation},
	{"one owner's writes leave another's rows alone", ownerWrites},
	{"owners are listed once they have written", ownerList},
	{"an Update needs an owner", ownerEmpty},
}

var errRefused = errors.New("refused")

// furnish gives an owner one of everything.
func furnish(p *place, owner memory.DID) {
	p.t.Helper()
	p.update(owner, func(w store.Writer) {
		r := with(row(1), func(c *store.Columns) {
			c.Project, c.Duplicate, c.Lineage, c.Import, c.Expires = "p", "d", id(1), 1, birth
		})
		value(w.Insert(r, words("word"), store.Links{Supersedes: list(9)}))(p.t)
		staged := with(row(2), func(c *store.Columns) { c.Import, c.Staged = 1, true })
		value(w.Insert(staged, words("word"), store.Links{}))(p.t)
		must(p.t, w.SetAlias("space", "x", id(1)))
		must(p.t, w.SetProjectAlias("alias", "p"))
		value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(1)}))(p.t)
		must(p.t, w.SetReceipt(store.Receipt{Key: "k", At: birth}, 1))
		value(w.SetImport(store.Import{At: birth, Digest: "d"}))(p.t)
		must(p.t, w.SetLesson(1, lesson(1)))
		must(p.t, w.SetGrant(store.Grant{ID: "token", Name: "name", Issued: birth}))
		must(p.t, w.AuditKeeper().AppendAudit(entries("entry", 0, 2), entries("hash", 0, 1)))
		must(p.t, w.AuditKeeper().SetAuditHead([]byte("head")))
	})
}

// bare reports everything that a reader shows of furnish's data, except the audit
// log.
func bare(p *place, r store.Reader) {
	p.t.Helper()
	filters := map[string]store.Filter{
		"all": {}, "kind": {Kinds: memory.Kinds()}, "project": {Projects: []string{"p", ""}}, "lineage": {Lineage: id(1)},
		"import": {Import: 1}, "expired": {Expired: birth},
	}
	for name, f := range filters {
		same(p.t, "rows by "+name, ids(page(p.t, r, f, 9)), list())
		same(p.t, "count by "+name, value(r.Count(f))(p.t), 0)
	}
	_, err := r.Row(id(1))
	fails(p.t, "Row", err, store.ErrNotFound)
	_, err = r.Alias("space", "x")
	fails(p.t, "Alias", err, store.ErrNotFound)
	_, err = r.Receipt("k")
	fails(p.t, "Receipt", err, store.ErrNotFound)
	_, err = r.Import(1)
	fails(p.t, "Import", err, store.ErrNotFound)
	same(p.t, "Numbered", ids(value(r.Numbered([]int64{1, 2}))(p.t)), list())
	same(p.t, "Duplicates", ids(value(r.Duplicates("d", 1))(p.t)), list())
	same(p.t, "Relating", len(value(r.Relating(string(id(9))))(p.t)), 0)
	same(p.t, "Projects", len(value(r.Projects(time.Time{}))(p.t)), 0)
	same(p.t, "ProjectAliases", len(value(r.ProjectAliases())(p.t)), 0)
	same(p.t, "Size", size(p, r), [2]int64{0, 0})
	same(p.t, "Frequencies", value(r.Frequencies([]string{"word"}))(p.t), []int{0})
	same(p.t, "Terms", len(value(r.Terms("", 9))(p.t)), 0)
	same(p.t, "Postings", len(value(r.Postings("word", 9))(p.t)), 0)
	same(p.t, "Changes", len(value(r.Changes(0, 9))(p.t)), 0)
	same(p.t, "Imports", len(value(r.Imports())(p.t)), 0)
	same(p.t, "Lessons", value(r.Lessons([]int64{1, 2}))(p.t), make([]store.Lesson, 2))
	same(p.t, "Grants", len(value(r.Grants())(p.t)), 0)
	_, err = r.Grant("token")
	fails(p.t, "Grant", err, store.ErrNotFound)
}

func ownerIsolation(p *place) {
	furnish(p, ada)
	p.view(bob, func(r store.Reader) { bare(p, r) })
	p.update(bob, func(w store.Writer) {
		bare(p, w)
		must(p.t, w.SetProjectAlias("alias", ""))
	})
	p.view(bob, func(r store.Reader) { bare(p, r) })
	p.view("", func(r store.Reader) { bare(p, r) })
}

func ownerWrites(p *place) {
	furnish(p, ada)
	furnish(p, bob)
	p.update(bob, func(w store.Writer) {
		same(p.t, "published", value(w.Publish(1))(p.t), 1)
		must(p.t, w.Delete(id(1)))
		must(p.t, w.Delete(id(2)))
		must(p.t, w.SetProjectAlias("alias", "q"))
		must(p.t, w.SetReceipt(store.Receipt{Key: "new", At: birth.Add(9)}, 1))
		value(w.SetImport(store.Import{Number: 1, Digest: "other"}))(p.t)
		must(p.t, w.SetGrant(store.Grant{ID: "token", Name: "other"}))
		must(p.t, w.AuditKeeper().AppendAudit(entries("other", 1, 3), entries("other", 1, 3)))
		must(p.t, w.AuditKeeper().SetAuditHead([]byte("other")))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "lesson", value(r.Lessons([]int64{1}))(p.t), []store.Lesson{lesson(1)})
		same(p.t, "grant", value(r.Grant("token"))(p.t).Name, "name")
		same(p.t, "audit log", auditSize(p, r), [2]int64{2, 1})
		same(p.t, "head", string(value(r.Audit().AuditHead())(p.t)), "head")
		same(p.t, "row", value(r.Row(id(1)))(p.t).Number, 1)
		same(p.t, "visible", ids(page(p.t, r, store.Filter{}, 9)), list(1))
		same(p.t, "alias", value(r.Alias("space", "x"))(p.t), id(1))
		same(p.t, "project alias", value(r.ProjectAliases())(p.t), map[string]string{"alias": "p"})
		same(p.t, "receipt", value(r.Receipt("k"))(p.t).Key, "k")
		same(p.t, "import", value(r.Import(1))(p.t).Digest, "d")
		same(p.t, "postings", numbers(value(r.Postings("word", 9))(p.t)), []int64{1})
		same(p.t, "sequence", value(r.Changes(0, 9))(p.t)[0].Sequence, 1)
	})
}

func ownerList(p *place) {
	owners := func() []memory.DID { return append([]memory.DID{}, value(p.store.Owners(p.t.Context()))(p.t)...) }
	same(p.t, "at first", owners(), []memory.DID{})
	p.view(ada, func(store.Reader) {})
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		value(w.Insert(row(1), store.Document{}, store.Links{}))(p.t)
		return errRefused
	}), errRefused)
	same(p.t, "after what failed", owners(), []memory.DID{})
	p.insert(bob, row(1))
	p.insert(ada, row(1))
	p.insert(bob, row(2))
	same(p.t, "in the end", owners(), []memory.DID{bob, ada})
}

func ownerEmpty(p *place) {
	err := p.store.Update(p.t.Context(), "", func(store.Writer) error { return nil })
	same(p.t, "refused", err != nil, true)
}
