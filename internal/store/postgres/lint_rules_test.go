package postgres

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// rule is one rule for statements: one that matches when must match must, and not
// never. The schema that they leave has rules of its own.
type rule struct {
	name              string
	when, must, never string
	say               string
}

var rules = []rule{
	{"volatile", changing, ``, `(?i)\b(current_(timestamp|time|date)|localtime(stamp)?)\b`, "nothing volatile in UPDATE and DELETE"},
	{"volatile", ``, ``, `(?i)\bDO UPDATE\b.*\b(current_(timestamp|time|date)|localtime(stamp)?)\b`, "DO UPDATE takes what is excluded"},
	{"VALUES", ``, ``, `(?i)\bVALUES\b.*\((SELECT|WITH)\b`, "no subquery in VALUES"},
	{"SET", ``, ``, `(?i)\bset_config\s*\(|;\s*(SET|RESET)\b`, "set_config does not reach every machine"},
	{"SET", `(?i)^(SET|RESET)\s`, `(?i)^SET (LOCAL|ROLE)\b`, ``, "settings are those of the transaction"},
	{"login", `(?i)\bROLE\b`, ``, `(?i)\bNOLOGIN\b`, "the nodes of a cluster log in to each other as the role of the programs"},
	{"size", ``, ``, `(?i)\bpg_(total_relation|relation|table|indexes)_size\b`, "citus_total_relation_size knows what lies on other nodes"},
	{"lock", ``, ``, `(?i)^LOCK\b`, "programs lock rows, not tables"},
	{"kind", ``, ``, `(?i)^(MERGE|TRUNCATE|TABLE|COPY|DO|CALL|CLUSTER|REINDEX|IMPORT)\b|\((MERGE|TABLE)\b|\b(UNION|ALL|EXCEPT|INTERSECT) TABLE\b`,
		"rows are reached by SELECT, INSERT, UPDATE and DELETE, which name their owner"},
}

// changing finds UPDATE and DELETE in a statement, and not FOR UPDATE or ON DELETE.
const changing = `(?i)(^|\(|[)§] )(UPDATE|DELETE)\b`

// tablesAside are the statements on tables themselves that are no migrations.
var tablesAside = regexp.MustCompile(`(?i)^(ALTER TABLE [\w§]+ ENABLE ROW LEVEL SECURITY$|CREATE (POLICY|ROLE|SCHEMA)\b|ALTER ROLE\b)`)

// settled are the functions that may be called in UPDATE and DELETE: none is volatile.
var settled = []string{"position", "floor", "octet_length"}

// spoken are words that are followed by a bracket and call nothing.
var spoken = []string{"ANY", "ALL", "IN", "AND", "OR", "NOT", "AS", "ON", "BY", "VALUES", "WHERE", "SELECT", "EXISTS", "CONFLICT", "SET", "CASE",
	"WHEN", "THEN", "ELSE", "FROM", "USING", "MATERIALIZED", "FILTER", "OVER", "DISTINCT", "RETURNING", "LATERAL", "ROW", "ARRAY", "COALESCE", "GREATEST", "LEAST", "NULLIF"}

// lint returns what is wrong with a statement, each fault after the name of its rule.
func lint(s source) []string {
	text := plain(s.text)
	var faults []string
	for _, r := range rules {
		matches := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(text) }
		if matches(r.when) && (!matches(r.must) || r.never != "" && matches(r.never)) {
			faults = append(faults, r.name+": "+r.say)
		}
	}
	if regexp.MustCompile(`(?i)^(CREATE|ALTER|DROP|COMMENT)\b|^SELECT\b.*\bINTO\b`).MatchString(text) && !strings.HasSuffix(s.place, ".sql") && !tablesAside.MatchString(text) {
		faults = append(faults, "tables: migrations make them, and nothing else does")
	}
	for _, name := range calls(changes(text)) {
		if !slices.Contains(settled, name) {
			faults = append(faults, "volatile: whether "+name+" is, nobody has looked")
		}
	}
	if strings.Contains(s.text, "force_generic_plan") && !strings.Contains(s.text, "force_custom_plan") {
		faults = append(faults, "plan: a plan for any values fails with joins and EXISTS where Citus distributes tables")
	}
	parts := scopes(text)
	if mixed(parts) {
		faults = append(faults, "catalogue: what one node says of itself and the store's tables are asked for apart")
	}
	for _, q := range parts {
		faults = append(faults, q.faults()...)
	}
	owned := slices.ContainsFunc(parts, func(q scope) bool { return q.into != "" || len(q.tables) > 0 })
	if owned && regexp.MustCompile(`(?i)\bcurrent_setting\b`).MatchString(text) {
		faults = append(faults, "setting: the owner is a parameter, not a setting")
	}
	return faults
}

