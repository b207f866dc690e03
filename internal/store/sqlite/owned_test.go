package sqlite

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
)

// pooled names the tables whose rows do not belong to one owner each. A row does that
// says its owner, or bears a number that begins with the owner's. The tables in which
// owners and migrations are counted hold no content, and that of the lineage has a marker
// of 16 bytes alone.
const pooled = `SELECT t.name FROM sqlite_schema AS t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
	AND t.name NOT IN ('owners', 'goose_db_version')
	AND NOT (t.name = 'lineage' AND (SELECT group_concat(c.name) FROM pragma_table_info(t.name) AS c) = 'one,marker')
	AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = 'owner' AND (c."notnull" OR c.pk = 1))
	AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = 'doc' AND c.pk = 1)
	ORDER BY 1`

// TestOneOwner looks for content that several owners could share: none may outlive one
// of them, and none may go with one of them.
func TestOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found := func() (names []string) {
		rows, err := db.Query(pooled)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return names
	}
	t.Run("AIMEM-5.2-3 every row of content has one owner", func(t *testing.T) {
		if names := found(); len(names) > 0 {
			t.Errorf("there are tables whose rows are nobody's: %q", names)
		}
	})
	t.Run("AIMEM-5.2-3 a pool of texts would be found", func(t *testing.T) {
		for _, ddl := range []string{
			`CREATE TABLE contents (hash BLOB PRIMARY KEY, text TEXT NOT NULL, uses INTEGER NOT NULL)`,
			`CREATE TABLE texts (owner INTEGER, text TEXT NOT NULL)`,
			`ALTER TABLE lineage ADD COLUMN text TEXT`,
		} {
			if _, err := db.Exec(ddl); err != nil {
				t.Fatal(err)
			}
		}
		if names := found(); !slices.Equal(names, []string{"contents", "lineage", "texts"}) {
			t.Errorf("found %q", names)
		}
	})
}
