package postgres

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// outgrownPlans opens a store that the server never analyses by itself.
func outgrownPlans(t *testing.T) *Store {
	t.Helper()
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"autovacuum": "off"}})
	url := server.Database(t)
	must(t, Migrate(t.Context(), url, Options{}))
	return openSealed(t, url, nil)
}

// planOf returns how the server goes about a statement that is prepared as probe.
func planOf(t *testing.T, c *pgx.Conn) string {
	t.Helper()
	rows, _ := c.Query(t.Context(), `EXPLAIN EXECUTE probe ('00000000-0000-0000-0000-000000000000', 'x')`)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return strings.Join(lines, "\n")
}

const prepareProbe = `PREPARE probe (uuid, bytea) AS SELECT doc FROM records WHERE owner = $1 AND by_id = $2`

// insertThousand adds rows, no two with the same id.
func insertThousand(w store.Writer) error {
	for n := range 1000 {
		row := store.Row{ID: memory.ID("urn:ump:" + strings.Repeat("x", 20) + string(rune('a'+n%26)) + string(rune(0x100+n))), Origin: []byte("{}"),
			Columns: store.Columns{Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: time.Unix(1, 0)}}
		if _, err := w.Insert(row, store.Document{}, store.Links{}); err != nil {
			return err
		}
	}
	return nil
}

// TestReplan sees how the server goes about a statement that was first used while
// the table was empty: it keeps to that as the table grows, until the connection
// has it think again.
func TestReplan(t *testing.T) {
	s := outgrownPlans(t)
	conn, err := s.acquire(t.Context())
	must(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), prepareProbe)
	must(t, err)
	empty := planOf(t, conn.Conn())
	must(t, s.Update(t.Context(), "did:key:replanned", insertThousand))
	if grown := planOf(t, conn.Conn()); grown != empty {
		t.Fatalf("the plan has changed by itself, which this is to show it does not:\n%s\n%s", empty, grown)
	}
	for range 4 { // the connection is new: among so many it thinks again
		must(t, replan(t.Context(), conn.Conn()))
	}
	if grown := planOf(t, conn.Conn()); grown == empty || !strings.Contains(grown, "records_id") {
		t.Errorf("the plan is still that of an empty table:\n%s", grown)
	}
}

// TestReplanWithin expects the server to think again within a long transaction too.
func TestReplanWithin(t *testing.T) {
	s := outgrownPlans(t)
	update(t, s, func(w store.Writer) error {
		conn := w.(*writer).tx.conn.Conn()
		_, err := conn.Exec(t.Context(), prepareProbe)
		must(t, err)
		empty := planOf(t, conn)
		must(t, errors.Join(insertThousand(w), w.(*writer).tx.send(t.Context(), "write")))
		if grown := planOf(t, conn); grown == empty || !strings.Contains(grown, "records_id") {
			t.Errorf("the plan is still that of an empty table:\n%s", grown)
		}
		return nil
	})
}
