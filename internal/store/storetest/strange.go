package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var strangeTests = []test{
	{"columns of any bytes come back and are found", strangeColumns},
	{"ids of any bytes are found by their beginning", strangeBeginning},
	{"terms of any bytes are told apart", strangeTerms},
	{"names and keys of any bytes are told apart", strangeNames},
	{"what is filed of others may hold any bytes", strangeFiled},
}

// strange are strings that a careless store cuts, refuses or confuses.
var strange = []string{
	"", "\x00", "\x00\x00", "a", "a\x00", "a\x00b", "A", "a ", "\xff", "\xff\xfe", "a\xff", "é", "e\u0301", "\u2028",
	`\x61`, `\`, "'; --", "%", "_", strings.Repeat("long", 3000), strings.Repeat("long", 3000) + "er",
}

// some are the non-empty ones, for members where an empty string means none.
var some = strange[1:]

func strangeColumns(p *place) {
	rows := make([]store.Row, len(some))
	for i, s := range some {
		rows[i] = with(row(i), func(c *store.Columns) {
			c.Project, c.User, c.Agent, c.Session, c.Duplicate, c.Lineage = s, s, s, s, s, memory.ID(s)
		})
		rows[i].ID, rows[i].Number = memory.ID(s), int64(i+1)
	}
	p.insert(ada, rows...)
	p.update(ada, func(w store.Writer) {
		for _, row := range rows {
			same(p.t, "holder", value(w.Holder(row.ID))(p.t), row)
			must(p.t, w.Replace(row, store.Links{}))
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "rows", page(p.t, r, store.Filter{}, 7), rows)
		for i, s := range some {
			just := rows[i : i+1]
			same(p.t, "row", value(r.Row(memory.ID(s)))(p.t), rows[i])
			same(p.t, "of a project", page(p.t, r, store.Filter{Projects: []string{s}}, 7), just)
			same(p.t, "of a lineage", page(p.t, r, store.Filter{Lineage: memory.ID(s)}, 7), just)
			same(p.t, "duplicates", value(r.Duplicates(s, 0))(p.t), just)
		}
		_, err := r.Row("a\x00\x00")
		fails(p.t, "Row", err, store.ErrNotFound)
		projects := value(r.Projects(time.Time{}))(p.t)
		same(p.t, "projects", len(projects), len(some))
		for _, project := range projects {
			same(p.t, "a project", slices.Contains(some, project.Name) && project.Records == 1, true)
		}
	})
	p.update(ada, func(w store.Writer) {
		for _, row := range rows {
			must(p.t, w.Delete(row.ID))
		}
	})
	p.view(ada, func(r store.Reader) { same(p.t, "left", value(r.Count(store.Filter{}))(p.t), 0) })
}

func strangeBeginning(p *place) {
	for i, s := range some {
		r := row(i)
		r.ID = memory.ID(s)
		p.insert(ada, r)
	}
	p.view(ada, func(r store.Reader) {
		for _, prefix := range append(slices.Clone(strange), "\xff\xff", "\xfe", "a\xfe", "lo", "b") {
			want := []memory.ID{}
			for _, s := range some {
				if strings.HasPrefix(s, prefix) {
					want = append(want, memory.ID(s))
				}
			}
			slices.Sort(want)
			same(p.t, fmt.Sprintf("beginning with %.9q", prefix), ids(value(r.Beginning(memory.ID(prefix), 99))(p.t)), want)
		}
	})
}

func strangeTerms(p *place) {
	all := store.Document{Terms: map[string]int{}, Length: 1000}
	for i, s := range strange {
		all.Terms[s] = i + 1
	}
	p.update(ada, func(w store.Writer) {
		value(w.Insert(row(1), all, store.Links{}))(p.t)
		for i, s := range strange {
			value(w.Insert(row(i+2), store.Document{Terms: map[string]int{s: 1}, Length: 1}, store.Links{}))(p.t)
		}
	})
	counts := slices.Repeat([]int{2}, len(strange))
	p.view(ada, func(r store.Reader) {
		same(p.t, "frequencies", value(r.Frequencies(strange))(p.t), counts)
		termsOf(p, r, strange, append(slices.Clone(strange), "\xff\xff", "\xfe", "a\xfe", "lo", "b")...)
		for i, s := range strange {
			want := []store.Posting{{Document: int64(i + 2), Frequency: 1, Length: 1}, {Document: 1, Frequency: uint8(i + 1), Length: 1000}}
			same(p.t, fmt.Sprintf("postings of %.9q", s), value(r.Postings(s, 9))(p.t), want)
		}
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	p.update(ada, func(w store.Writer) { must(p.t, w.Reindex(2, words("other"))) })
	counts = slices.Repeat([]int{1}, len(strange))
	counts[0] = 0
	p.view(ada, func(r store.Reader) { same(p.t, "in the end", value(r.Frequencies(strange))(p.t), counts) })
}

func strangeNames(p *place) {
	names := make(map[string]string)
	p.update(ada, func(w store.Writer) {
		for i, s := range some {
			value(w.Insert(row(i), store.Document{}, store.Links{Supersedes: []memory.ID{memory.ID(s)}}))(p.t)
			must(p.t, w.SetAlias(s, "same", id(i)))
			must(p.t, w.SetAlias("same", s, id(i)))
			must(p.t, w.SetProjectAlias(s, s+"!"))
			must(p.t, w.SetReceipt(store.Receipt{Key: s, Request: s, Answer: []byte(s), At: birth}, time.Hour))
			names[s] = s + "!"
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "project aliases", value(r.ProjectAliases())(p.t), names)
		for i, s := range some {
			what := fmt.Sprintf("%.9q: ", s)
			same(p.t, what+"space", value(r.Alias(s, "same"))(p.t), id(i))
			same(p.t, what+"alias", value(r.Alias("same", s))(p.t), id(i))
			same(p.t, what+"relating", value(r.Relating(s))(p.t), list(i))
			same(p.t, what+"receipt", value(r.Receipt(s))(p.t), store.Receipt{Key: s, Request: s, Answer: []byte(s), At: birth})
		}
	})
	p.update(ada, func(w store.Writer) {
		for i, s := range some {
			must(p.t, w.SetProjectAlias(s, ""))
			must(p.t, w.Delete(id(i)))
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "project aliases in the end", len(value(r.ProjectAliases())(p.t)), 0)
		for _, s := range some {
			_, err := r.Alias("same", s)
			fails(p.t, "Alias", err, store.ErrNotFound)
		}
	})
}

func strangeFiled(p *place) {
	for _, s := range some {
		change := store.Change{At: birth, Type: store.Erased, ID: memory.ID(s), Mark: s}
		imported := store.Import{Digest: s, Format: s, Name: s, At: birth, Lease: birth, State: store.Published, Residue: []byte(s)}
		grant := store.Grant{ID: s, Claims: []byte(s), Name: s, Issued: birth}
		p.update(ada, func(w store.Writer) {
			change.Sequence = value(w.Record(change))(p.t)
			imported.Number = value(w.SetImport(imported))(p.t)
			must(p.t, w.SetGrant(grant))
			must(p.t, w.SetMoved(s))
			must(p.t, w.SetAccount(store.Account{Label: s}))
			must(p.t, w.AuditKeeper().AppendAudit([][]byte{[]byte(s)}, nil))
			must(p.t, w.AuditKeeper().SetAuditHead([]byte(s)))
		})
		p.view(ada, func(r store.Reader) {
			same(p.t, "change", value(r.Changes(change.Sequence-1, 1))(p.t), []store.Change{change})
			same(p.t, "import", value(r.Import(imported.Number))(p.t), imported)
			same(p.t, "grant", value(r.Grant(s))(p.t), grant)
			same(p.t, "moved", value(r.Moved())(p.t), s)
			account(p, r, "account", store.Account{Label: s})
			same(p.t, "entry", texts(value(r.Audit().AuditEntries(change.Sequence-1, 1))(p.t)), []string{s})
			same(p.t, "head", string(value(r.Audit().AuditHead())(p.t)), s)
		})
	}
	p.view(ada, func(r store.Reader) { same(p.t, "grants", len(value(r.Grants())(p.t)), len(some)) })
}
