package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// oddities are strings that have gone wrong in databases.
func oddities() []string {
	rnd := rand.New(rand.NewPCG(1, 2))
	long := make([]byte, 10<<10)
	for i := range long {
		long[i] = byte(rnd.Uint32())
	}
	return []string{
		"\x00", "a\x00b", "\xff\xfe\x80", "\\x41", `\`, `'; DROP TABLE records; --`, "ä\u0301 \U0001f642", "{}", "NULL",
		string(long[:shortSize-1]), string(long[:shortSize]), string(long), string(long) + "a", string(long) + "b",
	}
}

// TestAnyBytes writes strings of any bytes and of any length wherever there is a
// column for a string, and finds everything by them again.
func TestAnyBytes(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, secretOf)
	odd := oddities()
	record := func(o string) store.Row {
		row := small(memory.ID(o))
		c := &row.Columns
		c.Project, c.User, c.Agent, c.Session, c.Duplicate, c.Lineage = o, o, o, o, o, memory.ID("first of "+o)
		return row
	}
	update(t, s, func(w store.Writer) error {
		for _, o := range odd {
			row := record(o)
			if _, err := w.Holder(row.ID); !errors.Is(err, store.ErrNotFound) {
				t.Fatalf("%.20q: %v", o, err)
			}
			links := store.Links{Relations: []memory.Relation{{Type: "likes", Target: o}}}
			_, err := w.Insert(row, store.Document{Terms: map[string]int{o: 1, "word": 1}, Length: 2}, links)
			_, err2 := w.Record(store.Change{At: birth, Type: store.Erased, ID: row.ID, Mark: o})
			_, err3 := w.SetImport(store.Import{Digest: o, Format: o, Name: o, At: birth, State: store.Staging, Residue: []byte(o)})
			must(t, errors.Join(err, err2, err3,
				w.SetAlias(o, o, row.ID), w.SetProjectAlias(o, o),
				w.AgentKeeper().PutAgent(store.Agent{ID: o, Revision: 1, Version: o, Name: o, Status: o, Signer: o, Received: birth, Document: []byte(o)}),
				w.AgentKeeper().PutState(store.State{ID: o, Agent: o, Run: o, Status: o, Source: o, Checkpoint: birth, Received: birth, Document: []byte(o)}),
				w.AgentKeeper().Spend(store.Spent{Issuer: o, JTI: o, Until: birth}, birth),
				w.SetReceipt(store.Receipt{Key: o, Request: o, Answer: []byte(o), At: birth}, time.Hour),
				w.SetGrant(store.Grant{ID: o, Name: o, Claims: []byte(o), Issued: birth, Revoked: birth}),
				w.SetMoved(o), w.SetAccount(store.Account{Label: o, Key: []byte(o), Added: birth}),
			))
		}
		return nil
	})
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		for n, o := range odd {
			want := record(o)
			want.Number = int64(n + 1)
			same := func(what string, got, want any, err error) {
				t.Helper()
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%.20q: %s: %v (-want +got):\n%.400s", o, what, err, diff)
				}
			}
			row, err := r.Row(want.ID)
			same("row", row, want, err)
			rows, err := r.Beginning(want.ID, 1)
			same("beginning", rows, []store.Row{want}, err)
			rows, err = r.Duplicates(o, 0)
			same("duplicates", rows, []store.Row{want}, err)
			rows, err = r.Rows(store.Filter{Projects: []string{o}}, store.Cursor{}, 9)
			same("project", rows, []store.Row{want}, err)
			rows, err = r.Rows(store.Filter{Lineage: want.Columns.Lineage}, store.Cursor{}, 9)
			same("lineage", rows, []store.Row{want}, err)
			ids, err := r.Relating(o)
			same("relating", ids, []memory.ID{want.ID}, err)
			id, err := r.Alias(o, o)
			same("alias", id, want.ID, err)
			receipt, err := r.Receipt(o)
			same("receipt", receipt, store.Receipt{Key: o, Request: o, Answer: []byte(o), At: birth}, err)
			grant, err := r.Grant(o)
			same("grant", grant, store.Grant{ID: o, Name: o, Claims: []byte(o), Issued: birth, Revoked: birth}, err)
			agent, err := r.Agents().Agent(o, 0)
			same("agent", agent, store.Agent{ID: o, Revision: 1, Version: o, Name: o, Status: o, Signer: o, Received: birth, Document: []byte(o)}, err)
			state, err := r.Agents().StateList(o, store.StatePlace{}, 9)
			same("states", state, []store.State{{ID: o, Agent: o, Run: o, Status: o, Source: o, Checkpoint: birth, Received: birth}}, err)
			imp, err := r.Import(want.Number)
			same("import", []string{imp.Digest, imp.Format, imp.Name, string(imp.Residue)}, []string{o, o, o, o}, err)
			counts, err := r.Frequencies([]string{o, "word"})
			same("frequencies", counts, []int{1, len(odd)}, err)
			if isWhole(o) {
				terms, err := r.Terms(o, 1)
				same("terms", terms, []string{o}, err)
			}
			postings, err := r.Postings(o, 9)
			same("postings", postings, []store.Posting{{Document: want.Number, Frequency: 1, Length: 2}}, err)
		}
		return lists(t, r, odd)
	}))
	sound(t, s)
	forget(t, s, odd)
}

