package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/satchel-memory/satchel/internal/store"
)

// nodes are the other nodes of a cluster, by name and port. Citus passes statements on
// tables on to them; what concerns a server as a whole they have to be told one by one.
// A database by itself has none.
type nodes struct {
	names []string
	ports []int32
}

// otherNodes lists the nodes beside the one of the connection, active or not.
func otherNodes(ctx context.Context, c *pgx.Conn) (n nodes, err error) {
	if there, err := hasCitus(ctx, c); err != nil || !there {
		return n, err
	}
	rows, err := c.Query(ctx, selectNodes)
	if err != nil {
		return n, err
	}
	var name string
	var port int32
	_, err = pgx.ForEachRow(rows, []any{&name, &port}, func() error {
		n.names, n.ports = append(n.names, name), append(n.ports, port)
		return nil
	})
	return n, err
}

const (
	selectNodes = `SELECT nodename::text, nodeport FROM pg_dist_node
		WHERE noderole = 'primary' AND groupid <> (SELECT groupid FROM pg_dist_local_group) ORDER BY nodename, nodeport`

	// runOnNodes has the node of the connection send each node its own command.
	runOnNodes = `SELECT node_name, node_port, success, coalesce(result, '') FROM master_run_on_worker($1::text[], $2::integer[], $3::text[], true)`
)

// selectCoordinator finds the coordinator of a cluster, if it is another node.
const selectCoordinator = `SELECT nodename::text, nodeport FROM pg_dist_node
	WHERE noderole = 'primary' AND groupid = 0 AND groupid <> (SELECT groupid FROM pg_dist_local_group)`

