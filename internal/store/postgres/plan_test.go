package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// TestReplan sees how the server goes about a statement that was first used while
// the table was empty: it keeps to that as the table grows, until the connection
// has it think again.
func TestReplan(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"autovacuum": "off"}})
	url := server.Database(t)
	if err := Migrate(t.Context(), url, Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := s.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `PREPARE probe (uuid, bytea) AS SELECT doc FROM records WHERE owner = $1 AND by_id = $2`); err != nil {
		t.Fatal(err)
	}
	plan := func() string {
		rows, _ := conn.Query(t.Context(), `EXPLAIN EXECUTE probe ('00000000-0000-0000-0000-000000000000', 'x')`)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	empty := plan()
	owner := memory.DID("did:key:replanned")
	err = s.Update(t.Context(), owner, func(w store.Writer) error {
		for n := range 1000 {
			row := store.Row{ID: memory.ID("urn:ump:" + strings.Repeat("x", 20) + string(rune('a'+n%26)) + string(rune(0x100+n))), Origin: []byte("{}"),
				Columns: store.Columns{Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: time.Unix(1, 0)}}
			if _, err := w.Insert(row, store.Document{}, store.Links{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if grown := plan(); grown != empty {
		t.Fatalf("the plan has changed by itself, which this is to show it does not:\n%s\n%s", empty, grown)
	}
	for range 4 { // the connection is new: among so many it thinks again
		if err := replan(t.Context(), conn.Conn()); err != nil {
			t.Fatal(err)
		}
	}
	if grown := plan(); grown == empty || !strings.Contains(grown, "records_id") {
		t.Errorf("the plan is still that of an empty table:\n%s", grown)
	}
}
