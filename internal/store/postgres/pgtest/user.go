package pgtest

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Program returns the URL of a database for a user who may do what programs may: a
// member of the role satchel, and nothing else.
func Program(t testing.TB, database string) string {
	t.Helper()
	ctx := context.Background()
	c, err := connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	for _, statement := range []string{`CREATE ROLE satchel NOLOGIN`, `CREATE ROLE satchel_app LOGIN IN ROLE satchel`} {
		_, err := c.Exec(ctx, statement)
		refused, there := errors.AsType[*pgconn.PgError](err)
		if there = there && (refused.Code == "42710" || refused.Code == "23505"); err != nil && !there {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("satchel_app")
	return u.String()
}
