package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
)

// owned lists all tables with the column owner, and the rights of programs beside
// reading.
var owned = []struct{ name, may string }{
	{"owners", "INSERT, UPDATE"},
	{"records", "INSERT, UPDATE, DELETE"},
	{"staged", "INSERT, UPDATE, DELETE"},
	{"postings", "INSERT, UPDATE, DELETE"},
	{"terms", "INSERT, UPDATE, DELETE"},
	{"relations", "INSERT, UPDATE, DELETE"},
	{"aliases", "INSERT, UPDATE, DELETE"},
	{"project_aliases", "INSERT, UPDATE, DELETE"},
	{"attachments", "INSERT, UPDATE, DELETE"},
	{"changes", "INSERT, DELETE"},
	{"receipts", "INSERT, UPDATE, DELETE"},
	{"imports", "INSERT, UPDATE, DELETE"},
	{"lessons", "INSERT, UPDATE, DELETE"},
	{"grants", "INSERT, UPDATE, DELETE"},
	{"agents", "INSERT, DELETE"},
	{"states", "INSERT, DELETE"},
	{"spent", "INSERT, DELETE"},
	{"runs", "INSERT, UPDATE, DELETE"},
	{"run_events", "INSERT, DELETE"},
	{"sessions", "INSERT, UPDATE, DELETE"},
	{"readings", "INSERT, UPDATE, DELETE"},
	{"audit", "INSERT"},
	{"audit_hashes", "INSERT"},
	{"audit_heads", "INSERT, UPDATE"},
	{"rates", "INSERT, UPDATE, DELETE"},
	{"arrivals", "INSERT, UPDATE, DELETE"},
	{"due", "INSERT, UPDATE, DELETE"},
}

// listed are the tables whose rows a transaction that lists owners may read.
var listed = []string{"owners", "due"}

// The policies. The policy of every table limits a transaction to the rows of its
// owner; the other lets a transaction that lists owners read their rows.
const (
	policyOwn  = `owner = nullif(current_setting('app.owner', true), '')::uuid`
	policyList = `current_setting('app.scope', true) = 'owners'`
)

// makeRole makes the role of the programs and lets the user of the connection assume
// it. In a cluster the nodes connect to each other as that role, so it may log in there.
func makeRole(ctx context.Context, c *pgx.Conn) error {
	cluster, err := hasCitus(ctx, c)
	if err != nil {
		return err
	}
	exists, may, logsIn := false, false, false
	look := func() error { return c.QueryRow(ctx, selectRole, applicationRole).Scan(&exists, &may, &logsIn) }
	do := func(statement string) error {
		if _, err := c.Exec(ctx, statement); err != nil && !madeMeanwhile(err) {
			return roleRefusal(err, cluster)
		}
		return look()
	}
	if err = look(); err == nil && !exists && !cluster {
		err = do(`CREATE ROLE ` + applicationRole + ` NOLOGIN`)
	}
	if err == nil && !exists && cluster {
		err = do(`CREATE ROLE ` + applicationRole + ` LOGIN`)
	}
	if err == nil && cluster && !logsIn {
		err = do(`ALTER ROLE ` + applicationRole + ` LOGIN`)
	}
	if err == nil && !may {
		err = do(`GRANT ` + applicationRole + ` TO CURRENT_USER`)
	}
	return err
}

// selectRole asks whether a role exists, whether this user may assume it, and whether it
// may log in.
const selectRole = `SELECT count(*) > 0, coalesce(bool_or(pg_has_role(oid, 'MEMBER')), false), coalesce(bool_or(rolcanlogin), false)
	FROM pg_roles WHERE rolname = $1`

func madeMeanwhile(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == "42710" || refused.Code == "23505")
}

func lacksRight(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "42501"
}

// roleRefusal says what a user with the rights must do.
func roleRefusal(err error, cluster bool) error {
	if !lacksRight(err) {
		return err
	}
	how := "NOLOGIN"
	if cluster {
		how = "LOGIN (or ALTER ROLE " + applicationRole + " LOGIN where it exists; the nodes of the cluster connect to each other as that role)"
	}
	return refusal("migrate store", store.ErrOperator, "this user may not make the role that satchel works as; have a superuser run, "+
		"and then try again: CREATE ROLE "+applicationRole+" "+how+"; GRANT "+applicationRole+" TO the user of the URL;")
}

// secure gives the programs the rights they need and no more, and sets the policies
// that separate owners, in one transaction. Rights and policies that exist already
// stay.
func secure(ctx context.Context, c *pgx.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if err := closeSchema(ctx, tx); err != nil {
			return err
		}
		var drawn []string
		rows, err := tx.Query(ctx, selectDrawn)
		if err != nil {
			return err
		}
		if drawn, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
		for _, statement := range securing(drawn) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("secure store: %w", err)
			}
		}
		return nil
	})
}

// selectDrawn lists the existing policies.
const selectDrawn = `SELECT tablename || '.' || policyname FROM pg_policies WHERE schemaname = current_schema()`

// securing returns the statements of secure; drawn lists the existing policies.
func securing(drawn []string) []string {
	list := []string{`GRANT SELECT ON schema_version TO ` + applicationRole}
	for _, t := range owned {
		list = append(list,
			`REVOKE ALL ON `+t.name+` FROM PUBLIC, `+applicationRole,
			`GRANT SELECT, `+t.may+` ON `+t.name+` TO `+applicationRole,
			`ALTER TABLE `+t.name+` ENABLE ROW LEVEL SECURITY`)
		if !slices.Contains(drawn, t.name+".own") {
			list = append(list, `CREATE POLICY own ON `+t.name+` USING (`+policyOwn+`) WITH CHECK (`+policyOwn+`)`)
		}
	}
	for _, name := range listed {
		if !slices.Contains(drawn, name+".list") {
			list = append(list, `CREATE POLICY list ON `+name+` FOR SELECT USING (`+policyList+`)`)
		}
	}
	return list
}
