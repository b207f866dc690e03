package postgres

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table project_aliases: which name of a project stands for which.
//
//	owner, alias  key
//	project       the name it stands for
//	by_alias      see short
var projectAliasesTable = newTable("project_aliases")

// ProjectAliases returns the table, without rows that somebody else put there.
func (s *session) ProjectAliases() (map[string]string, error) {
	names := make(map[string]string)
	err := s.each(selectProjectAliases, nil, func(rows pgx.Rows) error {
		values, seal, err := projectAliasesTable.scan(rows)
		if err == nil && s.fits(projectAliasesTable, values, seal) {
			alias, _ := values[0].(string)
			names[alias], _ = values[1].(string)
		}
		return err
	})
	return names, err
}

var selectProjectAliases = `SELECT ` + projectAliasesTable.list + ` FROM project_aliases WHERE owner = $1`

// SetProjectAlias changes one row of the table.
func (w *writer) SetProjectAlias(alias, project string) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if project == "" {
		return w.drop(`DELETE FROM project_aliases WHERE owner = $1 AND by_alias = $2 RETURNING seal`, short(alias))
	}
	return w.set(projectAliasesTable, alias, project)
}

// Projects counts what is live in each project.
func (s *session) Projects() ([]store.Project, error) {
	st := &stream{}
	st.and("status = 'active'")
	st.and("NOT " + erasedRow)
	s.publish(st)
	var projects []store.Project
	err := s.each(`SELECT by_project, count(*) FROM records WHERE owner = $1`+st.where.String()+` GROUP BY by_project`, st.args,
		func(rows pgx.Rows) error {
			var p store.Project
			err := rows.Scan(&p.Name, &p.Records)
			projects = append(projects, p)
			return err
		})
	if err != nil {
		return nil, err
	}
	for i := range projects {
		if name := &projects[i].Name; !isWhole(*name) {
			err := s.first(`SELECT project FROM records WHERE owner = $1 AND by_project = $2 LIMIT 1`, []any{*name}, name)
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
