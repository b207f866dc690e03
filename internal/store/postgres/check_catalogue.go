package postgres

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// catalogue lists the schema that the migrations make: a line for each table, column,
// index and constraint, as the server describes it. A test keeps it up to date.
//
//go:embed catalogue.txt
var catalogue string

// checkCatalogue compares the store's tables, columns, indexes and constraints with
// the catalogue.
func (s *ownerTx) checkCatalogue() ([]string, error) {
	got, err := s.readCatalogue()
	if err != nil {
		return nil, err
	}
	want := strings.Split(strings.TrimSpace(catalogue), "\n")
	var findings []string
	for _, part := range want {
		if !slices.Contains(got, part) {
			findings = append(findings, "the schema lacks the "+nameOf(part)+" as satchel makes it")
		}
	}
	for _, part := range got {
		if !slices.Contains(want, part) {
			findings = append(findings, "the schema holds the "+nameOf(part)+", which satchel does not make so")
		}
	}
	return findings, nil
}

// nameOf returns the kind and name of the part that a line describes.
func nameOf(part string) string {
	name, _, _ := strings.Cut(part, ":")
	return name
}

// readCatalogue reads from the database the lines that the catalogue should hold.
func (s *ownerTx) readCatalogue() ([]string, error) {
	names := []string{"schema_version"}
	for _, t := range owned {
		names = append(names, t.name)
	}
	var parts []string
	err := s.each(selectCatalogue, []any{names}, func(rows pgx.Rows) error {
		var part string
		err := rows.Scan(&part)
		parts = append(parts, strings.Join(strings.Fields(part), " "))
		return err
	})
	slices.Sort(parts)
	return parts, err
}

// selectCatalogue describes the tables in the schema of table owners, without the
// schema's name. The owner, $1, does not matter.
const selectCatalogue = `WITH place AS (SELECT n.oid, quote_ident(n.nspname) || '.' AS name FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = 'owners'::regclass AND $1::uuid IS NOT NULL),
	tables AS (SELECT c.* FROM pg_class AS c JOIN place ON c.relnamespace = place.oid WHERE c.relname = ANY ($2::text[]))
	SELECT 'table ' || relname || ': ' || relkind::text || ' ' || relpersistence::text FROM tables
	UNION ALL
	SELECT 'column ' || t.relname || '.' || a.attname || ': ' || format_type(a.atttypid, a.atttypmod) ||
		CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || CASE WHEN o.collname = 'default' OR o.collname IS NULL THEN ''
		ELSE ' COLLATE ' || o.collname END || coalesce(' ' || a.attgenerated::text || ' ' || pg_get_expr(d.adbin, d.adrelid), '')
		FROM tables AS t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_collation AS o ON o.oid = a.attcollation LEFT JOIN pg_attrdef AS d ON d.adrelid = t.oid AND d.adnum = a.attnum
	UNION ALL
	SELECT 'index ' || c.relname || ': ' || replace(pg_get_indexdef(i.indexrelid), place.name, '') ||
		CASE WHEN i.indisvalid THEN '' ELSE ' INVALID' END
		FROM tables AS t JOIN pg_index AS i ON i.indrelid = t.oid JOIN pg_class AS c ON c.oid = i.indexrelid CROSS JOIN place
	UNION ALL
	SELECT 'constraint ' || c.conname || ': ' || pg_get_constraintdef(c.oid)
		FROM tables AS t JOIN pg_constraint AS c ON c.conrelid = t.oid WHERE c.contype IN ('c', 'f', 'p', 'u', 'x')
	UNION ALL
	SELECT 'trigger ' || g.tgname || ': ' || t.relname FROM tables AS t JOIN pg_trigger AS g ON g.tgrelid = t.oid
		WHERE NOT g.tgisinternal
	UNION ALL
	SELECT 'rule ' || r.rulename || ': ' || t.relname FROM tables AS t JOIN pg_rewrite AS r ON r.ev_class = t.oid`
