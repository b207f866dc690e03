package replicate_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// A machine that knows more of an item than the message it joins tells so, also if it joins
// another message before it says anything itself.
func TestWhatAMachineKnowsMoreIsSentBackAfterSeveralJoins(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	for _, m := range []*machine{b, a} {
		if err := m.GrantConsent(m.Ctx, m.own, trust.ExportEmbeddings); err != nil {
			t.Fatal(err)
		}
	}
	b.Tell("I live in Lyon")
	a.tell(t, b, 1<<20) // it notes that it has the consent
	if err := a.RevokeConsent(a.Ctx, a.own, trust.ExportEmbeddings); err != nil {
		t.Fatal(err)
	}
	a.join(t, b, b.tell(t, a, 1<<20))
	b.Tell("I work in Graz")
	a.join(t, b, b.tell(t, a, 1<<20))
	said := a.tell(t, b, 1<<20)
	if !slices.ContainsFunc(said.Items, func(i replica.Item) bool { return i.Kind == replica.KindSetting }) {
		t.Errorf("%d items, the withdrawal is not among them", len(said.Items))
	}
	b.join(t, a, said)
	if given, err := b.Consents(b.Ctx, b.own); err != nil || len(given) != 0 {
		t.Errorf("the other machine still has %v, %v", given, err)
	}
}

// What came from a remote is not told there again, from any place in the stream. A place
// needs no span that was noted before it.
func TestSpansBeforeAPlaceAreNotRead(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	meet(t, all)
	for i := range 5 {
		b.Tell(vaulttest.Fact(2 * i))
		a.Tell(vaulttest.Fact(2*i + 1))
		a.join(t, b, b.tell(t, a, 1<<20))
		if n := b.hear(t, a, 1<<20); n != 1 {
			t.Errorf("%d items, want one", n)
		}
		a.view(t, func(r store.Reader) error {
			left, err := r.Attachments(store.AttachmentFilter{Space: "count.skip"}, b.seen[a].Attached, 10)
			if len(left) > 0 {
				t.Errorf("%d spans after the place of what was told", len(left))
			}
			return err
		})
	}
	items, _, _, err := a.Since(a.Ctx, b.Self().Name, replica.Position{}, 1<<20)
	if n := len(slices.DeleteFunc(items, func(i replica.Item) bool { return i.Kind != replica.KindRecord })); err != nil || n != 5 {
		t.Errorf("the whole stream holds %d memories, want the 5 that began here; %v", n, err)
	}
}

// TestLacksWritesNothing: whether another machine lacks something is told without a write, also
// of what no exchange has looked at yet.
func TestLacksWritesNothing(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	sum := func() (s store.Sum) {
		a.view(t, func(r store.Reader) (err error) { s, err = r.Sum(); return err })
		return s
	}
	lacks := func(what string, want bool) {
		t.Helper()
		a.restarted(t)
		was := sum()
		if got, err := a.Lacks(a.Ctx, b.Self().Name, b.seen[a]); err != nil || got != want || sum() != was {
			t.Errorf("%s: %t %v, written: %t", what, got, err, sum() != was)
		}
	}
	for name, act := range map[string]func() error{
		"a memory": func() error { a.Tell("I live in Paris"); return nil },
		"an erasure": func() error {
			a.forget(t, memory.ForgetRequest{ID: id, Reason: memory.Incorrect, Hard: true})
			return nil
		},
		"a consent": func() error { return a.GrantConsent(a.Ctx, a.own, trust.ExportEmbeddings) },
		"an alias":  func() error { return a.AliasProject(a.Ctx, a.own, "shop", "kiosk") },
	} {
		lacks("before "+name, false)
		if err := act(); err != nil {
			t.Fatal(err)
		}
		lacks(name, true)
		meet(t, all)
	}
	b.Tell("I work in Graz")
	meet(t, all)
	lacks("what the other machine said", false)
}
