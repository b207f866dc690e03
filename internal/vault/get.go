package vault

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Get returns one record (UMP 3.4). The owner's side also gets closed and forgotten
// records, with their text until retention ends.
func (v *Vault) Get(ctx context.Context, c memory.Caller, id memory.ID, view memory.View) (memory.Record, error) {
	const op = "get"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return memory.Record{}, err
	}
	if id == "" {
		return memory.Record{}, Invalid(op, "/id", "UMP-3.4-5", "say which record is wanted")
	}
	var out memory.Record
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		g, row, rec, err := v.reached(r, c, id)
		if err != nil {
			return err
		}
		if view == memory.OriginView && row.Origin != nil && !g.HasExpired(rec) {
			row.Current, row.Followed = nil, false // the present form decides what the caller may have
			born, err := g.record(row)
			if err != nil {
				return err
			}
			if c.Speaks() || born.Version == rec.Version { // the first form in an earlier edition is evidence, for the owner
				rec = born
			}
		}
		out, err = g.emit(rec, c.Speaks())
		return err
	})
	if err == nil {
		v.noteGiven(c, inquiry{way: op, project: out.Scope.Project}, out.ID)
	}
	return out, v.refusal(c, op, id, err)
}

// History returns every version of the belief a record belongs to, oldest first.
func (v *Vault) History(ctx context.Context, c memory.Caller, id memory.ID) ([]memory.Record, error) {
	const op = "history"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return nil, err
	}
	var versions []memory.Record
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		row, err := r.Row(id)
		if err != nil {
			return err
		}
		rows, err := r.Rows(store.Filter{Lineage: row.Columns.Lineage}, store.Cursor{}, ChainLimit)
		if err != nil {
			return err
		}
		g, err := v.gate(r, c)
		if err != nil {
			return err
		}
		versions, err = v.shown(g, rows, anyStatus)
		versions = bySuccession(versions)
		if err == nil && len(versions) == 0 {
			return store.ErrNotFound
		}
		return err
	})
	if err == nil {
		v.noteGiven(c, inquiry{way: op}, idsOf(versions)...)
	}
	return versions, v.refusal(c, op, id, err)
}

// bySuccession puts each version after those that it supersedes, whatever their times,
// and otherwise keeps the order.
func bySuccession(versions []memory.Record) []memory.Record {
	place, out := make(map[memory.ID]int, len(versions)), make([]memory.Record, 0, len(versions))
	for i, rec := range versions {
		place[rec.ID] = i
	}
	put := make([]bool, len(versions))
	for i := range versions {
		for todo := []int{i}; len(todo) > 0; {
			at := todo[len(todo)-1]
			before := len(todo)
			for _, id := range versions[at].Supersedes {
				if prior, here := place[id]; here && !put[prior] && !slices.Contains(todo, prior) {
					todo = append(todo, prior)
				}
			}
			if len(todo) > before {
				continue
			}
			todo = todo[:len(todo)-1]
			if !put[at] {
				put[at] = true
				out = append(out, versions[at])
			}
		}
	}
	return out
}

var anyStatus = []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}

