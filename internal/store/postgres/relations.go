package postgres

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

var namesSQL = &stored.NamesSQL{Alias: selectAlias, ProjectAliases: selectProjectAliases, DropProjectAlias: deleteProjectAlias}

var selectProjectAliases = `SELECT ` + tableOf("project_aliases").list + ` FROM project_aliases WHERE owner = $1`

const (
	selectAlias = `SELECT a.space, a.alias, a.doc, a.seal, d.id
	FROM aliases AS a JOIN records AS d ON d.owner = a.owner AND d.doc = a.doc
	WHERE a.owner = $1 AND d.owner = $1 AND a.by_space = $2 AND a.by_alias = $3`

	deleteProjectAlias = `DELETE FROM project_aliases WHERE owner = $1 AND by_alias = $2 RETURNING seal`
)

// Projects counts the active records of each project that are valid at an instant.
func (r *records) Projects(validAt time.Time) ([]store.Project, error) {
	st := &stream{}
	st.and("status = 'active'")
	st.and("NOT " + erasedRow)
	r.publish(st)
	counts := "true"
	if !validAt.IsZero() {
		st.args = append(st.args, stored.Micros(validAt))
		at := "$" + strconv.Itoa(len(st.args)+1)
		counts = "valid_from <= " + at + " AND (valid_to IS NULL OR valid_to > " + at + ")"
	}
	var projects []store.Project
	err := r.each(`SELECT by_project, count(*) FILTER (WHERE `+counts+`), max(created) FILTER (WHERE `+counts+`)
		FROM records WHERE owner = $1`+st.where.String()+` GROUP BY by_project`, st.args,
		func(rows pgx.Rows) error {
			var p store.Project
			var last *int64
			err := rows.Scan(&p.Name, &p.Records, &last)
			if last != nil {
				p.Last = stored.Instant(*last)
			}
			projects = append(projects, p)
			return err
		})
	if err != nil {
		return nil, err
	}
	for i := range projects {
		if name := &projects[i].Name; !isWhole(*name) {
			err := r.first(`SELECT project FROM records WHERE owner = $1 AND by_project = $2 LIMIT 1`, []any{*name}, name)
			if err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(projects, func(a, b store.Project) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Name, b.Name))
	})
	return projects, nil
}

// Table relations: the links between records, of any type.
//
//	owner, target, doc  key; target is a record's id or an entity, doc the record
//	                    that links to it
//	by_target           see short
//
// Index relations_doc finds the links of a record.
var relationsTable = tableOf("relations")

// Relating returns the records that link to a target.
func (r *records) Relating(target string) ([]memory.ID, error) {
	var ids []memory.ID
	err := r.each(selectRelating, []any{short(target)}, func(rows pgx.Rows) error {
		var doc int64
		var id memory.ID
		if err := rows.Scan(&doc, &id); err != nil {
			return err
		}
		if r.runs.Staging(doc) == nil {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

const selectRelating = `SELECT r.doc, d.id FROM relations AS r JOIN records AS d ON d.owner = r.owner AND d.doc = r.doc
	WHERE r.owner = $1 AND d.owner = $1 AND r.by_target = $2 ORDER BY r.doc`

// targets returns the targets of a record's links, each once.
func targets(links store.Links) []string {
	var list []string
	for _, r := range links.Relations {
		list = append(list, r.Target)
	}
	for _, id := range links.Supersedes {
		list = append(list, string(id))
	}
	return unique(list)
}

// link files the links of a record.
func (w recordWriter) link(doc int64, targets []string) error {
	return w.put(relationsTable, len(targets), func(i int) []any { return []any{targets[i], doc} })
}

// linksOf reads the links of a record with their seals.
func linksOf(doc int64, into map[string][]byte) statement {
	return statement{query: selectLinks, args: []any{doc}, scan: func(rows pgx.Rows) error {
		var target string
		var seal []byte
		err := rows.Scan(&target, &seal)
		into[target] = seal
		return err
	}}
}

const (
	selectLinks     = `SELECT target, seal FROM relations WHERE owner = $1 AND doc = $2`
	deleteRelations = `DELETE FROM relations WHERE owner = $1 AND doc = $2`
)

// relink replaces the links of a record. Unchanged links keep their rows.
func (w recordWriter) relink(doc int64, before map[string][]byte, targets []string) error {
	if slices.Equal(slices.Sorted(maps.Keys(before)), targets) {
		return w.failed()
	}
	for _, seal := range before {
		w.owner.Lose(seal)
	}
	w.later(deleteRelations, doc)
	return w.link(doc, targets)
}