// lists looks at the lists.
func lists(t *testing.T, r store.Reader, odd []string) error {
	names, err := r.ProjectAliases()
	projects, err2 := r.Projects(time.Time{})
	changes, err3 := r.Changes(0, 99)
	grants, err4 := r.Grants()
	moved, err5 := r.Moved()
	account, err6 := r.Account()
	last := odd[len(odd)-1]
	if moved != last || account.Label != last || string(account.Key) != last {
		t.Error("the owner's row has changed")
	}
	for n, o := range odd {
		if names[o] != o || string(changes[n].ID) != o || changes[n].Mark != o ||
			!slices.ContainsFunc(projects, func(p store.Project) bool { return p.Name == o && p.Records == 1 && p.Last.Equal(birth) }) ||
			!slices.ContainsFunc(grants, func(g store.Grant) bool { return g.ID == o }) {
			t.Errorf("%.20q is not listed", o)
		}
	}
	return errors.Join(err, err2, err3, err4, err5, err6)
}

// forget removes everything again, by those strings.
func forget(t *testing.T, s *Store, odd []string) {
	update(t, s, func(w store.Writer) error {
		for n, o := range odd {
			must(t, errors.Join(w.Reindex(int64(n+1), store.Document{Terms: map[string]int{o + "2": 1}, Length: 1}),
				w.Replace(small(memory.ID(o)), store.Links{}), w.Delete(memory.ID(o)), w.DropReceipts(memory.ID(o)), w.SetProjectAlias(o, "")))
		}
		return nil
	})
	sound(t, s)
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		for _, table := range []string{"records", "postings", "terms", "relations", "aliases", "project_aliases", "receipts"} {
			n := -1
			must(t, r.(*session).first(fmt.Sprintf(`SELECT count(*) FROM %s WHERE owner = $1`, table), nil, &n))
			if n != 0 {
				t.Errorf("table %s has %d rows", table, n)
			}
		}
		return nil
	}))
}

// TestShort expects the server to make of a string what short does.
func TestShort(t *testing.T) {
	s := openSealed(t, made(t), nil)
	odd := oddities()
	update(t, s, func(w store.Writer) error {
		for _, o := range odd {
			if _, err := w.Insert(small(memory.ID(o)), store.Document{}, store.Links{}); err != nil {
				return err
			}
		}
		return nil
	})
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		for n, o := range odd {
			var got string
			must(t, r.(*session).first(`SELECT by_id FROM records WHERE owner = $1 AND doc = $2`, []any{n + 1}, &got))
			if got != short(o) || len(got) > shortSize || isWhole(got) != (got == o) {
				t.Errorf("%.20q is found by %q", o, got)
			}
		}
		return nil
	}))
}
