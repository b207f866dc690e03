package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// exempt are statements that leave a rule, and why that is right.
var exempt = map[string]string{
	selectOwners:   "lists all owners, in a transaction that says so",
	selectOwed:     "asks for all owners, in a transaction that says so",
	selectDebts:    "asks for all owners, in a transaction that says so",
	selectRemoved:  "asks for all owners, in a transaction that says so",
	selectArriving: "lists all owners who are arriving, in a transaction that says so",
	`SELECT did, secret FROM owners ORDER BY enrolled, owner`: "lists all owners, in a transaction that says so",
	countOwners:    "counts all owners, in a transaction that says so",
	countDue:       "counts the owners who have work due, in a transaction that says so",
	selectDue:      "lists the owners who have work due, in a transaction that says so",
	selectDIDs:     "names the owners who have work due, in a transaction that says so",
	selectLabelled: "finds an owner by a label, in a transaction that says so",
	`INSERT INTO due (owner, work, at)
SELECT o.owner, w.work, 0 FROM owners AS o CROSS JOIN (VALUES ('sweep'), ('tidy'), ('tell'), ('index')) AS w (work)
ON CONFLICT (owner, work) DO NOTHING`: "files work for all owners, on the machines where they are",
	refile:              "files work for all owners, on the machines where they are",
	removeStrayWork:     "removes work of no owner, on the machines where it is",
	removeStraySessions: "removes work of no owner, on the machines where it is",
	removeStrayReadings: "removes readings of no owner, on the machines where they are",
	removeStrayRuns:     "removes runs of no owner, on the machines where they are",
	removeStrayEvents:   "removes events of no owner, on the machines where they are",
	selectStates:        "asks for the owners that are watched, in a transaction that says so",

	searchPath: "is so for every transaction of a connection",
	bareSearch: "is so until it is known what the schema holds",
	bareSearch + `; ` + selectStrange + `; ` + searchPath:  "both of these",
	bareSearch + `; ` + selectCallable + `; ` + searchPath: "both of these",

	`SELECT count(*), count(DISTINCT r.owner) FROM § AS r WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = r.owner)`: "the operator's check looks at all owners",

	choosePlans:     "sets what the node that a program is connected to plans by, and no other node",
	selectSize:      "asks a database that is no cluster",
	selectTableSize: "asks a database that is no cluster",
	`CREATE ROLE ` + applicationRole + ` NOLOGIN`: "makes the role where there is no cluster",

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
		for _, fault := range lint(s) {
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
		// What kept satchel from starting on a cluster.
		{"login", `CREATE ROLE satchel NOLOGIN`},
		{"plan", `SET plan_cache_mode = 'force_generic_plan'`},
		{"unnest", `INSERT INTO staged (owner, first) SELECT $1::uuid, u.* FROM unnest($2::bigint[]) AS u`},
		{"catalogue", `SELECT version, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) FROM schema_version`},

		{"unnest", `INSERT INTO staged (owner, first) SELECT o.owner, u.* FROM unnest($2::bigint[]) AS u, aliases AS o WHERE o.owner = $1`},
		{"owner", `INSERT INTO staged (owner, first) SELECT o.owner, u.* FROM owners AS o CROSS JOIN unnest($2::bigint[]) AS u`},
		{"catalogue", `SELECT id FROM records WHERE owner = $1 AND EXISTS (SELECT 1 FROM pg_class)`},
		{"catalogue", `WITH x AS (SELECT n.oid FROM pg_catalog.pg_namespace AS n) SELECT x.oid FROM x, schema_version AS v`},
		{"size", `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c`},
		{"setting", `SELECT id FROM records WHERE owner = $1 AND owner = current_setting('app.owner')::uuid`},
		{"volatile", `UPDATE records SET created = now() WHERE owner = $1`},
		{"volatile", `DELETE FROM records WHERE owner = $1 AND random() < 1`},
		{"volatile", `INSERT INTO staged (owner, first) VALUES ($1, $2) ON CONFLICT (owner, first) DO UPDATE SET last = now()`},
		{"VALUES", `INSERT INTO staged (owner, first) VALUES ($1, (SELECT 1))`},
		{"FOR UPDATE", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.owner = $1 WHERE r.owner = $1 FOR UPDATE`},
		{"SET", `SET app.owner = 'x'`},
		{"SET", `SELECT set_config('app.owner', $1, true)`},
		{"lock", `LOCK TABLE records`},
		{"owner", `SELECT id FROM records WHERE owner = $1 OR doc = $2`},
		{"owner", `SELECT id FROM records WHERE doc = $3 OR doc = $2 AND owner = $1`},
		{"owner", `SELECT id FROM records WHERE NOT owner = $1`},
		{"owner", `SELECT id FROM records WHERE CASE WHEN doc = $2 AND owner = $1 AND doc > $3 THEN true ELSE true END`},
		{"owner", `SELECT owner = $1 FROM records`},
		{"owner", `SELECT id FROM records WHERE owner = $10`},
		{"owner", `UPDATE records SET owner = $1 WHERE doc = $2`},
		{"owner", `UPDATE records SET kind = $3, owner = $2 WHERE owner = $1`},
		{"owner", `UPDATE records SET (owner, kind) = ($2, $3) WHERE owner = $1`},
		{"owner", `INSERT INTO staged (owner, first) VALUES ($1, $2) ON CONFLICT (owner, first) DO UPDATE SET owner = excluded.owner`},
		{"owner", `INSERT INTO staged (owner, first) VALUES ($1, $2), ($3, $4)`},
		{"owner", `SELECT id FROM public.records`},
		{"owner", `SELECT id FROM other . "records"`},
		{"owner", `SELECT id FROM "records"`},
		{"owner", `SELECT id FROM RECORDS`},
		{"owner", `SELECT id FROM ONLY records`},
		{"owner", `SELECT id FROM records -- WHERE owner = $1`},
		{"owner", `SELECT id FROM records /* WHERE owner = $1 */`},
		{"owner", `SELECT a.doc FROM aliases AS a JOIN grants AS g ON a.owner = $1 AND g.owner = $1, records`},
		{"owner", `SELECT a.doc FROM aliases AS a LEFT JOIN records AS r ON a.owner = $1 AND r.owner = $1`},
		{"owner", `SELECT a.doc FROM aliases AS a FULL JOIN records AS r ON a.owner = $1 AND r.owner = $1`},
		{"owner", `SELECT a.doc FROM aliases AS a JOIN records AS r ON a.owner = r.owner WHERE a.owner = $1`},
		{"owner", `SELECT doc FROM records WHERE owner = $1 UNION ALL SELECT doc FROM aliases`},
		{"owner", `SELECT 1 WHERE EXISTS ( SELECT FROM records)`},
		{"setting", `SELECT id FROM records WHERE owner = $1 AND current_setting('app.owner')::uuid = owner`},
		{"setting", `UPDATE records SET kind = $2 WHERE owner = $1 AND owner = (current_setting('app.owner'))::uuid`},
		{"volatile", `WITH gone AS (DELETE FROM records WHERE owner = $1 AND random() < 1 RETURNING doc) SELECT doc FROM gone`},
		{"volatile", `WITH x AS (SELECT random() AS n) DELETE FROM records USING x WHERE records.owner = $1 AND doc = n`},
		{"volatile", `DELETE FROM records WHERE owner = $1 AND pg_sleep(1) IS NULL`},
		{"volatile", `UPDATE records SET id = uuid_generate_v4() WHERE owner = $1`},
		{"volatile", `UPDATE records SET id = public.f($2) WHERE owner = $1`},
		{"volatile", `UPDATE records SET created = LOCALTIME WHERE owner = $1`},
		{"volatile", `UPDATE records SET created = current_timestamp WHERE owner = $1`},
		{"volatile", `INSERT INTO staged (owner, first) VALUES ($1, $2) ON CONFLICT (owner, first) DO UPDATE SET last = clock_timestamp ()`},
		{"volatile", `INSERT INTO staged (owner, first) VALUES ($1, $2) ON CONFLICT (owner, first) DO UPDATE SET last = f($2)`},
		{"VALUES", `INSERT INTO staged (owner, first) VALUES ($1, ( SELECT 1))`},
		{"VALUES", `INSERT INTO staged (owner, first) VALUES ($1, coalesce((WITH x AS (SELECT 1) SELECT 1 FROM x), 1))`},
		{"FOR UPDATE", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.owner = $1 WHERE r.owner = $1 FOR NO KEY UPDATE`},
		{"FOR UPDATE", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.owner = $1 WHERE r.owner = $1 FOR SHARE`},
		{"FOR UPDATE", `SELECT r.id FROM records AS r JOIN aliases AS a ON a.owner = $1 WHERE r.owner = $1 FOR KEY SHARE`},
		{"kind", `MERGE INTO records USING staged ON doc = first WHEN MATCHED THEN DELETE`},
		{"kind", `WITH x AS (MERGE INTO records USING staged ON doc = first WHEN MATCHED THEN DELETE RETURNING doc) SELECT doc FROM x`},
		{"kind", `TRUNCATE records`},
		{"kind", `TABLE records`},
		{"kind", `SELECT 1 FROM (TABLE records) AS x`},
		{"kind", `SELECT 1 UNION ALL TABLE records`},
		{"kind", `COPY records TO STDOUT`},
		{"kind", `DO 'BEGIN DELETE FROM records; END'`},
		{"tables", `CREATE TABLE x (owner uuid NOT NULL, PRIMARY KEY (owner))`},
		{"tables", `CREATE TEMP TABLE x (a bigint)`},
		{"tables", `SELECT doc INTO TEMP x FROM records WHERE owner = $1`},
		{"tables", `CREATE UNIQUE INDEX i ON records (id)`},
		{"tables", `ALTER TABLE records DISABLE ROW LEVEL SECURITY`},
		{"tables", `ALTER TABLE records ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`},
		{"tables", `CREATE TRIGGER x AFTER INSERT ON records EXECUTE FUNCTION f()`},
		{"tables", `CREATE EVENT TRIGGER x ON sql_drop EXECUTE FUNCTION f()`},
		{"tables", `DROP POLICY own ON records`},
		{"SET", `SET SESSION app.owner = 'x'`},
		{"SET", `RESET app.owner`},
		{"SET", `SELECT 1; SET app.owner = 'x'`},
	} {
		if faults := lint(source{"x.go", c.statement}); !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, c.fault+":") }) {
			t.Errorf("%s: want %q, got %q", c.statement, c.fault, faults)
		}
	}
	for _, statement := range []string{
		`SELECT count(*) FROM (SELECT doc FROM records WHERE owner = $1 LIMIT $2) AS some`,
		`SELECT a.doc FROM aliases AS a JOIN records AS r ON r.owner = $1 AND r.doc = a.doc WHERE a.owner = $1`,
		`WITH gone AS (DELETE FROM staged WHERE owner = $1 RETURNING first) SELECT first FROM gone`,
		`INSERT INTO staged (owner, first) SELECT o.owner, u.* FROM owners AS o CROSS JOIN unnest($2::bigint[]) AS u WHERE o.owner = $1 ON CONFLICT (owner, first) DO UPDATE SET last = excluded.last`,
		`SET LOCAL app.owner = 'x'`,
	} {
		if faults := lint(source{"x.go", statement}); len(faults) > 0 {
			t.Errorf("%s: %q", statement, faults)
		}
	}
}

// TestSettled sees that no function is volatile that UPDATE and DELETE may call.
func TestSettled(t *testing.T) {
	for _, name := range settled {
		found := pgtest.Query(t, made(t), `SELECT DISTINCT provolatile::text FROM pg_proc WHERE proname = '`+name+`'`)
		if len(found) == 0 || slices.Contains(found, "v") {
			t.Errorf("%s: %q", name, found)
		}
	}
}
