package postgres

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exempt are statements that leave a rule, and why that is right.
var exempt = map[string]string{
	selectOwners:   "lists all owners, in a transaction that says so",
	selectOwed:     "asks for all owners, in a transaction that says so",
	selectDebts:    "asks for all owners, in a transaction that says so",
	selectArriving: "lists all owners who are arriving, in a transaction that says so",
	`SELECT did, secret FROM owners ORDER BY enrolled, owner`: "lists all owners, in a transaction that says so",
	selectStates: "asks for the owners that are watched, in a transaction that says so",

	searchPath: "is so for every transaction of a connection",
	bareSearch: "is so until it is known what the schema holds",
	bareSearch + `; ` + selectCallable + `; ` + searchPath: "both of these",

	`SELECT count(*), count(DISTINCT r.owner) FROM § AS r WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = r.owner)`: "the operator's check looks at all owners",

	`LOCK TABLE owners IN ACCESS EXCLUSIVE MODE`: "the operator's scrub waits for all owners",
}

// TestStatements holds every statement of the package to what plain PostgreSQL and
// Citus have in common.
func TestStatements(t *testing.T) {
	all := sources(t)
	if len(all) < 100 {
		t.Fatalf("found %d statements, there must be more", len(all))
	}
	found := make(map[string]bool)
	for _, s := range all {
		found[s.text] = true
		if exempt[s.text] != "" {
			continue
		}
		for _, fault := range lint(s.text) {
			t.Errorf("%s: %s\n\t%s", s.place, fault, s.text)
		}
	}
	for text := range exempt {
		if !found[text] {
			t.Errorf("exempt, and nowhere to be found: %s", text)
		}
	}
}

