package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestOwned compares the list of tables that have owners with the catalogue.
func TestOwned(t *testing.T) {
	c, err := pgx.Connect(t.Context(), made(t))
	must(t, err)
	defer c.Close(t.Context())
	rows, err := c.Query(t.Context(), `SELECT table_name::text FROM information_schema.columns
		WHERE table_schema = 'satchel' AND column_name = 'owner' ORDER BY 1`)
	must(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	var want []string
	for _, table := range owned {
		want = append(want, table.name)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the database has %q, the list %q", got, want)
	}
	for _, table := range tables() {
		if !slices.Contains(want, table.Name) {
			t.Errorf("table %s is not in the list", table.Name)
		}
	}
	rows, err = c.Query(t.Context(), `SELECT c.relname || '.' || a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
		WHERE c.relnamespace = 'satchel'::regnamespace AND (c.relkind = 'r' OR c.relkind = 'i' AND EXISTS (SELECT FROM pg_index AS i
			WHERE i.indexrelid = c.oid AND i.indexprs IS NOT NULL)) AND c.relname NOT LIKE 'goose%' AND a.attnum > 0
			AND a.atttypid = 'bytea'::regtype AND a.attname NOT IN ('seal', 'secret') AND a.attstattarget <> 0`)
	must(t, err)
	sampled, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(sampled) > 0 {
		t.Errorf("the server keeps samples of %q, which may be what people say", sampled)
	}
}

// cluster answers like a database with Citus and notes what it is asked.
type cluster struct {
	*pgx.Conn
	citus bool
	done  []string // tables that are distributed
	asked []string
}

func (c *cluster) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	switch {
	case strings.Contains(query, "pg_extension"):
		return c.Conn.Query(ctx, `SELECT 1 WHERE $1`, c.citus)
	case strings.Contains(query, "pg_dist_partition"):
		return c.Conn.Query(ctx, `SELECT unnest($1::text[])`, c.done)
	}
	c.asked = append(c.asked, query)
	name := strings.Split(query, "'")[1]
	c.done = append(c.done, name)
	return c.Conn.Query(ctx, `SELECT 1`)
}

func TestDistribute(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), made(t))
	must(t, err)
	defer conn.Close(t.Context())
	must(t, distribute(t.Context(), conn)) // the real one, which has no Citus
	plain := &cluster{Conn: conn}
	must(t, distribute(t.Context(), plain))
	if len(plain.asked) > 0 {
		t.Errorf("without Citus: %q", plain.asked)
	}
	c := &cluster{Conn: conn, citus: true}
	must(t, distribute(t.Context(), c))
	if len(c.asked) != len(owned)+1 || c.asked[0] != `SELECT create_reference_table('schema_version')` ||
		c.asked[1] != `SELECT create_distributed_table('owners', 'owner')` ||
		c.asked[2] != `SELECT create_distributed_table('records', 'owner', colocate_with => 'owners')` {
		t.Errorf("with Citus: %q", c.asked)
	}
	c.asked = nil
	must(t, distribute(t.Context(), c))
	if len(c.asked) > 0 {
		t.Errorf("once more: %q", c.asked)
	}
	c.done = c.done[:len(c.done)-1]
	must(t, distribute(t.Context(), c))
	if last := owned[len(owned)-1].name; len(c.asked) != 1 || !strings.Contains(c.asked[0], "'"+last+"'") {
		t.Errorf("one table is new: %q", c.asked)
	}
}