// lockPool returns the pool of connections for the locks that programs on all nodes of a
// cluster share. An advisory lock holds on one node, so that these are taken on the
// coordinator.
func (s *Store) lockPool(ctx context.Context) (*pgxpool.Pool, error) {
	config := s.config.Copy()
	moved, err := s.toCoordinator(ctx, config.ConnConfig)
	if err != nil || !moved {
		return s.pool, err
	}
	config.BeforeConnect = func(ctx context.Context, c *pgx.ConnConfig) error {
		_, err := s.toCoordinator(ctx, c) // it may be another one by then
		return err
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// toCoordinator makes c name the coordinator, and reports whether that is another node than
// the one of the pool.
func (s *Store) toCoordinator(ctx context.Context, c *pgx.ConnConfig) (moved bool, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	if there, err := hasCitus(ctx, conn.Conn()); err != nil || !there {
		return false, err
	}
	var host string
	var port int32
	err = conn.QueryRow(ctx, selectCoordinator).Scan(&host, &port)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.Host, c.Port, c.TLSConfig = host, uint16(port), withServerName(c.TLSConfig, host)
	for _, f := range c.Fallbacks {
		f.Host, f.Port, f.TLSConfig = host, uint16(port), withServerName(f.TLSConfig, host)
	}
	return true, nil
}

// withServerName returns the configuration for another server. One that checks no name of the
// server stays as it is.
func withServerName(c *tls.Config, host string) *tls.Config {
	if c != nil && c.ServerName != "" {
		c = c.Clone()
		c.ServerName = host
	}
	return c
}

// answer is what a node said to a command: a value, or why there is none.
type answer struct {
	node   string
	done   bool
	result string
}

// run sends every node the command with its index; one command alone is for all. It
// returns their answers in the order of the nodes. A node that gives none has failed.
func (n nodes) run(ctx context.Context, c *pgx.Conn, commands ...string) ([]answer, error) {
	answers := make([]answer, len(n.names))
	if len(answers) == 0 {
		return nil, nil
	}
	if len(commands) == 1 {
		commands = slices.Repeat(commands, len(answers))
	}
	for i := range answers {
		answers[i] = answer{node: n.label(n.names[i], n.ports[i]), result: "no answer"}
	}
	rows, err := c.Query(ctx, runOnNodes, n.names, n.ports, commands)
	if err != nil {
		return nil, err
	}
	var name, result string
	var port int32
	var done bool
	_, err = pgx.ForEachRow(rows, []any{&name, &port, &done, &result}, func() error {
		label := n.label(name, port)
		for i := range answers {
			if answers[i].node == label {
				answers[i].done, answers[i].result = done, result
			}
		}
		return nil
	})
	return answers, err
}

func (nodes) label(name string, port int32) string { return fmt.Sprintf("%s:%d", name, port) }

// must is run for what every node has to do. Its error names the nodes that did not.
func (n nodes) must(ctx context.Context, c *pgx.Conn, commands ...string) ([]answer, error) {
	answers, err := n.run(ctx, c, commands...)
	if err != nil {
		return nil, err
	}
	var failed []string
	for _, a := range answers {
		if !a.done {
			failed = append(failed, a.node+" ("+firstLine(a.result)+")")
		}
	}
	if len(failed) > 0 {
		err = refusal("scrub", store.ErrUnavailable, "these nodes of the cluster may still hold what was erased, since they did not do what the scrub "+
			"asks of them: "+strings.Join(failed, ", ")+"; see to them, then scrub again")
	}
	return answers, err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

const (
	reachFresh   = 5 * time.Second // how long the answers of the nodes are good for
	reachTimeout = 3 * time.Second // how long one node may take to answer
)

// reach knows which nodes of a cluster do not answer.
type reach struct {
	mu    sync.Mutex // held for a moment; guards the fields below
	asked time.Time
	busy  bool // the nodes are being asked
	all   int  // nodes that hold rows of owners; 0: no cluster, or not known yet
	away  []string
}

// Reached fails with store.ErrUnavailable if the store answers for most owners no longer.
// Otherwise it names the nodes of a cluster that do not answer: calls for owners whose rows lie
// there fail. It asks the node that this program is connected to. The other nodes are asked
// beside it, every few seconds, and it reports what they said last.
func (s *Store) Reached(ctx context.Context) (away []string, err error) {
	_, err = queryOwners(ctx, s, "reach", `SELECT 1`, nil, func(rows pgx.Rows) (one int, err error) {
		err = rows.Scan(&one)
		return one, err
	})
	if err != nil {
		return nil, err
	}
	away, all := s.lastReach()
	if 2*len(away) > all {
		err = refusal("reach", store.ErrUnavailable, fmt.Sprintf("%d of the %d nodes of the database that hold memories do not answer", len(away), all))
	}
	return away, err
}

// lastReach returns the last answers of the nodes. If they are old, it has the nodes asked
// again.
func (s *Store) lastReach() (away []string, all int) {
	r := &s.reach
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.busy && time.Since(r.asked) >= reachFresh && !s.isClosing() {
		r.busy = true
		s.under.Go(s.askNodes)
	}
	return slices.Clone(r.away), r.all
}

// askNodes asks every node that holds rows.
func (s *Store) askNodes() {
	keepers, here, err := s.keepers()
	var away []string
	for i, name := range keepers.names {
		one := nodes{names: []string{name}, ports: keepers.ports[i : i+1]}
		if !s.answers(one) {
			away = append(away, one.label(name, keepers.ports[i]))
		}
	}
	r := &s.reach
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.busy = time.Now(), false
	if err == nil {
		r.all, r.away = len(keepers.names)+here, away
	}
}

// keepers lists the other nodes that hold rows, and counts this one if it does.
func (s *Store) keepers() (n nodes, here int, err error) {
	err = s.briefly(func(ctx context.Context, c *pgx.Conn) error {
		if there, err := hasCitus(ctx, c); err != nil || !there {
			return err
		}
		rows, err := c.Query(ctx, selectKeepers)
		if err != nil {
			return err
		}
		var name string
		var port int32
		var own bool
		_, err = pgx.ForEachRow(rows, []any{&name, &port, &own}, func() error {
			if own {
				here = 1
				return nil
			}
			n.names, n.ports = append(n.names, name), append(n.ports, port)
			return nil
		})
		return err
	})
	return n, here, err
}

const selectKeepers = `SELECT nodename::text, nodeport, groupid = (SELECT groupid FROM pg_dist_local_group) FROM pg_dist_node
	WHERE noderole = 'primary' AND shouldhaveshards ORDER BY nodename, nodeport`

// answers reports whether a node answers this one.
func (s *Store) answers(one nodes) (done bool) {
	err := s.briefly(func(ctx context.Context, c *pgx.Conn) error {
		said, err := one.run(ctx, c, `SELECT 'here'::text`)
		done = err == nil && len(said) == 1 && said[0].done
		return err
	})
	return done && err == nil
}

// briefly runs fn on a connection of the pool. The wait for an answer ends soon, and when the
// store closes.
func (s *Store) briefly(fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), reachTimeout)
	defer cancel()
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return fn(ctx, conn.Conn())
}