// TestLint sees that every rule bites.
func TestLint(t *testing.T) {
	for _, c := range []struct{ fault, statement string }{
		{"owner", `SELECT id FROM records WHERE doc = $2`},
		{"owner", `SELECT id FROM records WHERE owner = $2`},
		{"owner", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.doc = r.doc WHERE r.owner = $1`},
		{"owner", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.doc = r.doc WHERE owner = $1`},
		{"owner", `SELECT r.id FROM records AS r, aliases a WHERE r.owner = $1 AND a.doc = r.doc`},
		{"owner", `SELECT id FROM records WHERE owner = $1 AND EXISTS (SELECT FROM staged WHERE first = doc)`},
		{"owner", `WITH x AS (SELECT doc FROM records) SELECT doc FROM x`},
		{"owner", `UPDATE records SET kind = $2 WHERE doc = $3`},
		{"owner", `UPDATE terms SET documents = 1 FROM staged WHERE terms.owner = $1`},
		{"owner", `DELETE FROM records WHERE doc = $2 RETURNING seal`},
		{"owner", `DELETE FROM records USING staged WHERE records.owner = $1 AND staged.first = records.doc`},
		{"owner", `INSERT INTO staged (first, owner) VALUES ($2, $1)`},
		{"owner", `INSERT INTO staged (owner, first) VALUES ($2, $1)`},
		{"owner", `INSERT INTO staged (owner, first) SELECT u.* FROM unnest($1::uuid[], $2::bigint[]) AS u`},
		{"setting", `SELECT id FROM records WHERE owner = $1 AND owner = current_setting('app.owner')::uuid`},
		{"volatile", `UPDATE records SET created = now() WHERE owner = $1`},
		{"volatile", `DELETE FROM records WHERE owner = $1 AND random() < 1`},
		{"volatile", `INSERT INTO staged (owner, first) VALUES ($1, $2) ON CONFLICT (owner, first) DO UPDATE SET last = now()`},
		{"VALUES", `INSERT INTO staged (owner, first) VALUES ($1, (SELECT 1))`},
		{"FOR UPDATE", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.owner = $1 WHERE r.owner = $1 FOR UPDATE`},
		{"SET", `SET app.owner = 'x'`},
		{"SET", `SELECT set_config('app.owner', $1, true)`},
		{"lock", `LOCK TABLE records`},
		{"primary key", `CREATE TABLE x (owner uuid NOT NULL, a bigint)`},
		{"primary key", `CREATE TABLE x (owner uuid NOT NULL, a bigint NOT NULL, PRIMARY KEY (a, owner))`},
		{"owner column", `CREATE TABLE x (owner uuid, a bigint NOT NULL, PRIMARY KEY (owner, a))`},
		{"owner column", `CREATE TABLE x (owner text NOT NULL, a bigint NOT NULL, PRIMARY KEY (owner, a))`},
		{"collation", `CREATE TABLE x (owner uuid NOT NULL, a text NOT NULL, PRIMARY KEY (owner, a))`},
		{"unlogged", `CREATE UNLOGGED TABLE x (owner uuid NOT NULL, PRIMARY KEY (owner))`},
		{"numbers", `CREATE TABLE x (owner uuid NOT NULL, n bigserial, PRIMARY KEY (owner))`},
		{"numbers", `CREATE TABLE x (owner uuid NOT NULL, n bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (owner))`},
		{"numbers", `CREATE SEQUENCE s`},
		{"unique", `CREATE TABLE x (owner uuid NOT NULL, a bigint UNIQUE, PRIMARY KEY (owner))`},
		{"unique", `CREATE TABLE x (owner uuid NOT NULL, a bigint, PRIMARY KEY (owner), UNIQUE (a, owner))`},
		{"unique", `CREATE UNIQUE INDEX i ON records (id)`},
		{"unique", `ALTER TABLE records ADD CONSTRAINT x EXCLUDE USING gist (doc WITH =)`},
		{"index", `CREATE INDEX i ON records (id)`},
		{"foreign key", `ALTER TABLE lessons ADD FOREIGN KEY (doc) REFERENCES records (doc)`},
		{"foreign key", `ALTER TABLE lessons ADD FOREIGN KEY (owner, doc) REFERENCES records (owner, doc) ON DELETE SET NULL`},
		{"foreign key", `ALTER TABLE lessons ADD FOREIGN KEY (owner, doc) REFERENCES records (owner, doc) ON UPDATE CASCADE`},
		{"foreign key", `CREATE TABLE x (owner uuid NOT NULL, a bigint REFERENCES records, PRIMARY KEY (owner))`},
		{"trigger", `CREATE TRIGGER x AFTER INSERT ON records EXECUTE FUNCTION f()`},
		{"forced", `ALTER TABLE records FORCE ROW LEVEL SECURITY`},
		{"policy", `CREATE POLICY own ON records USING (owner IN (SELECT owner FROM owners))`},
	} {
		if faults := lint(c.statement); !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, c.fault+":") }) {
			t.Errorf("%s: want %q, got %q", c.statement, c.fault, faults)
		}
	}
	for _, statement := range []string{
		`SELECT count(*) FROM (SELECT doc FROM records WHERE owner = $1 LIMIT $2) AS some`,
		`SELECT a.doc FROM aliases AS a JOIN records AS r ON r.owner = $1 AND r.doc = a.doc WHERE a.owner = $1`,
		`WITH gone AS (DELETE FROM staged WHERE owner = $1 RETURNING first) SELECT first FROM gone`,
		`INSERT INTO staged (owner, first) SELECT $1::uuid, u.* FROM unnest($2::bigint[]) AS u ON CONFLICT (owner, first) DO UPDATE SET last = excluded.last`,
		`CREATE TABLE x (owner uuid NOT NULL, a text COLLATE "C" NOT NULL, PRIMARY KEY (owner, a))`,
		`ALTER TABLE lessons ADD FOREIGN KEY (owner, doc) REFERENCES records (owner, doc) ON DELETE CASCADE`,
		`SET LOCAL app.owner = 'x'`,
	} {
		if faults := lint(statement); len(faults) > 0 {
			t.Errorf("%s: %q", statement, faults)
		}
	}
}

// rule is one rule: a statement that matches when must match must, and not never.
type rule struct {
	name              string
	when, must, never string
	say               string
}

const volatiles = `(?i)\b(now|random|clock_timestamp|statement_timestamp|timeofday|gen_random_uuid|nextval|txid_current|pg_current_xact_id)\s*\(|\b(current_timestamp|localtimestamp|current_time|current_date)\b`

var rules = []rule{
	{"setting", `(?i)^(SELECT|INSERT|UPDATE|DELETE|WITH)\b`, ``, `(?i)\bowner = \(*(nullif\()?current_setting`, "the owner is a parameter, not a setting"},
	{"volatile", `(?i)^(UPDATE|DELETE)\b`, ``, volatiles, "nothing volatile in UPDATE and DELETE"},
	{"volatile", `(?i)\bDO UPDATE\b`, ``, `(?i)DO UPDATE.*(` + volatiles + `)`, "DO UPDATE takes what is excluded"},
	{"VALUES", ``, ``, `(?i)\bVALUES\b.*\(SELECT\b`, "no subquery in VALUES"},
	{"SET", ``, ``, `(?i)\bset_config\s*\(`, "set_config does not reach every machine"},
	{"SET", `(?i)^SET\s`, `(?i)^SET (LOCAL|ROLE)\b`, ``, "settings are those of the transaction"},
	{"lock", ``, ``, `(?i)^LOCK\b`, "programs lock rows, not tables"},
	{"unlogged", ``, ``, `(?i)\bUNLOGGED\b`, "every table is logged"},
	{"numbers", ``, ``, `(?i)\b(small|big)?serial\b|\bAS IDENTITY\b|\b(CREATE|TEMP) SEQUENCE\b|\bnextval\b`, "numbers come from the owner's row"},
	{"trigger", ``, ``, `(?i)\bCREATE (OR REPLACE )?(CONSTRAINT )?(TRIGGER|RULE|FUNCTION)\b`, "no triggers"},
	{"forced", ``, ``, `(?i)\bFORCE ROW LEVEL SECURITY\b`, "row-level security is enabled, never forced"},
	{"policy", `(?i)^CREATE POLICY\b`, ``, `(?i)\bSELECT\b.*\bFROM\b|\(SELECT\b`, "no subquery in a policy"},
	{"foreign key", `(?i)\bREFERENCES\b`, `(?i)FOREIGN KEY \(owner, .*REFERENCES \w+ \(owner, `, `(?i)SET NULL|SET DEFAULT|ON UPDATE CASCADE`, "foreign keys lead from an owner's rows to the same owner's"},
	{"unique", `(?i)\b(UNIQUE|EXCLUDE)\b`, ``, `(?i)\bUNIQUE \((?:[^o]|o[^w])|\bUNIQUE,|\bUNIQUE$|\bUNIQUE INDEX \w+ ON \w+ \((?:[^o]|o[^w])|\bEXCLUDE\b|\bUNIQUE \)`, "the owner comes first in every unique key"},
	{"index", `(?i)^CREATE (UNIQUE )?INDEX\b`, `(?i)\(owner\b`, ``, "the owner comes first in every index"},
	{"owner column", `(?i)^CREATE TABLE\b`, `(?i)^CREATE TABLE \w+ \( ?(owner uuid NOT NULL|one boolean NOT NULL)`, ``, "owner is a uuid and NOT NULL, everywhere"},
	{"primary key", `(?i)^CREATE TABLE\b`, `(?i)PRIMARY KEY \((owner|one)\b`, ``, "the primary key begins with the owner"},
	{"collation", `(?i)^CREATE TABLE\b`, ``, `(?i)\b(text|varchar)\b( NOT NULL|,| \))`, `text is COLLATE "C"`},
}

// lint returns what is wrong with a statement, each fault after the name of its rule.
func lint(statement string) []string {
	text := plain(statement)
	var faults []string
	for _, r := range rules {
		matches := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(text) }
		if matches(r.when) && (!matches(r.must) || r.never != "" && matches(r.never)) {
			faults = append(faults, r.name+": "+r.say)
		}
	}
	for _, q := range scopes(text) {
		faults = append(faults, q.faults()...)
	}
	return faults
}

// plain drops comments, the contents of strings, and needless blanks.
func plain(statement string) string {
	statement = regexp.MustCompile(`--[^\n]*`).ReplaceAllString(statement, " ")
	statement = regexp.MustCompile(`'[^']*'`).ReplaceAllString(statement, "''")
	statement = strings.ReplaceAll(statement, "current_setting('')", "current_setting()")
	return strings.TrimSpace(regexp.MustCompile(`\s+`).ReplaceAllString(statement, " "))
}

// faults holds a statement or a subquery to naming the owner, for every table.
func (q scope) faults() (faults []string) {
	say := func(format string, args ...any) { faults = append(faults, "owner: "+fmt.Sprintf(format, args...)) }
	if q.into != "" && !regexp.MustCompile(`(?i)INSERT INTO \w+( AS \w+)? \(owner, [^)]*\) (VALUES \(\$1\b|SELECT \$1::uuid\b)`).MatchString(q.text) {
		say("the owner comes first in what is inserted into %s", q.into)
	}
	for _, t := range q.tables {
		names := regexp.MustCompile(`\b` + t.alias + `\.owner = \$1\b`)
		alone := len(q.tables) == 1 && regexp.MustCompile(`(^|[^.\w])owner = \$1\b`).MatchString(q.text)
		if !alone && !names.MatchString(q.text) {
			say("no owner = $1 for table %s", t.name)
		}
	}
	if regexp.MustCompile(`(?i)\bFOR UPDATE\b`).MatchString(q.text) && len(q.tables) != 1 {
		faults = append(faults, "FOR UPDATE: rows of one table and one owner")
	}
	return faults
}
