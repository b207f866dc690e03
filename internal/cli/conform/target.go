package conform

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// rowsOf spells rows as the list of requirements does, with its prefix of ids.
func rowsOf(beginning string, only []string) []string {
	rows := make([]string, len(only))
	for i, id := range only {
		if rows[i] = strings.ToUpper(id); !strings.HasPrefix(rows[i], beginning) {
			rows[i] = beginning + rows[i]
		}
	}
	return rows
}

// trying shows on a terminal how many rows were tested; 0 removes the line.
func trying(a *cli.App) func(rows int) {
	if a.Quiet || !cli.IsTerminal(a.Err) {
		return func(int) {}
	}
	return func(rows int) {
		if rows == 0 {
			fmt.Fprint(a.Err, "\r\x1b[K")
			return
		}
		fmt.Fprintf(a.Err, "\r%d rows tried", rows)
	}
}

// because says what a row is about, and what failed.
func because(title, message string) string {
	if message == "" {
		return title
	}
	return strings.TrimSuffix(title, ".") + ": " + message
}

// tally counts rows by result, in an order.
func tally[O ~string](counts map[O]int, order ...O) string {
	var parts []string
	for _, o := range order {
		if n := counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}
