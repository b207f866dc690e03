package pgtest

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// between is the password with which the nodes of a [Cluster] log in to each other as the
// role of programs.
const between = "between"

// Cluster starts a coordinator and two workers that have Citus, which end with the test,
// and returns the coordinator. Its databases are spread over all three. On each node the
// role satchel needs a password. Where Citus is not installed, Cluster skips the test and
// says so.
func Cluster(t testing.TB) *Server {
	t.Helper()
	probe := sharedServer(t)
	if probe.base != nil { // which has extensions of its own
		probe = Start(t, Options{})
	}
	if len(Query(t, probe.URL(), `SELECT name::text FROM pg_available_extensions WHERE name = 'citus'`)) == 0 {
		t.Skip("SKIPPED: the PostgreSQL of this machine has no extension citus, so nothing is tried on a cluster")
	}
	var all []*Server
	for range 3 {
		s := Start(t, Options{Settings: map[string]string{
			"shared_preload_libraries": "citus", "citus.node_conninfo": "sslmode=prefer", "citus.shard_count": "8", "wal_level": "logical",
		}})
		s.guard(t)
		Query(t, s.URL(), `CREATE EXTENSION citus`)
		Query(t, s.URL(), `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, 'satchel', 'password=`+between+`')`)
		all = append(all, s)
	}
	connectNodes(t, all[0].URL(), all[1].URL(), all[2].URL())
	Query(t, all[0].URL(), `CREATE ROLE satchel LOGIN PASSWORD '`+between+`'`)
	if err := all[0].findWorkers(); err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// guard lets the role satchel in with a password alone.
func (s *Server) guard(t testing.TB) {
	t.Helper()
	path := filepath.Join(s.DataDir(), "pg_hba.conf")
	rest, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("host all satchel 127.0.0.1/32 scram-sha-256\n"), rest...), 0o600)
	}
	if err == nil {
		err = s.Restart(Fast) // it reads the file when it starts
	}
	if err != nil {
		t.Fatal(err)
	}
}

// connectNodes makes a cluster of databases that have Citus.
func connectNodes(t testing.TB, coordinator string, workers ...string) {
	t.Helper()
	Query(t, coordinator, `SELECT citus_set_coordinator_host(`+address(t, coordinator)+`)::text`)
	for _, w := range workers {
		Query(t, coordinator, `SELECT citus_add_node(`+address(t, w)+`)::text`)
	}
}

// address returns the host and port of a URL, as Citus takes them.
func address(t testing.TB, of string) string {
	t.Helper()
	u, err := pgx.ParseConfig(of)
	if err != nil {
		t.Fatal("a URL cannot be understood") // it may hold a password
	}
	return "'" + u.Host + "', " + strconv.Itoa(int(u.Port))
}

// findWorkers notes the workers of a coordinator. A database by itself has none.
func (s *Server) findWorkers() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := connect(ctx, s.URL())
	if err != nil {
		return err
	}
	defer c.Close(ctx) // nothing is under way
	citus := false
	if err := c.QueryRow(ctx, `SELECT count(*) > 0 FROM pg_extension WHERE extname = 'citus'`).Scan(&citus); err != nil || !citus {
		return err
	}
	rows, err := c.Query(ctx, `SELECT nodename::text, nodeport::text FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary'`)
	if err != nil {
		return err
	}
	var host, port string
	_, err = pgx.ForEachRow(rows, []any{&host, &port}, func() error {
		u, err := url.Parse(s.URL())
		if err == nil {
			u.Host = net.JoinHostPort(host, port)
			s.workers = append(s.workers, u)
		}
		return err
	})
	return err
}

// join spreads a new database over the workers, for as long as the test lasts. The nodes
// let each other in as they do in the database of the server's URL.
func (s *Server) join(t testing.TB, name string) {
	t.Helper()
	if len(s.workers) == 0 {
		return
	}
	var workers []string
	for _, w := range s.workers {
		Query(t, w.String(), `CREATE DATABASE `+name)
		t.Cleanup(func() { Query(t, w.String(), `DROP DATABASE `+name+` WITH (FORCE)`) })
		mine := w.JoinPath("..", name).String()
		workers = append(workers, mine)
		admit(t, w.String(), mine)
	}
	admit(t, s.URL(), s.url(name))
	connectNodes(t, s.url(name), workers...)
}

// admit gives a new database Citus, and what an older one on the same node says of how
// nodes log in to each other.
func admit(t testing.TB, older, newer string) {
	t.Helper()
	Query(t, newer, `CREATE EXTENSION citus`)
	for _, statement := range Query(t, older, `SELECT format('INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (%s, %L, %L)',
			nodeid, rolename, authinfo) FROM pg_dist_authinfo WHERE nodeid <= 0`) {
		Query(t, newer, statement)
	}
}
