package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Query runs a statement as somebody outside of satchel, and returns the first
// column of what it finds, which must be text.
func Query(t testing.TB, url, query string) []string {
	t.Helper()
	ctx := context.Background() // a test that has ended may have something to clean up
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx) // nothing is under way
	rows, err := c.Query(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}
