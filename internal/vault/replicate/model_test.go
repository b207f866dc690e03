package replicate_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestMachinesAgree lets machines do anything, in any order, with messages that are lost,
// late and repeated, and with kills within transactions. When all have met, they answer alike.
func TestMachinesAgree(t *testing.T) { agree(t, 2, 100, embedded) }

// TestMachinesAgreeOverPostgreSQL is TestMachinesAgree with one machine that keeps its memory
// in a database.
func TestMachinesAgreeOverPostgreSQL(t *testing.T) {
	if !pgtest.Available() {
		t.Skip("PostgreSQL is not here")
	}
	agree(t, 1, 10, func(t testing.TB, i int) *vaulttest.House {
		if i == 1 {
			return vaulttest.OpenPostgres(t)
		}
		return embedded(t, i)
	})
}

// agree checks so many worlds, and so many if there is time.
func agree(t *testing.T, few, many int, open func(testing.TB, int) *vaulttest.House) {
	n := 3
	if os.Getenv("SATCHEL_LONG") != "" {
		n, few = 5, many
	}
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		defer func() { _ = flag.Set(f.Name, f.DefValue) }()
		if err := flag.Set(f.Name, strconv.Itoa(few)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(machines(t, n, open))
		defer func() {
			for _, m := range w.all {
				_ = m.Store.Close()
			}
		}()
		rt.Repeat(w.acts())
		w.check(rt)
	})
}
