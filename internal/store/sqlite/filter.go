package sqlite

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// place is the position of a row in the order created, number.
type place struct{ created, doc int64 }

// stream is one way to read table records: an index that yields rows in that order,
// and the conditions on them. The streams of a filter share no row.
type stream struct {
	index string
	where string
	args  []any
}

// streams finds the streams of a filter. If the filter allows several kinds or
// projects, each gets its own stream, already in order, and the store merges the
// heads. So SQLite need not gather and sort all matches.
func (r *records) streams(f store.Filter) []stream {
	rest, args := r.conditions(f)
	var streams []stream
	add := func(index, where string, own ...any) {
		streams = append(streams, stream{index, where + rest, slices.Concat([]any{r.owner.number}, own, args)})
	}
	switch {
	case f.Lineage != "":
		add("records_lineage", "lineage = ? AND lineage <> ''", string(f.Lineage))
		add("records_id", "id = ? AND lineage = ''", string(f.Lineage))
	case f.Import != 0:
		add("records_import", "import = ?", f.Import)
	case !f.Expired.IsZero():
		add("records_expires", "expires <= ?", stored.Micros(f.Expired))
	case len(f.Projects) > 0:
		for _, project := range unique(f.Projects) {
			for _, kind := range kinds(f) {
				add("records_project", "project = ? AND kind = ?", project, string(kind))
			}
		}
	case len(f.Kinds) > 0:
		for _, kind := range kinds(f) {
			add("records_kind", "kind = ?", string(kind))
		}
	default:
		add("records_created", "true")
	}
	return streams
}

// conditions returns the filter's conditions that its streams do not cover.
func (r *records) conditions(f store.Filter) (string, []any) {
	var where strings.Builder
	var args []any
	and := func(condition string, more ...any) {
		where.WriteString(" AND " + condition)
		args = append(args, more...)
	}
	special := f.Lineage != "" || f.Import != 0 || !f.Expired.IsZero()
	if special && len(f.Kinds) > 0 {
		and("kind IN "+marks(len(f.Kinds)), anys(f.Kinds)...)
	}
	if special && len(f.Projects) > 0 {
		and("project IN "+marks(len(f.Projects)), anys(f.Projects)...)
	}
	if f.Lineage != "" && f.Import != 0 {
		and("import = ?", f.Import)
	}
	if (f.Lineage != "" || f.Import != 0) && !f.Expired.IsZero() {
		and("expires <= ?", stored.Micros(f.Expired))
	}
	if len(f.Statuses) > 0 {
		and("status IN "+marks(len(f.Statuses)), anys(f.Statuses)...)
	}
	if !f.Since.IsZero() {
		and("created >= ?", stored.Micros(f.Since))
	}
	if !f.ValidAt.IsZero() {
		at := stored.Micros(f.ValidAt)
		and(isValid, at, at)
	}
	if f.Import == 0 {
		where.WriteString(r.published())
	}
	return where.String(), args
}

// isValid is the condition that a row's valid time holds an instant.
const isValid = "valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)"

// published returns the condition that leaves staged rows out; most of the time there
// are none and it is empty.
func (r *records) published() string {
	if len(r.runs) == 0 {
		return ""
	}
	return fmt.Sprintf(` AND NOT EXISTS (SELECT 1 FROM staged WHERE staged.owner = %d
		AND staged.first <= records.doc & %d AND staged.last >= records.doc & %d)`,
		r.owner.number, int64(1<<40-1), int64(1<<40-1))
}

// places returns the first max places of a stream after the cursor.
func (r *records) places(st stream, f store.Filter, after store.Cursor, max int) ([]place, error) {
	query, args := st.selectPlaces(f.Newest, after, &r.owner)
	var places []place
	err := r.each(query, append(args, max), func(rows *sql.Rows) error {
		var p place
		err := rows.Scan(&p.created, &p.doc)
		places = append(places, p)
		return err
	})
	return places, err
}

func (st stream) selectPlaces(newest bool, after store.Cursor, o *owner) (string, []any) {
	args := st.args
	query := "SELECT created, doc FROM records INDEXED BY " + st.index + " WHERE owner = ? AND " + st.where
	compare, direction := ">", ""
	if newest {
		compare, direction = "<", " DESC"
	}
	if after != (store.Cursor{}) {
		query += " AND (created, doc) " + compare + " (?, ?)"
		args = slices.Concat(args, []any{stored.Micros(after.Created), o.key(after.Number)})
	}
	return query + " ORDER BY created" + direction + ", doc" + direction + " LIMIT ?", args
}

// Count adds up the rows of each stream.
func (r *records) Count(f store.Filter) (int, error) {
	if err := r.loadRuns(); err != nil {
		return 0, err
	}
	without, err := r.withoutBack()
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, st := range r.streams(f) {
		n := 0
		query := "SELECT count(*) FROM records INDEXED BY " + st.index + " WHERE owner = ? AND " + st.where + without
		if err := r.first(query, st.args, &n); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func kinds(f store.Filter) []memory.Kind {
	if len(f.Kinds) == 0 {
		return memory.Kinds()
	}
	return unique(f.Kinds)
}

func unique[S ~string](list []S) []S { return slices.Compact(slices.Sorted(slices.Values(list))) }

// marks returns a list of n parameters.
func marks(n int) string { return "(?" + strings.Repeat(", ?", n-1) + ")" }

func anys[S ~string](list []S) []any {
	values := make([]any, len(list))
	for i, s := range list {
		values[i] = string(s)
	}
	return values
}
