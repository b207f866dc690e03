package postgres

import (
	"context"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/internal/store/storetest"
)

// rowsOfIndex counts the blocks and the leaves of a database.
func rowsOfIndex(t *testing.T, url string) (blocks, leaves int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	must(t, c.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE block < 4294967296), count(*) FILTER (WHERE block >= 4294967296) FROM satchel.postings`).Scan(&blocks, &leaves))
	return blocks, leaves
}

// TestBlocks works on a store that programs of schema 11 may use, which can read blocks alone.
// When no such program may any more, the index is added to in leaves, changed, and brought into
// leaves.
func TestBlocks(t *testing.T) {
	for query, number := range map[string]int{closeLeaves: stored.OpenLeaf, selectLeaves: stored.FirstLeaf, appendLeaves: stored.LeafSize} {
		if !regexp.MustCompile(`\b` + strconv.Itoa(number) + `\b`).MatchString(query) {
			t.Errorf("a statement does not say %d: %s", number, query)
		}
	}
	racing.Skip(t)
	for name, do := range map[string]func(*storetest.Scene){
		"read":    func(*storetest.Scene) {},
		"add":     func(c *storetest.Scene) { c.Insert(1); c.Insert(400) },
		"remove":  func(c *storetest.Scene) { c.Remove(1) },
		"reindex": func(c *storetest.Scene) { c.Reindex(1) },
		"all of it": func(c *storetest.Scene) {
			for step := range 5 {
				c.Act(step)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := made(t)
			known, err := latest()
			must(t, err)
			setVersion(t, url, known, leavesSchema-1)
			c := storetest.NewScene(t, openSealed(t, url, secretOf))
			c.Insert(900)
			c.Insert(1)
			c.Remove(20)
			c.Reindex(20)
			c.Pack(1 << 20)
			c.Check()
			if blocks, leaves := rowsOfIndex(t, url); blocks < 20 || leaves > 0 {
				t.Fatalf("there are %d blocks and %d leaves", blocks, leaves)
			}
			must(t, Finish(t.Context(), url, Options{}))
			c.Check()
			do(c)
			c.Check()
			c.Pack(3)
			c.Check()
			if blocks, leaves := rowsOfIndex(t, url); blocks > 0 || leaves == 0 {
				t.Errorf("there are %d blocks and %d leaves", blocks, leaves)
			}
		})
	}
}

// TestFinishedMeanwhile lets an Update wait for another one that begins after [Finish]. It sees
// that leaves may be written.
func TestFinishedMeanwhile(t *testing.T) {
	url := made(t)
	known, err := latest()
	must(t, err)
	setVersion(t, url, known, leavesSchema-1)
	s, other := openSealed(t, url, secretOf), openSealed(t, url, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	began := make(chan error, 1)
	update(t, s, func(w store.Writer) error {
		go func() {
			began <- other.Update(context.Background(), ada, func(w store.Writer) error { return insertSmall(w, "urn:ump:3") })
		}()
		waiting(t, url)
		must(t, Finish(t.Context(), url, Options{}))
		return insertSmall(w, "urn:ump:2")
	})
	must(t, <-began)
	sound(t, s)
	if blocks, leaves := rowsOfIndex(t, url); blocks == 0 || leaves == 0 {
		t.Errorf("there are %d blocks and %d leaves", blocks, leaves)
	}
}

// waiting returns when somebody waits for a row.
func waiting(t *testing.T, url string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var n int
		must(t, c.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
			WHERE a.datname = current_database() AND NOT l.granted AND l.locktype IN ('transactionid', 'tuple')`).Scan(&n))
		if n > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("nobody waits for a row")
		}
	}
}
