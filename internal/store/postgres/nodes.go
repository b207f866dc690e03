package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

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
