package postgres

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// imitate makes a database look like the coordinator of a cluster of Citus, as far as
// this package asks, and another server like its worker. Tables stay where they are, so
// that this shows which statements are sent and to whom, and not what Citus makes of them.
func imitate(t *testing.T, coordinator, worker string) {
	t.Helper()
	u, err := url.Parse(worker)
	must(t, err)
	execute(t, coordinator, `CREATE EXTENSION dblink`,
		`CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass)`,
		`CREATE TABLE pg_catalog.pg_dist_local_group AS SELECT 0 AS groupid`,
		`CREATE TABLE pg_catalog.pg_dist_node AS SELECT * FROM (VALUES (0, 'here', 1, 'primary', true), (1, '127.0.0.1', `+u.Port()+`, 'primary', true))
			AS n (groupid, nodename, nodeport, noderole, shouldhaveshards)`,
		`GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_node TO PUBLIC`,
		`CREATE FUNCTION pg_catalog.create_reference_table(t regclass) RETURNS void LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (t)'`,
		`CREATE FUNCTION pg_catalog.create_distributed_table(t regclass, by text, colocate_with text DEFAULT '') RETURNS void
			LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (t)'`,
		`CREATE FUNCTION pg_catalog.citus_total_relation_size(t regclass) RETURNS bigint LANGUAGE sql AS 'SELECT 1000'`,
		`CREATE FUNCTION pg_catalog.master_run_on_worker(names text[], ports int[], commands text[], parallel boolean,
				OUT node_name text, OUT node_port int, OUT success boolean, OUT result text) RETURNS SETOF record SECURITY DEFINER LANGUAGE plpgsql AS $$
			BEGIN
				FOR i IN 1 .. cardinality(names) LOOP
					node_name := names[i]; node_port := ports[i];
					DECLARE
						at text := format('host=%s port=%s user=postgres dbname=postgres', names[i], ports[i]);
					BEGIN
						IF commands[i] LIKE 'SELECT%' THEN
							SELECT said INTO result FROM public.dblink(at, commands[i]) AS x (said text);
						ELSE
							result := public.dblink_exec(at, commands[i]);
						END IF;
						success := true;
					EXCEPTION WHEN OTHERS THEN
						success := false; result := SQLERRM;
					END;
					RETURN NEXT;
				END LOOP;
			END $$`,
		`INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
			VALUES (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.0')`)
}

// TestCluster works with what looks like a cluster.
func TestCluster(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"allow_system_table_mods": "on", "wal_recycle": "off"}})
	worker := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"wal_recycle": "on"}})
	db := server.Database(t)
	imitate(t, db, worker.URL())
	must(t, Init(t.Context(), db, Options{}))
	if logsIn := pgtest.Query(t, db, `SELECT rolcanlogin::text FROM pg_roles WHERE rolname = 'satchel'`); !slices.Equal(logsIn, []string{"true"}) {
		t.Errorf("nodes may log in to each other as satchel: %q", logsIn)
	}
	execute(t, db, `ALTER ROLE satchel NOLOGIN`)
	must(t, Migrate(t.Context(), db, Options{}))
	if logsIn := pgtest.Query(t, db, `SELECT rolcanlogin::text FROM pg_roles WHERE rolname = 'satchel'`); !slices.Equal(logsIn, []string{"true"}) {
		t.Errorf("after a migration nodes may log in to each other as satchel: %q", logsIn)
	}
	s := openSealed(t, db, secretOf)
	st, err := s.Status(t.Context())
	must(t, err)
	if want := int64(1000 * (len(owned) + 1)); !st.Distributed || st.Bytes != want {
		t.Errorf("it says %+v, want the %d bytes of all nodes", st, want)
	}
	if mode := modeOf(t, s); mode != "force_custom_plan" {
		t.Errorf("statements are planned by %s", mode)
	}
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:a") })
	update(t, s, func(w store.Writer) error { return w.Delete("urn:a") })
	before := pgtest.Query(t, worker.URL(), `SELECT pg_walfile_name(pg_current_wal_lsn())`)
	must(t, Scrub(t.Context(), db, Options{Seal: secretOf}))
	if after := pgtest.Query(t, worker.URL(), `SELECT pg_walfile_name(pg_current_wal_lsn())`); slices.Equal(before, after) {
		t.Errorf("after a scrub the worker still writes to %q", after)
	}
	sound(t, s)
	copies, err := Copies(t.Context(), db, Options{})
	must(t, err)
	if len(copies) != 1 || !strings.HasPrefix(copies[0], "node 127.0.0.1:") || !strings.Contains(copies[0], "wal_recycle") {
		t.Errorf("copies: %q", copies)
	}
}

