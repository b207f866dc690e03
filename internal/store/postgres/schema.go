package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
)

// All tables lie in a schema of their own. The server looks names in statements up
// there and in PostgreSQL's own schema only, whatever the URL, the database or the
// user has set. In another schema somebody could define a function that fits the
// arguments better.
const (
	schemaName   = "satchel"
	searchPath   = `SET search_path = ` + schemaName + `, pg_catalog, pg_temp`
	bareSearch   = `SET search_path = pg_catalog, pg_temp`
	createSchema = `CREATE SCHEMA ` + schemaName
)

// settle sets where a new connection looks names up, after it has checked that the
// schema holds nothing but tables.
func settle(ctx context.Context, c *pgconn.PgConn) error {
	found, err := firstOf(ctx, c, bareSearch+`; `+selectStrange+`; `+searchPath)
	if err != nil || found == "" {
		return err
	}
	found, err = firstOf(ctx, c, bareSearch+`; `+selectCallable+`; `+searchPath)
	if err != nil || found == "" {
		return err
	}
	return refusal("open store", store.ErrNotStore, "the schema "+schemaName+" holds "+found+
		", which satchel does not make, and which could act in its name; find out who made it, and drop it")
}

// firstOf returns the first value that statements find.
func firstOf(ctx context.Context, c *pgconn.PgConn, statements string) (string, error) {
	results, err := c.Exec(ctx, statements).ReadAll()
	if err != nil {
		return "", err
	}
	for _, r := range results {
		if len(r.Rows) > 0 {
			return string(r.Rows[0][0]), nil
		}
	}
	return "", nil
}

const (
	// selectStrange finds out whether the schema holds anything but tables and what belongs to
	// them. The server files all that lies in a schema as what depends on it.
	selectStrange = `SELECT 1 FROM pg_depend AS d LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
	WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = to_regnamespace('` + schemaName + `')
		AND coalesce(c.relkind NOT IN (` + tableKinds + `), true) LIMIT 1`

	// selectCallable names objects in the schema that a statement might use by mistake. It looks
	// through the whole catalogue.
	selectCallable = `WITH place AS (SELECT oid FROM pg_namespace WHERE nspname = '` + schemaName + `')
	SELECT 'the function ' || p.proname FROM pg_proc AS p JOIN place ON p.pronamespace = place.oid
	UNION ALL SELECT 'the operator ' || o.oprname FROM pg_operator AS o JOIN place ON o.oprnamespace = place.oid
	UNION ALL SELECT 'the collation ' || l.collname FROM pg_collation AS l JOIN place ON l.collnamespace = place.oid
	UNION ALL SELECT 'the type ' || t.typname FROM pg_type AS t JOIN place ON t.typnamespace = place.oid
		WHERE t.typrelid = 0 AND t.typelem = 0
	UNION ALL SELECT 'the view ' || c.relname FROM pg_class AS c JOIN place ON c.relnamespace = place.oid
		WHERE c.relkind NOT IN (` + tableKinds + `)`

	// tableKinds are the kinds of tables and what belongs to them.
	tableKinds = `'r', 'p', 'i', 'I', 't', 'S'`
)

// makeSchema makes the schema, which belongs to the user of the connection. An
// existing schema must belong to that user: another owner could change the tables.
func makeSchema(ctx context.Context, c *pgx.Conn) error {
	var owner, user string
	err := c.QueryRow(ctx, selectSchema).Scan(&owner, &user)
	switch {
	case err != nil:
		return err
	case owner == user:
		return nil
	case owner != "":
		return refusal("migrate store", store.ErrOperator, fmt.Sprintf("the schema %s belongs to the role %q and the user of the URL is %q; "+
			"name %q in the URL if satchel is to work there, else rename that schema or take another database", schemaName, owner, user, owner))
	}
	if _, err = c.Exec(ctx, createSchema); lacksRight(err) {
		return refusal("migrate store", store.ErrOperator, fmt.Sprintf("this user may not make the schema of satchel's tables; "+
			"have a superuser run, and then try again: CREATE SCHEMA %s AUTHORIZATION %s;", schemaName, pgx.Identifier{user}.Sanitize()))
	}
	return err
}

const selectSchema = `SELECT coalesce((SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = '` + schemaName + `'), ''),
	current_user::text`

// acceptContents refuses a schema that holds other tables than satchel's.
func acceptContents(ctx context.Context, c *pgx.Conn) error {
	rows, err := c.Query(ctx, selectContents)
	if err != nil {
		return err
	}
	held, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	ours := []string{versionTable, gooseTable}
	for _, t := range owned {
		ours = append(ours, t.name)
	}
	known := slices.Contains(held, versionTable) || slices.Equal(held, []string{gooseTable}) // the first migration may have failed
	var others []string
	for _, name := range held {
		if !known || !slices.Contains(ours, name) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return refusal("migrate store", store.ErrNotStore, "the schema "+schemaName+" holds tables of another program, among them "+
		strings.Join(others[:min(3, len(others))], ", ")+"; rename that schema or take another database")
}

const (
	versionTable = "schema_version"
	gooseTable   = "goose_db_version"

	// selectContents lists tables, and sequences that belong to no column.
	selectContents = `SELECT c.relname::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = '` + schemaName + `' AND c.relkind IN ('r', 'p', 'S') AND NOT EXISTS (SELECT FROM pg_depend AS d
			WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i'))
		ORDER BY 1`

	// selectMakers names the users beside the schema's owner who may create objects
	// in it. The owner of rows, $1, does not matter.
	selectMakers = `SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
		FROM pg_namespace AS n, LATERAL aclexplode(n.nspacl) AS a WHERE n.nspname = '` + schemaName + `'
			AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner AND $1::uuid IS NOT NULL`
)

// closeSchema lets the programs use the schema, and lets only its owner create
// objects in it.
func closeSchema(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, selectMakers, ownerID{}.String())
	if err != nil {
		return err
	}
	makers, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	statements := []string{`REVOKE ALL ON SCHEMA ` + schemaName + ` FROM PUBLIC`, `GRANT USAGE ON SCHEMA ` + schemaName + ` TO ` + applicationRole}
	for _, maker := range makers {
		statements = append(statements, `REVOKE CREATE ON SCHEMA `+schemaName+` FROM `+maker)
	}
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("secure store: %w", err)
		}
	}
	return nil
}
