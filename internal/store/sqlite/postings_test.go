package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/internal/store/storetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// inBlocks gives the index of a store the form in which releases of schema 12 and before wrote
// it.
func inBlocks(t testing.TB, path string) {
	t.Helper()
	raw(t, path, func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		type key struct {
			owner int64
			term  string
		}
		leaves := make(map[key][]stored.IndexRow)
		rows, err := db.QueryContext(t.Context(), `SELECT owner, term, block, entries FROM postings WHERE term < x'' ORDER BY owner, term, block`)
		must(t, err)
		for rows.Next() {
			var k key
			var r stored.IndexRow
			must(t, rows.Scan(&k.owner, &k.term, &r.Number, &r.Entries))
			leaves[k] = append(leaves[k], r)
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		execute(t, db, `DELETE FROM postings WHERE term < x'' AND block <> `+tally)
		execute(t, db, `UPDATE postings SET entries = NULL WHERE block = `+tally)
		for k, rows := range leaves {
			for _, b := range stored.Gathered(k.term, rows...).Blocks() {
				execute(t, db, `INSERT INTO postings VALUES (?, ?, ?, 0, ?)`, k.owner, k.term, b.Number, b.Entries)
			}
		}
	})
}

// rowsOfTerm returns how many rows of the index a term has, and the longest of them.
func rowsOfTerm(t *testing.T, path, term string) (rows, longest int) {
	t.Helper()
	raw(t, path, func(db *sql.DB) {
		must(t, db.QueryRowContext(t.Context(), `SELECT count(*), coalesce(max(length(entries)), 0) FROM postings WHERE term = ?`, term).Scan(&rows, &longest))
	})
	return rows, longest
}

// TestLeaves expects few rows of a frequent term, and none of no document.
func TestLeaves(t *testing.T) {
	for text, number := range map[string]int{tally: stored.OpenLeaf, firstLeaf: stored.FirstLeaf, leafSize: stored.LeafSize} {
		if text != strconv.Itoa(number) {
			t.Errorf("statements say %s for %d", text, number)
		}
	}
	path := filepath.Join(t.TempDir(), "satchel.db")
	c := storetest.NewScene(t, open(t, path))
	for step := range 10 {
		c.Act(step)
	}
	rows, longest := rowsOfTerm(t, path, "all")
	if rows > 14 || longest >= 2*stored.LeafSize {
		t.Errorf("some 600 documents are in %d rows of at most %d bytes", rows, longest)
	}
	c.Remove(1 << 20)
	c.Check()
	if rows, _ := rowsOfTerm(t, path, "all"); rows != 0 {
		t.Errorf("%d rows are left of no document", rows)
	}
}

// TestBlocks goes on with an index that an earlier release wrote: it is read, added to,
// changed, and brought into leaves.
func TestBlocks(t *testing.T) {
	racing.Skip(t)
	for name, do := range map[string]func(*storetest.Scene){
		"read": func(*storetest.Scene) {},
		"add":  func(c *storetest.Scene) { c.Insert(1); c.Insert(400) },
		"all of it": func(c *storetest.Scene) {
			for step := range 10 {
				c.Act(step)
			}
		},
		"remove":  func(c *storetest.Scene) { c.Remove(1) },
		"reindex": func(c *storetest.Scene) { c.Reindex(1) },
		"pack": func(c *storetest.Scene) {
			c.Pack(1 << 20)
			c.Reindex(9)
			c.Remove(9)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "satchel.db")
			c := storetest.NewScene(t, open(t, path))
			c.Insert(1200)
			must(t, c.Store.Close())
			inBlocks(t, path)
			c.Store = open(t, path)
			if rows, _ := rowsOfTerm(t, path, "hundredth"); rows < 5 {
				t.Fatalf("a rare term has %d rows", rows)
			}
			c.Check()
			do(c)
			c.Check()
			c.Pack(3)
			c.Check()
			raw(t, path, func(db *sql.DB) {
				left := -1
				must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM postings WHERE term < x'' AND block < `+firstLeaf).Scan(&left))
				if left != 0 {
					t.Errorf("%d blocks are left", left)
				}
			})
			if rows, _ := rowsOfTerm(t, path, "hundredth"); rows != 1 {
				t.Errorf("a rare term has %d rows", rows)
			}
		})
	}
}

// TestPackedInBackground expects that the work of store.Index packs blocks.
func TestPackedInBackground(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	for n := range 3 {
		update(t, s, func(w store.Writer) error { return insertSmall(w, memory.ID(fmt.Sprint("urn:ump:", n))) })
	}
	writeTail(t, s, ada)
	must(t, s.Close())
	inBlocks(t, path)
	s = open(t, path)
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: s, Owner: ada, Key: func(memory.DID) (keys.Private, bool) { return key, true }})
	_, err = v.ReindexAll(t.Context(), func(int) {})
	must(t, err)
	if rows, _ := rowsOfTerm(t, path, "word"); rows != 1 {
		t.Errorf("there are %d rows of a term", rows)
	}
	sound(t, s)
}
