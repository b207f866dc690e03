package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/racing"
)

// schemaRule is a rule that the finished schema is held to. Its query names what
// breaks it, from the rows of the catalogue that ours returns.
type schemaRule struct{ name, query string }

// ours are the tables of the store as t, beside the one in which the migrations are
// counted, with the number of the column owner as own. The table of the schema's
// version has no owner: every machine has the whole of it.
const ours = `WITH place AS (SELECT relnamespace AS oid FROM pg_class WHERE oid = 'owners'::regclass),
	t AS (SELECT c.*, c.relname::text AS name, a.attnum AS own, c.relname = 'schema_version' AS whole FROM pg_class AS c
		JOIN place ON c.relnamespace = place.oid
		LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'owner' AND NOT a.attisdropped
		WHERE c.relkind IN ('r', 'p', 'f') AND c.relname <> 'goose_db_version')
	`

// columns are the columns of these tables as a.
const columns = `FROM t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped `

var schemaRules = []schemaRule{
	{"owner", `SELECT name FROM t LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = t.own WHERE NOT whole
		AND (own IS NULL OR a.atttypid <> 'uuid'::regtype OR NOT a.attnotnull OR a.atthasdef)`},
	{"list", `SELECT name FROM t WHERE NOT whole AND name <> ALL ($1)`},
	{"kind", `SELECT name FROM t WHERE relkind <> 'r' OR relispartition OR EXISTS (SELECT FROM pg_inherits AS i WHERE t.oid IN (i.inhrelid, i.inhparent))`},
	{"logged", `SELECT name FROM t WHERE relpersistence <> 'p'`},
	{"primary key", `SELECT name FROM t LEFT JOIN pg_constraint AS c ON c.conrelid = t.oid AND c.contype = 'p'
		WHERE c.oid IS NULL OR NOT whole AND c.conkey[1] IS DISTINCT FROM own`},
	{"unique", `SELECT i.indexrelid::regclass::text FROM t JOIN pg_index AS i ON i.indrelid = t.oid
		WHERE i.indisunique AND NOT i.indisprimary AND i.indkey[0] IS DISTINCT FROM own`},
	{"exclusion", `SELECT c.conname::text FROM t JOIN pg_constraint AS c ON c.conrelid = t.oid AND c.contype = 'x'
		WHERE c.conkey[1] IS DISTINCT FROM own OR (SELECT oprname FROM pg_operator WHERE oid = c.conexclop[1]) <> '='`},
	{"index", `SELECT i.indexrelid::regclass::text FROM t JOIN pg_index AS i ON i.indrelid = t.oid
		WHERE NOT whole AND i.indkey[0] IS DISTINCT FROM own AND i.indexrelid::regclass::text NOT IN ('due_at', 'owners_label')`},
	{"foreign key", `SELECT c.conname::text FROM t JOIN pg_constraint AS c ON c.conrelid = t.oid AND c.contype = 'f'
		LEFT JOIN t AS other ON other.oid = c.confrelid WHERE c.conkey[1] IS DISTINCT FROM t.own
		OR c.confkey[1] IS DISTINCT FROM other.own OR other.own IS NULL OR c.confdeltype IN ('n', 'd') OR c.confupdtype IN ('c', 'n', 'd')`},
	{"numbers", `SELECT name || '.' || a.attname ` + columns + `LEFT JOIN pg_attrdef AS d ON d.adrelid = t.oid AND d.adnum = a.attnum
		WHERE a.attidentity <> '' OR a.attgenerated = '' AND pg_get_expr(d.adbin, d.adrelid) ~ '\w\(|CURRENT_|LOCALTIME|SESSION_USER'
		UNION ALL SELECT c.relname FROM pg_class AS c JOIN place ON c.relnamespace = place.oid WHERE c.relkind = 'S' AND NOT EXISTS (
			SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.refobjid = to_regclass('goose_db_version'))`},
	{"trigger", `SELECT g.tgname::text FROM t JOIN pg_trigger AS g ON g.tgrelid = t.oid AND NOT g.tgisinternal
		UNION ALL SELECT r.rulename FROM t JOIN pg_rewrite AS r ON r.ev_class = t.oid
		UNION ALL SELECT evtname FROM pg_event_trigger
		UNION ALL SELECT p.proname FROM pg_proc AS p JOIN place ON p.pronamespace = place.oid`},
	{"security", `SELECT name FROM t WHERE NOT whole AND (NOT relrowsecurity OR relforcerowsecurity)`},
	{"policy", `SELECT name || '.' || p.polname FROM t JOIN pg_policy AS p ON p.polrelid = t.oid
		WHERE concat(p.polqual::text, p.polwithcheck::text) LIKE '%{SUBLINK%'
			OR p.polpermissive AND name || '.' || p.polname NOT IN ('owners.list', 'due.list') AND concat(
				pg_get_expr(p.polqual, t.oid), pg_get_expr(p.polwithcheck, t.oid)) NOT LIKE '%(owner = (NULLIF(current_setting(%'
		UNION ALL SELECT name FROM t WHERE NOT whole AND NOT EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = t.oid AND p.polpermissive
			AND p.polcmd = '*' AND p.polroles = '{0}' AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL)`},
	{"role", `SELECT name FROM t WHERE pg_has_role('` + applicationRole + `', relowner, 'MEMBER')
		UNION ALL SELECT rolname FROM pg_roles WHERE rolname = '` + applicationRole + `' AND (rolsuper OR rolbypassrls OR rolcanlogin)`},
	{"collation", `SELECT name || '.' || a.attname ` + columns + `JOIN pg_type AS y ON y.oid = a.atttypid
		WHERE y.typcollation <> 0 AND (a.atttypid <> 'text'::regtype OR a.attcollation <> 'pg_catalog."C"'::regcollation)
		UNION ALL SELECT i.indexrelid::regclass::text FROM t JOIN pg_index AS i ON i.indrelid = t.oid
			CROSS JOIN unnest(i.indcollation) AS l (oid) WHERE l.oid NOT IN (0, 'pg_catalog."C"'::regcollation)`},
}

