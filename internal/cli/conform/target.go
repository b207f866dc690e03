package conform

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
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

// progress shows on a terminal how many rows were tried. clear removes that line.
func progress(a *cli.App) (tried func(conformance.Result), clear func()) {
	if a.Quiet || !cli.IsTerminal(a.Err) {
		return nil, func() {}
	}
	rows := 0
	tried = func(conformance.Result) {
		rows++
		fmt.Fprintf(a.Err, "\r%d rows tried", rows)
	}
	return tried, func() { fmt.Fprint(a.Err, "\r\x1b[K") }
}

// printRows prints the rows of interest in a format of outcome, id, keyword and text. Unless all
// are wanted, rows that were not tried for one reason are a line with their number.
func printRows(a *cli.App, all bool, format string, rows []conformance.Result) {
	untried := map[string]int{} // how many rows, by the reason
	for _, r := range rows {
		if r.Outcome == conformance.NotTried && !all {
			untried[r.Message]++
		}
	}
	for _, r := range rows {
		switch n := untried[r.Message]; {
		case r.Outcome == conformance.NotTried && n < 0: // told
		case r.Outcome == conformance.NotTried && n > 1:
			a.Print(format, r.Outcome, cli.Plural(n, "row", "rows"), "", cli.Clean(r.Message)+"; --all lists them")
			untried[r.Message] = -1
		case all || r.Outcome != conformance.Pass && r.Outcome != conformance.NotApplicable:
			a.Print(format, r.Outcome, r.ID, r.Keyword, cli.Clean(because(r.Title, r.Message)))
		}
	}
}

// standing says whether a specification is followed, and whether all of it was tested.
func standing(specification string, ok, partial bool) string {
	switch {
	case !ok:
		return "does not keep " + specification
	case partial:
		return "keeps " + specification + " as far as tried"
	}
	return "keeps " + specification
}

// because says what a row is about, and what failed.
func because(title, message string) string {
	if message == "" {
		return title
	}
	return strings.TrimSuffix(title, ".") + ": " + message
}

// tally counts rows by outcome.
func tally(counts map[conformance.Outcome]int) string {
	var parts []string
	for _, o := range [...]conformance.Outcome{conformance.Pass, conformance.Fail, conformance.Blocked, conformance.Warn, conformance.NotTried, conformance.NotApplicable} {
		if n := counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}
