package replicate_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// tb is what tests and properties share.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Logf(string, ...any)
}

// machine is one of an owner's machines.
type machine struct {
	*vaulttest.House
	*replicate.Memory
	key  keys.Private
	seen map[*machine]replica.Position // up to where it has joined the others' streams
	own  memory.Caller
}

// machines returns n machines of one owner, over stores that open opens.
func machines(t testing.TB, n int, open func(testing.TB, int) *vaulttest.House) []*machine {
	t.Helper()
	all := make([]*machine, n)
	for i := range all {
		h := open(t, i)
		all[i] = &machine{House: h, key: vaulttest.Seeded(t, byte(100+i)), seen: map[*machine]replica.Position{}, own: h.Me()}
	}
	for _, m := range all {
		for i, other := range all {
			entry := replica.Machine{ID: other.key.DID(), Name: fmt.Sprint("machine ", i), Added: vaulttest.Start()}.Proven(other.key).Signed(m.House.Key)
			if err := replicate.Admit(m.Ctx, m.Vault, memory.Caller{Owner: m.House.Key.DID(), Role: memory.Owner}, entry); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if m.Memory, err = replicate.Of(m.Ctx, m.Vault, m.House.Key.DID(), m.key.DID()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func embedded(t testing.TB, i int) *vaulttest.House {
	h := vaulttest.OpenAt(t, filepath.Join(t.TempDir(), fmt.Sprint(i, ".db")))
	t.Cleanup(func() { _ = h.Store.Close() })
	return h
}

// hear joins what from has told since, in messages of some max bytes, and returns how many
// items came.
func (m *machine) hear(t tb, from *machine, max int) (items int) {
	t.Helper()
	for more := true; more; {
		msg := from.tell(t, m, max)
		more = msg.More
		items += len(msg.Items)
		m.join(t, from, msg)
	}
	return items
}

func (m *machine) tell(t tb, to *machine, max int) replica.Message {
	t.Helper()
	after := to.seen[m]
	items, upto, more, err := m.Since(m.Ctx, to.Self().Name, after, max)
	if err != nil {
		t.Fatal(err)
	}
	return replica.Message{Owner: m.House.Key.DID(), From: m.key.DID(), Items: items, After: after, Upto: upto, More: more}
}

func (m *machine) join(t tb, from *machine, msg replica.Message) replica.Joined {
	t.Helper()
	done, err := m.Join(m.Ctx, from.Self().Name, msg)
	if err != nil {
		t.Fatal(err)
	}
	m.seen[from] = msg.Upto
	return done
}

// meet lets all machines hear each other until nobody has anything new to tell.
func meet(t tb, all []*machine) (rounds int) {
	t.Helper()
	for told := 1; told > 0; rounds++ {
		if rounds > 18 {
			tellAll(t, all)
		}
		if told = 0; rounds > 20 {
			t.Fatal("the machines go on telling each other the same things")
		}
		for _, m := range all {
			for _, other := range all {
				if m != other {
					told += m.hear(t, other, 1<<16)
				}
			}
		}
	}
	return rounds
}

// state is what a machine's records say, for comparisons.
func (m *machine) state(t tb) string {
	t.Helper()
	var b strings.Builder
	err := m.Store.View(m.Ctx, m.House.Key.DID(), func(r store.Reader) error {
		b.Reset()
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 100_000)
		slices.SortFunc(rows, func(x, y store.Row) int { return strings.Compare(string(x.ID), string(y.ID)) })
		for _, row := range rows {
			lessons, err := r.Lessons([]int64{row.Number})
			if err != nil {
				return err
			}
			row.Columns.Import = 0
			fmt.Fprintf(&b, "%s %+v %+v\n%s\n%s\n", row.ID, row.Columns, lessons, row.Origin, row.Current)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// alike fails unless all machines have the same records.
func alike(t tb, all []*machine) {
	t.Helper()
	for _, m := range all[1:] {
		if got, want := m.state(t), all[0].state(t); got != want {
			t.Fatalf("%s and %s differ:\n%s", m.Self().Name, all[0].Self().Name, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
}

// tellAll logs what the machines still tell each other.
func tellAll(t tb, all []*machine) {
	for _, m := range all {
		for _, other := range all {
			if m == other {
				continue
			}
			for _, i := range m.tell(t, other, 1<<16).Items {
				t.Logf("%s to %s: %s %q %.500q", m.Self().Name, other.Self().Name, i.Kind, i.Key, i.Data)
			}
		}
	}
}
