package conformance

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed requirements/*.tsv
var tables embed.FS

// Requirements returns the rows of a specification, in the order of its table: of "ump",
// "aimem", "engram", "aicf" or "aaif". The rows have no outcome yet.
func Requirements(specification string) []Result {
	var rows []Result
	for i, line := range strings.Split(strings.TrimSpace(table(specification)), "\n") {
		if i > 0 { // after the column names
			rows = append(rows, requirement(line))
		}
	}
	return rows
}

// Explained marks the rows that a run cannot try as not applicable, with the reason.
func Explained(rows []Result, absent []Absence) []Result {
	for _, a := range absent {
		for i := range rows {
			if rows[i].ID == a[0] {
				rows[i].Outcome, rows[i].Message = NotApplicable, a[1]
			}
		}
	}
	return rows
}

// Requirement returns one row of a specification, or the zero Result if it has no such row.
func Requirement(specification, id string) Result {
	_, rest, found := strings.Cut(table(specification), "\n"+id+"\t")
	if !found {
		return Result{}
	}
	line, _, _ := strings.Cut(rest, "\n")
	return requirement(id + "\t" + line)
}

func table(specification string) string {
	text, err := tables.ReadFile("requirements/" + specification + ".tsv")
	if err != nil {
		panic(fmt.Sprintf("conformance: there is no table of %q", specification)) // the names are constants
	}
	return string(text)
}

// requirement reads a line: id, keyword, level, section with its title, the demand.
func requirement(line string) Result {
	f := strings.SplitN(line, "\t", 5)
	return Result{ID: f[0], Keyword: f[1], Level: f[2], Section: Section(f[0]), Title: f[4]}
}
