package postgres

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// place is the position of a row in the order created, number.
type place struct{ created, doc int64 }

// stream is one way to read table records: a condition for which an index yields rows
// in that order. The streams of a filter share no row.
type stream struct {
	where   strings.Builder
	args    []any  // from $2 on
	created string // how statements name the column created
}

// Several indexes have the order created, doc. Where another condition finds few
// rows, the server must not search such an index for them; it cannot know how few
// they are. So statements use a name that no index matches.
const unordered = "created + 0"

// and adds a condition. Each question mark in it stands for one of the values.
func (st *stream) and(condition string, values ...any) {
	st.where.WriteString(" AND ")
	for _, v := range values {
		before, after, _ := strings.Cut(condition, "?")
		st.args = append(st.args, v)
		st.where.WriteString(before + "$" + strconv.Itoa(len(st.args)+1))
		condition = after
	}
	st.where.WriteString(condition)
}

// streams finds the streams of a filter. If the filter allows several kinds or
// projects, each gets its own stream, already in order, and the store merges the
// heads. So the server need not gather and sort all matches.
func (r *records) streams(f store.Filter) []*stream {
	var streams []*stream
	add := func(condition string, values ...any) {
		st := &stream{created: "created"}
		if f.Lineage != "" || f.Import == 0 && !f.Expired.IsZero() {
			st.created = unordered
		}
		st.and(condition, values...)
		r.confine(st, f)
		streams = append(streams, st)
	}
	switch {
	case f.Lineage != "":
		add("sha256(lineage) = sha256(?) AND lineage <> ''::bytea", f.Lineage)
		add("by_id = ? AND lineage = ''::bytea", short(f.Lineage))
	case f.Import != 0:
		add("import = ?", f.Import)
	case !f.Expired.IsZero():
		add("expires <= ?", stored.Micros(f.Expired))
	case len(f.Projects) > 0:
		for _, project := range unique(f.Projects) {
			for _, kind := range kinds(f) {
				add("by_project = ? AND kind = ?", short(project), kind)
			}
		}
	case len(f.Kinds) > 0:
		for _, kind := range kinds(f) {
			add("kind = ?", kind)
		}
	default:
		add("true")
	}
	return streams
}

// confine adds the filter's conditions that its streams do not cover.
func (r *records) confine(st *stream, f store.Filter) {
	special := f.Lineage != "" || f.Import != 0 || !f.Expired.IsZero()
	if special && len(f.Kinds) > 0 {
		st.and("kind = ANY (?)", f.Kinds)
	}
	if special && len(f.Projects) > 0 {
		st.and("by_project = ANY (?)", shortAll(f.Projects))
	}
	if f.Lineage != "" && f.Import != 0 {
		st.and("import = ?", f.Import)
	}
	if (f.Lineage != "" || f.Import != 0) && !f.Expired.IsZero() {
		st.and("expires <= ?", stored.Micros(f.Expired))
	}
	switch statuses := unique(f.Statuses); len(statuses) {
	case 0:
	case 1:
		st.and("status = ?", statuses[0]) // the index answers this
	default:
		st.and("status = ANY (?)", statuses)
	}
	if !f.Since.IsZero() {
		st.and(st.created+" >= ?", stored.Micros(f.Since))
	}
	if !f.ValidAt.IsZero() {
		at := stored.Micros(f.ValidAt)
		st.and("valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)", at, at)
	}
	if f.Import == 0 {
		r.publish(st)
	}
}

// publish leaves staged rows out; most of the time there are none.
func (r *records) publish(st *stream) {
	if len(r.runs) == 0 {
		return
	}
	firsts, lasts := make([]int64, len(r.runs)), make([]int64, len(r.runs))
	for i, run := range r.runs {
		firsts[i], lasts[i] = run.First, run.Last
	}
	st.and(`NOT EXISTS (SELECT 1 FROM unnest(?::bigint[], ?::bigint[]) AS run (first, last)
		WHERE records.doc BETWEEN run.first AND run.last)`, firsts, lasts)
}

// page adds the condition and the order of a page, and returns the statement after
// the owner.
func (st *stream) page(f store.Filter, after store.Cursor, max int) string {
	compare, direction := ">", ""
	if f.Newest {
		compare, direction = "<", " DESC"
	}
	if after != (store.Cursor{}) {
		st.and("("+st.created+", doc) "+compare+" (?, ?)", stored.Micros(after.Created), after.Number)
	}
	st.args = append(st.args, max)
	return st.where.String() + " ORDER BY " + st.created + direction + ", doc" + direction +
		" LIMIT $" + strconv.Itoa(len(st.args)+1)
}

// Rows reads a stream of rows. For several streams it first finds the places of rows,
// in indexes alone where it can, and then reads the rows.
func (r *records) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	if err := r.Ready(); err != nil || max <= 0 {
		return nil, err
	}
	streams := r.streams(f)
	if len(streams) == 1 {
		where := streams[0].page(f, after, max)
		return r.rows(selectRecords+where, streams[0].args...)
	}
	places, err := r.places(streams, f, after, max)
	if err != nil {
		return nil, err
	}
	docs := make([]int64, min(len(places), max))
	for i := range docs {
		docs[i] = places[i].doc
	}
	return r.fetch(docs)
}

// places returns the first max places of each stream after the cursor, in order.
func (r *records) places(streams []*stream, f store.Filter, after store.Cursor, max int) ([]place, error) {
	var places []place
	var list []statement
	for _, st := range streams {
		where := st.page(f, after, max)
		list = append(list, statement{query: `SELECT created, doc FROM records WHERE owner = $1` + where, args: st.args,
			scan: func(rows pgx.Rows) error {
				var p place
				err := rows.Scan(&p.created, &p.doc)
				places = append(places, p)
				return err
			}})
	}
	err := r.all(list...)
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.doc, b.doc))
	})
	if f.Newest {
		slices.Reverse(places)
	}
	return places, err
}

// Count adds up the rows of each stream. The same round trip asks whether erased rows
// were put back; those do not count.
func (r *records) Count(f store.Filter) (int, error) {
	sum, back := 0, false
	list := append(r.counts(f, false, &sum), statement{query: selectBack, scan: func(rows pgx.Rows) error { return rows.Scan(&back) }})
	if err := r.all(list...); err != nil || !back {
		return sum, err
	}
	sum = 0
	err := r.all(r.counts(f, true, &sum)...)
	return sum, err
}

// counts returns the statements that add the rows of each stream to sum, without rows
// that came back although they were erased.
func (r *records) counts(f store.Filter, back bool, sum *int) (list []statement) {
	for _, st := range r.streams(f) {
		if back {
			st.and("NOT " + erasedRow)
		}
		list = append(list, statement{query: `SELECT count(*) FROM records WHERE owner = $1` + st.where.String(), args: st.args,
			scan: func(rows pgx.Rows) error {
				n := 0
				err := rows.Scan(&n)
				*sum += n
				return err
			}})
	}
	return list
}

func kinds(f store.Filter) []memory.Kind {
	if len(f.Kinds) == 0 {
		return memory.Kinds()
	}
	return unique(f.Kinds)
}

func unique[S ~string](list []S) []S { return slices.Compact(slices.Sorted(slices.Values(list))) }
