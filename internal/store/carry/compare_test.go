package carry_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// answers are what a store answers to every question there is about an owner.
type answers map[string]any

func (a answers) add(question string, answer any, err error) {
	if err != nil {
		answer = err.Error()
		for _, known := range []error{store.ErrNotFound, store.ErrAltered} {
			if errors.Is(err, known) {
				answer = known.Error()
			}
		}
	}
	a[question] = answer
}

// ask puts every question of [store.Reader].
func ask(t testing.TB, s store.Store, owner memory.DID, x *world) answers {
	t.Helper()
	a := answers{}
	must(t, s.View(context.Background(), owner, func(r store.Reader) error {
		numbers := a.records(r, x)
		a.search(r, x)
		a.beside(r, x)
		a.journal(r, x)
		a.trust(r, x, numbers)
		return nil
	}))
	return a
}

func (a answers) records(r store.Reader, x *world) (numbers []int64) {
	for n := range int64(x.next + 2) {
		numbers = append(numbers, n)
	}
	filters := map[string]store.Filter{
		"all": {}, "newest": {Newest: true}, "kinds": {Kinds: []memory.Kind{memory.Semantic, memory.Episodic}},
		"active": {Statuses: []memory.Status{memory.Active}}, "projects": {Projects: []string{"", "shop", "nul\x00byte", "\xff\xfe"}},
		"expired": {Expired: birth.AddDate(1, 0, 0)}, "since": {Since: birth.AddDate(0, 0, 5)}, "valid": {ValidAt: birth.AddDate(0, 0, 5)},
	}
	for _, id := range x.ids {
		filters["lineage "+string(id)] = store.Filter{Lineage: id}
		row, err := r.Row(id)
		a.add("row "+string(id), row, err)
	}
	for _, n := range x.imports {
		filters["import "+string(rune('0'+n))] = store.Filter{Import: n}
		for _, digest := range x.digests {
			rows, err := r.Duplicates(digest, n)
			a.add("duplicates "+digest+string(rune('0'+n)), rows, err)
		}
	}
	for name, f := range filters {
		rows, err := r.Rows(f, store.Cursor{}, 1000)
		a.add("rows "+name, rows, err)
		n, err := r.Count(f)
		a.add("count "+name, n, err)
	}
	for _, prefix := range x.prefixes {
		rows, err := r.Beginning(prefix, 100)
		a.add("beginning "+string(prefix), rows, err)
	}
	rows, err := r.Numbered(numbers)
	a.add("numbered", rows, err)
	altered, err := r.Altered(numbers)
	a.add("altered", altered, err)
	for _, target := range x.targets {
		ids, err := r.Relating(target)
		a.add("relating "+target, ids, err)
	}
	for _, alias := range x.aliases {
		id, err := r.Alias(alias[0], alias[1])
		a.add("alias "+alias[0]+" "+alias[1], id, err)
	}
	projects, err := r.Projects(time.Time{})
	a.add("projects", projects, err)
	names, err := r.ProjectAliases()
	a.add("project aliases", names, err)
	return numbers
}

func (a answers) search(r store.Reader, x *world) {
	documents, length, err := r.Size()
	a.add("size", [2]int64{documents, length}, err)
	frequencies, err := r.Frequencies(x.terms)
	a.add("frequencies", frequencies, err)
	for _, prefix := range append([]string{""}, x.terms...) {
		terms, err := r.Terms(prefix[:min(len(prefix), 3)], 1000)
		a.add("terms "+prefix, terms, err)
	}
	for _, term := range x.terms {
		postings, err := r.Postings(term, 1000)
		a.add("postings "+term, postings, err)
	}
}

func (a answers) beside(r store.Reader, x *world) {
	for _, k := range x.beside {
		for _, imp := range append([]int64{0}, x.imports...) {
			one, err := r.Attached(k[0], k[1], imp)
			a.add("attached "+k[0]+" "+k[1]+string(rune('0'+imp)), one, err)
			list, err := r.Attachments(store.AttachmentFilter{Space: k[0], Import: imp}, 0, 1000)
			a.add("attachments "+k[0]+string(rune('0'+imp)), list, err)
		}
		for _, id := range x.ids {
			from, err := r.Attachments(store.AttachmentFilter{Space: k[0], From: id}, 0, 1000)
			a.add("attachments of "+string(id)+" in "+k[0], from, err)
		}
	}
}