// breaches returns the rules that the schema breaks, and by what.
func breaches(t *testing.T, tx pgx.Tx) (found []string) {
	t.Helper()
	var names []string
	for _, table := range owned {
		names = append(names, table.name)
	}
	for _, r := range schemaRules {
		var args []any
		if strings.Contains(r.query, "$1") {
			args = append(args, names)
		}
		rows, err := tx.Query(t.Context(), ours+r.query, args...)
		must(t, err)
		what, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		for _, w := range what {
			found = append(found, r.name+": "+w)
		}
	}
	return found
}

// TestSchema holds what the migrations leave to what plain PostgreSQL and Citus have
// in common, and sees of every rule that it finds what breaks it.
func TestSchema(t *testing.T) {
	racing.Skip(t)
	c, err := pgx.Connect(t.Context(), made(t))
	must(t, err)
	defer c.Close(context.Background()) // nothing is under way
	tried := make(map[string]bool)
	try := func(ddl string) []string {
		tx, err := c.Begin(t.Context())
		must(t, err)
		defer func() { must(t, tx.Rollback(t.Context())) }()
		if _, err := tx.Exec(t.Context(), ddl, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Errorf("%s: %v", ddl, err)
		}
		if err != nil {
			return nil
		}
		return breaches(t, tx)
	}
	t.Run("AIMEM-5.2-3 every row of content has one owner", func(t *testing.T) {
		for _, fault := range try(``) {
			t.Errorf("the schema breaks a rule: %s", fault)
		}
	})
	for _, bad := range badSchemas {
		tried[bad.rule] = true
		if found := try(bad.ddl); !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, bad.rule+": "+bad.what) }) {
			t.Errorf("%s: want %s: %s, got %q", bad.ddl, bad.rule, bad.what, found)
		}
	}
	for _, r := range schemaRules {
		if !tried[r.name] {
			t.Errorf("nothing breaks the rule %s", r.name)
		}
	}
	for _, ddl := range goodSchemas {
		for _, fault := range try(ddl) {
			t.Errorf("%s: %s", ddl, fault)
		}
	}
}
