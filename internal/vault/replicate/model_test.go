package replicate_test

import (
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// TestMachinesAgree lets machines do anything, in any order, with messages that are lost,
// late and repeated. When all have met, they answer alike.
func TestMachinesAgree(t *testing.T) {
	n := 3
	if os.Getenv("SATCHEL_LONG") != "" {
		n = 5
	} else if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		defer func() { _ = flag.Set(f.Name, f.DefValue) }()
		if err := flag.Set(f.Name, "2"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(machines(t, n, embedded))
		defer func() {
			for _, m := range w.all {
				_ = m.Store.Close()
			}
		}()
		rt.Repeat(w.acts())
		w.check(rt)
	})
}
