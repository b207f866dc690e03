package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// checkWall checks that the role of the programs has its rights and no more, and that
// row-level security holds for it. It returns one finding a line.
func (s *ownerTx) checkWall() ([]string, error) {
	var findings []string
	var names []string
	for _, t := range owned {
		names = append(names, t.name)
	}
	tables := statement{query: selectWall, args: []any{names}, scan: func(rows pgx.Rows) error {
		var t rights
		err := rows.Scan(&t.name, &t.active, &t.may)
		findings = append(findings, t.findings()...)
		return err
	}}
	var drawn []string
	policies := statement{query: selectPolicies, args: []any{names}, scan: func(rows pgx.Rows) error {
		var policy string
		err := rows.Scan(&policy)
		drawn = append(drawn, policy)
		return err
	}}
	makers := statement{query: selectMakers, scan: func(rows pgx.Rows) error {
		var name string
		err := rows.Scan(&name)
		findings = append(findings, "in the schema "+schemaName+" "+name+" may make what satchel could take for PostgreSQL's own")
		return err
	}}
	if err := s.all(tables, policies, makers); err != nil {
		return nil, err
	}
	for _, want := range wantedPolicies() {
		if i := slices.Index(drawn, want); i >= 0 {
			drawn = slices.Delete(drawn, i, i+1)
			continue
		}
		table, _, _ := strings.Cut(want, " ")
		findings = append(findings, "table "+table+" lacks a policy as satchel makes it")
	}
	for _, more := range drawn {
		table, _, _ := strings.Cut(more, " ")
		findings = append(findings, "table "+table+" has a policy that satchel does not make so")
	}
	return findings, nil
}

// rights are the rights of the role on a table.
type rights struct {
	name   string
	active bool   // row-level security holds
	may    string // separated by commas
}

func (r rights) findings() (found []string) {
	if !r.active {
		found = append(found, "row-level security does not hold for table "+r.name)
	}
	for _, t := range owned {
		if want := "SELECT, " + t.may; t.name == r.name && want != r.may {
			found = append(found, fmt.Sprintf("the role %s may %s on table %s, and should %s", applicationRole, r.may, r.name, want))
		}
	}
	return found
}

// selectWall reads the rights on each table. The owner, $1, does not matter.
const selectWall = `SELECT t.name, row_security_active(t.name), (
		SELECT coalesce(string_agg(p.name, ', ' ORDER BY p.place), 'nothing')
		FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) WITH ORDINALITY AS p (name, place)
		WHERE has_table_privilege(t.name, p.name))
	FROM unnest($2::text[]) AS t (name) WHERE $1::uuid IS NOT NULL`

// selectPolicies writes each policy in one line, as the server reads it.
const selectPolicies = `SELECT concat_ws(' ', polrelid::regclass, polname, polpermissive, polcmd, polroles,
		pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
	FROM pg_policy WHERE polrelid = ANY ($2::text[]::regclass[]) AND $1::uuid IS NOT NULL`

// wantedPolicies are the lines that selectPolicies should return.
func wantedPolicies() []string {
	const own = `(owner = (NULLIF(current_setting('app.owner'::text, true), ''::text))::uuid)`
	var lines []string
	for _, name := range listed {
		lines = append(lines, name+` list t r {0} (current_setting('app.scope'::text, true) = 'owners'::text)`)
	}
	for _, t := range owned {
		lines = append(lines, t.name+` own t * {0} `+own+` `+own)
	}
	return lines
}
