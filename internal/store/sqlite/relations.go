package sqlite

import (
	"database/sql"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

var namesSQL = &stored.NamesSQL{Alias: selectAlias, ProjectAliases: selectProjectAliases, DropProjectAlias: deleteProjectAlias}

var selectProjectAliases = `SELECT ` + tableOf("project_aliases").list + ` FROM project_aliases WHERE owner = ?`

const (
	selectAlias = `SELECT a.owner, a.space, a.alias, a.doc, a.seal, records.id FROM aliases AS a CROSS JOIN records ON records.doc = a.doc
	WHERE a.owner = ? AND a.space = ? AND a.alias = ? AND records.owner = a.owner`

	deleteAliases      = `DELETE FROM aliases INDEXED BY aliases_doc WHERE owner = ? AND doc = ? RETURNING seal`
	deleteProjectAlias = `DELETE FROM project_aliases WHERE owner = ? AND alias = ? RETURNING seal`
)

// Projects counts the active records of each project that are valid at an instant.
func (r *records) Projects(validAt time.Time) ([]store.Project, error) {
	if err := r.loadRuns(); err != nil {
		return nil, err
	}
	without, err := r.withoutBack()
	if err != nil {
		return nil, err
	}
	var projects []store.Project
	counts, args := "true", []any{}
	if !validAt.IsZero() {
		at := stored.Micros(validAt)
		counts, args = isValid, []any{at, at, at, at}
	}
	query := `SELECT project, count(*) FILTER (WHERE ` + counts + `), max(created) FILTER (WHERE ` + counts + `)
		FROM records INDEXED BY records_project WHERE owner = ? AND status = 'active'` + r.published() + without + `
		GROUP BY project ORDER BY 2 DESC, project`
	err = r.each(query, append(args, r.owner.number), func(rows *sql.Rows) error {
		var p store.Project
		var last sql.NullInt64
		err := rows.Scan(&p.Name, &p.Records, &last)
		if last.Valid {
			p.Last = stored.Instant(last.Int64)
		}
		projects = append(projects, p)
		return err
	})
	return projects, err
}

// Table relations: the links between records, of any type.
//
//	owner, target, doc  key; target is a record's id or an entity, doc the key of
//	                    the record that links to it
//
// Index relations_doc finds the links of a record.
var relationsTable = tableOf("relations")

// Relating returns the records that link to a target.
func (r *records) Relating(target string) ([]memory.ID, error) {
	if err := r.loadRuns(); err != nil {
		return nil, err
	}
	var ids []memory.ID
	err := r.each(selectRelating, []any{r.owner.number, target}, func(rows *sql.Rows) error {
		var doc int64
		var id memory.ID
		if err := rows.Scan(&doc, &id); err != nil {
			return err
		}
		if r.runs.Staging(number(doc)) == nil {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

const selectRelating = `SELECT r.doc, records.id FROM relations AS r CROSS JOIN records ON records.doc = r.doc
	WHERE r.owner = ? AND r.target = ? AND records.owner = r.owner ORDER BY r.doc`

const deleteRelations = `DELETE FROM relations INDEXED BY relations_doc WHERE owner = ? AND doc = ? RETURNING seal`
