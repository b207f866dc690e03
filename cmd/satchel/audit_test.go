package main

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/cli/sharing"
)

// TestAuditVerifyFindsEditsOfTheDatabase changes the tables of the log with SQL,
// as somebody does who has the file and not the key.
func TestAuditVerifyFindsEditsOfTheDatabase(t *testing.T) {
	t.Parallel()
	a, out, messages := clitest.Person(t, t.Context())
	must := func(args ...string) {
		t.Helper()
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	must("init", "-q")
	for range 12 {
		must("token", "mint", "--verb", "read", "--all")
	}
	must("audit", "verify")
	dir := a.Env("SATCHEL_STORE")
	path := filepath.Join(dir, cli.DatabaseName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		do   string
		want audit.FindingKind
	}{
		"nothing":               {`DROP TABLE IF EXISTS no_such_table`, ""},
		"an entry edited":       {`UPDATE audit SET entry = replace(entry, 'owner', 'agent') WHERE place = 5`, audit.Edited},
		"an entry emptied":      {`UPDATE audit SET entry = x'' WHERE place = 5`, audit.Edited},
		"an entry deleted":      {`DELETE FROM audit WHERE place = 5`, audit.Deleted},
		"the first deleted":     {`DELETE FROM audit WHERE place = 0`, audit.Deleted},
		"the last deleted":      {`DELETE FROM audit WHERE place > 7`, audit.Truncated},
		"all deleted":           {`DELETE FROM audit`, audit.Truncated},
		"two changed places":    {`UPDATE audit SET place = CASE place WHEN 3 THEN -4 ELSE -3 END WHERE place IN (3, 4); UPDATE audit SET place = -place WHERE place < 0`, audit.Reordered},
		"one doubled":           {`UPDATE audit SET entry = (SELECT entry FROM audit WHERE place = 4) WHERE place = 5`, audit.Duplicated},
		"one added":             {`INSERT INTO audit (owner, place, entry, seal) SELECT owner, 12, x'7b7d', seal FROM audit WHERE place = 0`, audit.Inserted},
		"a hash edited":         {`UPDATE audit_hashes SET hash = zeroblob(32) WHERE place = 5`, audit.HashBroken},
		"a hash deleted":        {`DELETE FROM audit_hashes WHERE place = 5`, audit.HashBroken},
		"the head deleted":      {`DELETE FROM audit_heads`, audit.Headless},
		"the head garbled":      {`UPDATE audit_heads SET head = x'00'`, audit.HeadBroken},
		"the head's size lower": {`UPDATE audit_heads SET head = CAST(replace(CAST(head AS TEXT), char(10) || '12' || char(10), char(10) || '11' || char(10)) AS BLOB)`, audit.HeadForged},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			alter(t, path, c.do)
			before := len(out.String())
			code := run(a, []string{"audit", "verify", "--json"})
			var report sharing.AuditReport
			if err := json.Unmarshal([]byte(out.String()[before:]), &report); err != nil {
				t.Fatalf("ends with %d: %v: %s", code, err, messages)
			}
			found := slices.ContainsFunc(report.Findings, func(f sharing.AuditFinding) bool { return f.Kind == c.want })
			if c.want == "" && (code != cli.ExitDone || !report.Sound) || c.want != "" && (code != cli.ExitRefused || !found) {
				t.Errorf("want %q, ends with %d: %+v", c.want, code, report.Findings)
			}
			if must("audit", "show"); name == "an entry emptied" && !strings.Contains(out.String(), "was changed and cannot be read") {
				t.Error("show does not tell of the entry")
			}
		})
	}
}

// alter changes a database behind the program's back.
func alter(t *testing.T, path, do string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Exec(do)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 && !strings.HasPrefix(do, "DROP") {
		t.Fatalf("%s changed %d rows: %v", do, n, err)
	}
}
