package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table project_aliases: which name of a project stands for which.
//
//	owner, alias  key
//	project       the name it stands for
var projectAliasesTable = newTable("project_aliases")

// ProjectAliases returns the table, without rows that somebody else put there.
func (s *session) ProjectAliases() (map[string]string, error) {
	names := make(map[string]string)
	err := s.each(selectProjectAliases, []any{s.owner.number}, func(rows *sql.Rows) error {
		var alias, project string
		genuine, err := s.genuine(projectAliasesTable, rows.Scan, &alias, &project)
		if genuine {
			names[alias] = project
		}
		return err
	})
	return names, err
}

var selectProjectAliases = `SELECT ` + projectAliasesTable.list + `, alias, project FROM project_aliases WHERE owner = ?`

// SetProjectAlias changes one row of the table.
func (w *writer) SetProjectAlias(alias, project string) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if project == "" {
		return w.drop(`DELETE FROM project_aliases WHERE owner = ? AND alias = ? RETURNING seal`, w.owner.number, alias)
	}
	return w.set(projectAliasesTable, alias, project)
}

// Projects counts what is live in each project.
func (s *session) Projects() ([]store.Project, error) {
	if err := s.loadRuns(); err != nil {
		return nil, err
	}
	without, err := s.withoutBack()
	if err != nil {
		return nil, err
	}
	var projects []store.Project
	query := `SELECT project, count(*) FROM records INDEXED BY records_project
		WHERE owner = ? AND status = 'active'` + s.published() + without + ` GROUP BY project ORDER BY count(*) DESC, project`
	err = s.each(query, []any{s.owner.number}, func(rows *sql.Rows) error {
		var p store.Project
		err := rows.Scan(&p.Name, &p.Records)
		projects = append(projects, p)
		return err
	})
	return projects, err
}