// modeOf returns how a connection of a store plans statements.
func modeOf(t *testing.T, s *Store) (mode string) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SHOW plan_cache_mode`).Scan(&mode))
	return mode
}

// TestClusterScrub scrubs while a worker keeps old rows, and while it is away.
func TestClusterScrub(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"allow_system_table_mods": "on"}})
	worker := pgtest.Start(t, pgtest.Options{})
	db := server.Database(t)
	imitate(t, db, worker.URL())
	must(t, Init(t.Context(), db, Options{}))
	s := openSealed(t, db, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:a") })
	update(t, s, func(w store.Writer) error { return w.Delete("urn:a") })
	u, err := url.Parse(worker.URL())
	must(t, err)

	c, err := pgx.Connect(t.Context(), worker.URL()+"&application_name=stranger")
	must(t, err)
	defer c.Close(context.Background()) // the server ends before it
	_, err = c.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1`)
	must(t, err)
	execute(t, worker.URL(), `SELECT pg_current_xact_id()`) // a transaction later than that
	err = Scrub(t.Context(), db, Options{Seal: secretOf, ScrubTimeout: quietInterval})
	if !errors.Is(err, store.ErrBusy) || !strings.Contains(err.Error(), "stranger) on node "+u.Host) {
		t.Errorf("while a worker keeps old rows: %v", err)
	}
	execute(t, db, `UPDATE pg_dist_node SET nodeport = 1 WHERE groupid = 1`) // where nobody answers
	err = Scrub(t.Context(), db, Options{Seal: secretOf})
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "127.0.0.1:1 (") {
		t.Errorf("while a worker is away: %v", err)
	}
	if owed, err := s.Owed(t.Context()); err != nil || !owed {
		t.Errorf("after a scrub that did not reach every node: owed %v, %v", owed, err)
	}
	copies, err := Copies(t.Context(), db, Options{})
	must(t, err)
	if !slices.ContainsFunc(copies, func(line string) bool { return strings.HasPrefix(line, "node 127.0.0.1:1 does not say") }) {
		t.Errorf("copies: %q", copies)
	}
}

// TestClusterReached loses a worker: the store says so, and answers on until most are lost.
func TestClusterReached(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"allow_system_table_mods": "on"}})
	worker := pgtest.Start(t, pgtest.Options{})
	db := server.Database(t)
	imitate(t, db, worker.URL())
	must(t, Init(t.Context(), db, Options{}))
	s := openSealed(t, db, secretOf)
	await := func(want []string, wantErr error) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			s.reach.mu.Lock()
			known := s.reach.all > 0
			s.reach.asked = time.Time{}
			s.reach.mu.Unlock()
			away, err := s.Reached(t.Context())
			if known && slices.Equal(away, want) && errors.Is(err, wantErr) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("it says %q, %v; want %q, %v", away, err, want, wantErr)
			}
		}
	}
	await(nil, nil)
	execute(t, db, `UPDATE pg_dist_node SET nodeport = 1 WHERE groupid = 1`) // where nobody answers
	await([]string{"127.0.0.1:1"}, nil)
	execute(t, db, `UPDATE pg_dist_node SET shouldhaveshards = false WHERE groupid = 0`)
	await([]string{"127.0.0.1:1"}, store.ErrUnavailable)
	must(t, s.Close())
	if _, err := s.Reached(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestClusterLocks works on two nodes at once: an erasure by one program waits for what
// another is sending.
func TestClusterLocks(t *testing.T) {
	coordinator, worker := pgtest.Start(t, pgtest.Options{}), pgtest.Start(t, pgtest.Options{Settings: map[string]string{"allow_system_table_mods": "on"}})
	there, here := coordinator.Database(t), worker.Database(t)
	imitate(t, here, coordinator.URL())
	execute(t, here, `UPDATE pg_dist_node SET groupid = 1 - groupid`, `UPDATE pg_dist_local_group SET groupid = 1`)
	must(t, Init(t.Context(), there, Options{}))
	must(t, Init(t.Context(), here, Options{}))
	onCoordinator, onWorker := openSealed(t, there, secretOf), openSealed(t, here, secretOf)
	for _, pair := range [][2]*Store{{onCoordinator, onWorker}, {onWorker, onCoordinator}, {onWorker, onWorker}} {
		sending, done := make(chan struct{}), make(chan struct{})
		sent, silent := make(chan error, 1), make(chan error, 1)
		go func() {
			sent <- pair[0].Emit(t.Context(), ada, 0, func() error { close(sending); <-done; return nil })
		}()
		select {
		case <-sending:
		case err := <-sent:
			t.Fatal(err)
		}
		go func() { silent <- pair[1].Silence(t.Context(), ada) }()
		select {
		case err := <-silent:
			t.Errorf("an erasure did not wait for what is being sent: %v", err)
			silent <- err
		case <-time.After(100 * time.Millisecond):
		}
		close(done)
		must(t, <-sent)
		must(t, <-silent)
	}
}
