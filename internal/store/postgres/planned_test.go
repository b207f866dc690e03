package postgres

import (
	"regexp"
	"strings"
	"testing"
)

// unplanned are the statements whose plans nobody looks at, and why that is right.
var unplanned = map[string]string{
	selectOwners:        "lists all owners, once for a sweep",
	selectOwed:          "asks for all owners, once for a sweep",
	selectDebts:         "asks for all owners, once for a sweep",
	selectRemoved:       "asks for all owners, when the operator scrubs the store",
	refile:              "files work for all owners, once for an upgrade",
	removeStrayWork:     "looks at all work, once for an upgrade",
	removeStraySessions: "looks at all work, once for an upgrade",
	removeStrayReadings: "looks at all readings, once for an upgrade",
	removeStrayRuns:     "looks at all runs, once for an upgrade",
	removeStrayEvents:   "looks at all events of runs, once for an upgrade",
	countOwners:         "counts all owners, now and then",
	countDue:            "counts the work of all owners, now and then",
	selectArriving:      "lists all owners, once for a sweep",
	`SELECT did, secret FROM owners ORDER BY enrolled, owner`: "lists all owners, when the store is checked",
	`SELECT count(*), count(DISTINCT r.owner) FROM § AS r WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = r.owner)`: "looks " +
		"at the whole of a table, when the operator checks the store",
}

// addPlanned adds to the statements that were sent all others of the package that work
// on rows of owners, but for the hot ones and those of which is said why. Of one that
// is put together while the program runs, something has to have been sent.
func addPlanned(t *testing.T, asked map[string]bool) {
	t.Helper()
	var looked []string
	for query := range asked {
		looked = append(looked, plain(query))
	}
	for _, h := range hot() {
		looked = append(looked, plain(h.query))
	}
	all, found := strings.Join(looked, "\n"), make(map[string]bool)
	for _, s := range sources(t) {
		text := plain(s.text)
		found[s.text] = true
		sent := regexp.MustCompile(`(?m)^` + strings.ReplaceAll(regexp.QuoteMeta(text), "§", ".*")).MatchString(all)
		switch reason := unplanned[s.text]; {
		case strings.HasSuffix(s.place, ".sql") || !reaches(text) || forbidden(text) || reason != "" && !sent:
		case reason != "":
			t.Errorf("its plan is looked at, after all:\n%s", s.text)
		case sent:
		case strings.Contains(s.text, "§"):
			t.Errorf("%s: nobody looks at its plan:\n%s", s.place, s.text)
		default:
			asked[s.text] = true
		}
	}
	for text := range unplanned {
		if !found[text] {
			t.Errorf("no plan, and nowhere to be found: %s", text)
		}
	}
}

// reaches reports whether a statement reads or changes rows of owners.
func reaches(text string) bool {
	for _, q := range scopes(text) {
		if len(q.tables) > 0 || q.into != "" {
			return true
		}
	}
	return false
}

// forbidden reports whether a statement, made for every table alike, changes rows of
// one whose rows programs may only add.
func forbidden(text string) bool {
	for _, t := range owned {
		if strings.HasPrefix(text, "INSERT INTO "+t.name+" ") && strings.Contains(text, "DO UPDATE") && !strings.Contains(t.may, "UPDATE") {
			return true
		}
	}
	return false
}