// shown decodes rows and returns the records that the gate admits.
func (v *verifier) shown(g Gate, rows []store.Row, statuses []memory.Status) ([]memory.Record, error) {
	out := make([]memory.Record, 0, len(rows))
	altered, err := v.alteredOf(g.rows, rows)
	if err != nil {
		return nil, err
	}
	records, damage := v.checkedAll(rows, g.Caller.Owner)
	for i, row := range rows {
		if row.Columns.Staged {
			continue // staged by the requested import, not published
		}
		rec, err := records[i], damage[i]
		if altered[row.Number] {
			err = Altered(row)
		}
		if err != nil {
			v.damaged(g.Caller.Owner, row.ID, err)
			continue // one damaged record must not hide the others; doctor reports it
		}
		admitted, err := g.admits(&rec, statuses)
		if err == nil && admitted {
			rec, err = g.emit(rec, false)
			out = append(out, rec)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func idsOf(records []memory.Record) []memory.ID {
	ids := make([]memory.ID, len(records))
	for i, rec := range records {
		ids[i] = rec.ID
	}
	return ids
}

// ListQuery says what to list.
type ListQuery struct {
	Project  string // records of this project only; empty: of every project
	Kinds    []memory.Kind
	Statuses []memory.Status // none: active
	Since    time.Time       // created at or after this instant
	ValidAt  time.Time       // valid at this instant; zero: at any time
	Import   int64           // records of this import; 0: of any source
	Newest   bool            // newest first
	After    string          // Next of the page before; empty: the first page
	Before   string          // a place: the page that ends right before it; then After is empty
	Limit    int             // records on the page; 0: 50, above 1000: 1000
	Forks    bool            // say which records are one of several current versions
}

// Page is one page of a list.
type Page struct {
	Records []memory.Record
	Next    string // for After, the next page; for Before, if that was given, the page before this one; empty: there is none
	Total   int    // how many records the whole list has; only the owner's side sees it
	// Forked are those that are one of several current versions; nil unless asked for.
	Forked map[memory.ID]bool
	Places []string // where the records stand, for After and Before
}

// List returns records in the order of their creation, page by page.
func (v *Vault) List(ctx context.Context, c memory.Caller, q ListQuery) (Page, error) {
	const op = "list"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return Page{}, err
	}
	after, err := parseCursor(cmp.Or(q.Before, q.After))
	if err != nil {
		return Page{}, err
	}
	limit := min(max(q.Limit, 0), 1000)
	if limit == 0 {
		limit = 50
	}
	var page Page
	err = v.store.View(ctx, c.Owner, func(r store.Reader) error {
		f, err := filterOf(r, q)
		if err != nil {
			return err
		}
		if c.Speaks() {
			if page.Total, err = r.Count(f); err != nil {
				return err
			}
		}
		g, err := v.gate(r, c)
		if err != nil {
			return err
		}
		if q.Before != "" {
			f.Newest = !f.Newest
		}
		err = v.fill(&page, r, g, f, q.Statuses, after, limit)
		if q.Before != "" {
			slices.Reverse(page.Records)
			slices.Reverse(page.Places)
		}
		if err == nil && q.Forks {
			page.Forked, err = v.forked(g, page.Records)
		}
		return err
	})
	if err == nil {
		v.noteGiven(c, inquiry{way: op, project: q.Project}, idsOf(page.Records)...)
	}
	return page, v.refusal(c, op, "", err)
}

// fill fills a page, however many rows the gate withholds.
func (v *verifier) fill(page *Page, r store.Reader, g Gate, f store.Filter, statuses []memory.Status, after store.Cursor, limit int) error {
	for {
		want := limit - len(page.Records)
		rows, err := r.Rows(f, after, want)
		if err != nil {
			return err
		}
		shown, err := v.shown(g, rows, statuses)
		if err != nil {
			return err
		}
		page.Records, page.Places = append(page.Records, shown...), append(page.Places, placesOf(rows, shown)...)
		if len(rows) < want {
			return nil
		}
		after = cursorOf(rows[len(rows)-1])
		if len(page.Records) == limit {
			page.Next = formatCursor(after)
			return nil
		}
	}
}

func cursorOf(row store.Row) store.Cursor {
	return store.Cursor{Created: row.Columns.Created, Number: row.Number}
}

// placesOf returns where those of the rows stand that are shown. Both are in one order.
func placesOf(rows []store.Row, shown []memory.Record) (places []string) {
	for _, row := range rows {
		if n := len(places); n < len(shown) && shown[n].ID == row.ID {
			places = append(places, formatCursor(cursorOf(row)))
		}
	}
	return places
}

func filterOf(r store.Reader, q ListQuery) (store.Filter, error) {
	f := store.Filter{Kinds: q.Kinds, Statuses: q.Statuses, Since: q.Since, ValidAt: q.ValidAt, Import: q.Import, Newest: q.Newest}
	if len(f.Statuses) == 0 {
		f.Statuses = []memory.Status{memory.Active}
	}
	if q.Project == "" {
		return f, nil
	}
	n, err := projectNames(r)
	if err != nil {
		return f, err
	}
	f.Projects = n.spellings(q.Project)
	return f, nil
}

// spellings returns every name that records of the project may carry.
func (n ProjectNames) spellings(project string) []string {
	project = n.canonical(project)
	all := []string{project}
	for alias, p := range n {
		if p == project {
			all = append(all, alias)
		}
	}
	return all
}

func formatCursor(c store.Cursor) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(c.Created.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, uint64(c.Number)))
}

func parseCursor(s string) (store.Cursor, error) {
	if s == "" {
		return store.Cursor{}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != 16 {
		return store.Cursor{}, Invalid("list", "/after", "", "the page mark is not one that list gave")
	}
	return store.Cursor{
		Created: time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(),
		Number:  int64(binary.BigEndian.Uint64(b[8:])),
	}, nil
}