// mixed reports whether a statement reads the catalogue of a node beside tables of the
// store.
func mixed(parts []scope) bool {
	catalogue, ours := false, false
	for _, q := range parts {
		for _, name := range q.from {
			catalogue = catalogue || regexp.MustCompile(`(?i)^(pg_catalog\.|pg_|citus_|information_schema\.)\w*$`).MatchString(name)
			ours = ours || ownedName(name) != "" || strings.HasSuffix(strings.ToLower(name), versionTable)
		}
		ours = ours || q.into != ""
	}
	return catalogue && ours
}

// changes returns the part of a statement in which rows may be changed by what is
// computed: all of it, or what follows DO UPDATE.
func changes(text string) string {
	if regexp.MustCompile(changing).MatchString(text) {
		return text
	}
	return regexp.MustCompile(`(?i)\bDO UPDATE\b.*`).FindString(text)
}

// calls returns the functions that a statement calls.
func calls(text string) (names []string) {
	for _, m := range regexp.MustCompile(`(?i)(\bINTO |\bWITH |, |\bAS )?([\w.]+) ?\(`).FindAllStringSubmatch(text, -1) {
		table := strings.EqualFold(m[1], "INTO ") || strings.EqualFold(m[1], "AS ")
		if name := strings.ToLower(m[2]); !table && !is(name, spoken...) {
			names = append(names, name)
		}
	}
	return names
}

// plain drops comments, the contents of strings, quotes around names, the schemas of
// tables and needless blanks.
func plain(statement string) string {
	for _, change := range [][2]string{
		{`'[^']*'`, "''"}, {`--[^\n]*`, " "}, {`(?s)/\*.*?\*/`, " "}, {`"(\w+)"`, "$1"}, {`\s+`, " "}, {`\( `, "("}, {` \)`, ")"},
		{` ?\. ?(\w)`, ".$1"},
	} {
		statement = regexp.MustCompile(change[0]).ReplaceAllString(statement, change[1])
	}
	return strings.TrimSpace(statement)
}

var ownerFirst = regexp.MustCompile(`(?i)INSERT INTO [\w.]+( AS \w+)? \( owner (, [^)]*)?\) (VALUES \( \$1 [,)]|SELECT o\.owner , )`)

// unnested matches an INSERT of rows that are made of lists.
var unnested = regexp.MustCompile(`(?i)\b(unnest|generate_series|json\w*) ?\(`)

// faults holds a statement or a subquery to naming the owner, for every table.
func (q scope) faults() (faults []string) {
	say := func(format string, args ...any) { faults = append(faults, "owner: "+fmt.Sprintf(format, args...)) }
	if q.into != "" && (q.many || !ownerFirst.MatchString(q.text)) {
		say("the owner comes first in what is inserted into %s", q.into)
	}
	if fromOwners := slices.Contains(q.tables, ref{"owners", "o"}); q.into != "" && unnested.MatchString(q.text) && !fromOwners {
		faults = append(faults, "unnest: the owner of rows made of lists comes from table owners AS o, or Citus copies them to "+q.into+" and row-level security forbids that")
	}
	if q.moves {
		say("rows stay with their owner")
	}
	for _, t := range q.tables {
		alone := len(q.tables) == 1 && q.named[""]
		if !alone && !q.named[t.alias] {
			say("no owner = $1 for table %s", t.name)
		}
	}
	if regexp.MustCompile(`(?i)\bFOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b`).MatchString(q.text) && len(q.tables) != 1 {
		faults = append(faults, "FOR UPDATE: rows of one table and one owner")
	}
	return faults
}
