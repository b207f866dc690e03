package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
)

// applicationRole is the role as which programs work. It owns nothing, so the
// policies of row-level security hold for it, whichever user connects.
const applicationRole = "satchel"

// furnish prepares a new connection for transactions: the role and the settings.
func (s *Store) furnish(ctx context.Context, c *pgx.Conn) error {
	c.PgConn().CustomData()[renewals] = s.renewed.Load()
	settings := s.settings(c.Config())
	if _, err := c.Exec(ctx, `SET ROLE `+applicationRole+settings); err != nil {
		return roleMissing(err)
	}
	return nil
}

// roleMissing says what to do when a program cannot work as its role.
func roleMissing(err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case ok && refused.Code == "22023": // no such role
		return refusal("open store", store.ErrNotStore, "there is no store in this database; run satchel init")
	case ok && refused.Code == "42501":
		return refusal("open store", store.ErrOperator, "the user of the URL may not work as the role "+applicationRole+
			"; have a superuser run: GRANT "+applicationRole+" TO that user;")
	}
	return err
}

// settings returns the statements for settings that the URL does not set. Every
// statement of this package has an index to use.
func (s *Store) settings(c *pgx.ConnConfig) string {
	var b strings.Builder
	for _, set := range [][2]string{
		{"statement_timeout", millis(s.opt.StatementTimeout)},
		{"lock_timeout", millis(s.opt.LockTimeout)},
		{"idle_in_transaction_session_timeout", millis(s.opt.IdleTimeout)},
		{"jit", "off"},
		{"enable_seqscan", "off"},
		{"citus.propagate_set_commands", "local"},
	} {
		if !says(&c.Config, set[0]) {
			b.WriteString(`; SET ` + set[0] + ` = '` + set[1] + `'`)
		}
	}
	if !says(&c.Config, "plan_cache_mode") {
		b.WriteString(`; ` + choosePlans)
	}
	return b.String()
}

// choosePlans says how the server plans the statements that a connection prepares once:
// for any values. Citus finds the shard by the owner's value, so there it plans them for
// the values of each call; a plan for any values fails with joins and EXISTS.
const choosePlans = `SELECT set_config('plan_cache_mode',
	CASE WHEN EXISTS (` + selectCitus + `) THEN 'force_custom_plan' ELSE 'force_generic_plan' END, false)`

func millis(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// says reports whether a URL sets a parameter of the session.
func says(c *pgconn.Config, name string) bool {
	return c.RuntimeParams[name] != "" || strings.Contains(c.RuntimeParams["options"], name)
}

const (
	schemaStatement = "satchel_schema"
	ownerStatement  = "satchel_owner"
	lockStatement   = "satchel_owner_locked"
	runsStatement   = "satchel_runs"
	takeStatement   = "satchel_take"
	sweepStatement  = "satchel_sweep"
	shareStatement  = "satchel_share"
	freeStatement   = "satchel_free"
	erasedStatement = "satchel_erasures"
)

// statements are those of pipe, so that a transaction begins in one round trip.
var statements = map[string]string{
	schemaStatement: `SELECT version, compatible FROM schema_version WHERE one`,
	ownerStatement:  ownersTable.row,
	lockStatement:   ownersTable.row + ` FOR UPDATE`,
	runsStatement:   selectRuns,
	takeStatement:   takeTokens,
	sweepStatement:  dropRates,
	shareStatement:  shareLock,
	freeStatement:   freeLock,
	erasedStatement: selectErasures,
}

// version is the schema version of a database.
type version struct {
	number     int32 // number of the last migration
	compatible int32 // the lowest schema number a program must know to work with it
}

// read fills the version in from a row in PostgreSQL's binary form.
func (v *version) read(raw [][]byte) error {
	if len(raw) != 2 || len(raw[0]) != 4 || len(raw[1]) != 4 {
		return errColumns
	}
	v.number, v.compatible = int32Of(raw[0]), int32Of(raw[1])
	return nil
}

func int32Of(b []byte) int32 {
	return int32(b[0])<<24 | int32(b[1])<<16 | int32(b[2])<<8 | int32(b[3])
}

// lostVersion returns the error for a database that has the tables but no schema
// number.
func lostVersion() error {
	return refusal("open store", store.ErrNotStore, "the store in this database is damaged: its table "+versionTable+
		" lacks its row; restore the database from a backup")
}

// acceptable refuses schemas of earlier releases, and those of later releases that do
// not support this one.
func (v version) acceptable(known int) error {
	switch {
	case v.number == 0:
		return lostVersion()
	case int(v.compatible) > known:
		return refusal("open store", store.ErrNewer, fmt.Sprintf(
			"the store has schema %d and this release knows schema %d; update satchel", v.number, known))
	case int(v.number) < known:
		return refusal("open store", store.ErrOperator, fmt.Sprintf(
			"the store has schema %d and this release needs schema %d; have the operator run satchel store migrate", v.number, known))
	}
	return nil
}

// withTimeout limits an action that should take only a moment.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 10*time.Second)
}