func (a answers) journal(r store.Reader, x *world) {
	changes, err := r.Changes(0, 1000)
	a.add("changes", changes, err)
	head, err := r.Head()
	a.add("head", head, err)
	for _, key := range x.keys {
		receipt, err := r.Receipt(key)
		a.add("receipt "+key, receipt, err)
	}
	imports, err := r.Imports()
	a.add("imports", imports, err)
	for _, n := range x.imports {
		i, err := r.Import(n)
		a.add("import "+string(rune('0'+n)), i, err)
	}
}

func (a answers) trust(r store.Reader, x *world, numbers []int64) {
	lessons, err := r.Lessons(numbers)
	a.add("lessons", lessons, err)
	grants, err := r.Grants()
	a.add("grants", grants, err)
	for _, id := range x.grants {
		g, err := r.Grant(id)
		a.add("grant "+id, g, err)
	}
	agents, err := r.Agents().AgentList("", 1000)
	slices.SortFunc(agents, func(a, b store.Agent) int { return strings.Compare(a.ID, b.ID) }) // each store has an order of its own for long ids
	a.add("agents", agents, err)
	for _, id := range x.agents {
		newest, err := r.Agents().Agent(id, 0)
		first, err2 := r.Agents().Agent(id, 1)
		a.add("agent "+id, []store.Agent{newest, first}, errors.Join(err, err2))
	}
	states, err := r.Agents().StateList("", store.StatePlace{}, 1000)
	a.add("states", states, err)
	for _, s := range states {
		full, err := r.Agents().State(s.ID)
		a.add("state "+s.ID, full, err)
	}
	runs, err := r.Runs().RunList("", store.RunPlace{}, 1000)
	a.add("runs", runs, err)
	for _, run := range runs {
		full, err := r.Runs().Run(run.ID)
		events, err2 := r.Runs().RunEvents(run.ID, 0, 1000)
		a.add("run "+run.ID, full, err)
		a.add("events of "+run.ID, events, err2)
	}
	sessions, err := r.Sessions().SessionList()
	a.add("sessions", sessions, err)
	readings, err := r.Readings().ReadingList(store.ReadingFilter{Max: 1000})
	a.add("readings", readings, err)
	account, err := r.Account()
	a.add("account", account, err)
	records, bytes, err := r.Usage()
	a.add("usage", [2]int64{records, bytes}, err)
	moved, err := r.Moved()
	a.add("moved", moved, err)
	entries, hashes, err := r.Audit().AuditSize()
	a.add("audit size", [2]int64{entries, hashes}, err)
	log, err := r.Audit().AuditEntries(0, 1000)
	a.add("audit", log, err)
	places := make([]int64, hashes)
	for i := range places {
		places[i] = int64(i)
	}
	digests, err := r.Audit().AuditHashes(places)
	a.add("audit hashes", digests, err)
	signed, err := r.Audit().AuditHead()
	a.add("audit head", signed, err)
}

// contents are all rows of an owner with their seals, by tables and keys, and the
// owner's row but for what cleaning its files changes.
func contents(t testing.TB, s carry.Place, owner memory.DID) map[string][]any {
	t.Helper()
	all := map[string][]any{}
	must(t, s.Leave(context.Background(), owner, "", func(l store.OwnerRows) error {
		row, err := l.Owner()
		if err != nil {
			return err
		}
		all["owner"] = []any{stored.Identity(row)}
		for _, table := range stored.Tables()[1:] {
			for after := []any(nil); ; {
				rows, err := l.Rows(table.Name, after, 7)
				if err != nil {
					return err
				}
				if len(rows) == 0 {
					break
				}
				for _, row := range rows {
					all[table.Name+" "+string(stored.PackKey(row[:table.Key]))] = row
				}
				after = rows[len(rows)-1][:table.Key]
			}
		}
		return nil
	}))
	return all
}

func same[V any](t testing.TB, what string, got, want V) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // which is cheaper than a difference
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
