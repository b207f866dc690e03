package replicate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

func TestMemoryOnOneMachineIsOnTheNext(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	a.Tell("I live in Lyon")
	if meet(t, all); !slices.Contains(b.Texts(memory.Query{Text: "Lyon"}), "I live in Lyon") {
		t.Errorf("the other machine recalls %q", b.Texts(memory.Query{Text: "Lyon"}))
	}
	alike(t, all)
	if n := a.hear(t, b, 1<<20) + b.hear(t, a, 1<<20); n != 0 {
		t.Errorf("a meeting with nothing new brought %d items", n)
	}
}

func TestRevisionsMadeApartAreBothKept(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b := all[0], all[1]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	b.Pass(-400 * 24 * time.Hour)
	a.Change(id, `{"body":{"text":"I live in Paris"}}`)
	b.Change(id, `{"body":{"text":"I live in Nice"}}`)
	meet(t, all)
	alike(t, all)
	for _, m := range all {
		rec := m.MustGet(id)
		if len(rec.SupersededBy) != 2 {
			t.Errorf("the first version is superseded by %v", rec.SupersededBy)
		}
	}
}

func TestForgettingTravels(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b, c := all[0], all[1], all[2]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	b.forget(t, memory.ForgetRequest{ID: id, Reason: memory.Incorrect})
	c.forget(t, memory.ForgetRequest{ID: id, Reason: memory.Outdated})
	meet(t, all)
	alike(t, all)
	if got := a.Texts(memory.Query{Text: "Lyon"}); len(got) != 0 {
		t.Errorf("a forgotten memory is recalled: %q", got)
	}
}

func TestErasingReachesEveryMachine(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b, c := all[0], all[1], all[2]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	next := c.Change(id, `{"body":{"text":"I live in Paris"}}`)
	b.forget(t, memory.ForgetRequest{ID: id, Reason: memory.Incorrect, Hard: true})
	meet(t, all)
	alike(t, all)
	if n := a.Count(); n != 1 {
		t.Errorf("%d records are left, want the revision that was made apart", n)
	}
	a.forget(t, memory.ForgetRequest{ID: next, Reason: memory.Incorrect, Hard: true})
	meet(t, all)
	alike(t, all)
}

func (m *machine) forget(t tb, f memory.ForgetRequest) {
	t.Helper()
	if _, err := m.Forget(m.Ctx, m.own, f); err != nil {
		t.Fatal(err)
	}
}

func TestTheOwnerDecidesBetweenVersions(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	paris := a.Change(id, `{"body":{"text":"I live in Paris"}}`)
	b.Change(id, `{"body":{"text":"I live in Nice"}}`)
	meet(t, all)
	for _, m := range all {
		list, err := waiting.New(m.Vault).List(m.Ctx, m.own, false)
		if err != nil || len(list) != 2 || len(list[0].Others) != 1 {
			t.Fatalf("what waits: %+v, %v", list, err)
		}
	}
	if _, err := waiting.New(b.Vault).DecideAll(b.Ctx, b.own, []string{string(paris)}, true, ""); err != nil {
		t.Fatal(err)
	}
	meet(t, all)
	alike(t, all)
	for _, m := range all {
		if got := m.Texts(memory.Query{Text: "live"}); !slices.Equal(got, []string{"I live in Paris"}) {
			t.Errorf("after the decision: %q", got)
		}
		if list, err := waiting.New(m.Vault).List(m.Ctx, m.own, false); err != nil || len(list) != 0 {
			t.Errorf("what waits after the decision: %+v, %v", list, err)
		}
	}
}

func TestTheOwnerKeepsBothVersions(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	paris := a.Change(id, `{"body":{"text":"I live in Paris in winter"}}`)
	b.Change(id, `{"body":{"text":"I live in Nice in summer"}}`)
	meet(t, all)
	if _, err := waiting.New(a.Vault).DecideAll(a.Ctx, a.own, []string{string(paris)}, false, ""); err != nil {
		t.Fatal(err)
	}
	meet(t, all)
	b.Change(paris, `{"body":{"text":"I live in Paris from October"}}`)
	meet(t, all)
	alike(t, all)
	for _, m := range all {
		if list, err := waiting.New(m.Vault).List(m.Ctx, m.own, false); err != nil || len(list) != 0 {
			t.Errorf("what waits after the decision: %+v, %v", list, err)
		}
		if got := m.Texts(memory.Query{Text: "live"}); len(got) != 2 {
			t.Errorf("recalled: %q", got)
		}
	}
}

func TestAStoreThatWasPutBackTellsEverythingAgain(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	a.Tell("I live in Lyon")
	meet(t, all)
	if err := a.Store.(store.Rooted).NewLineage(a.Ctx); err != nil {
		t.Fatal(err)
	}
	later := b.seen[a]
	later.Changes, later.Attached = later.Changes+10, later.Attached+10 // what the store knew before it was put back
	b.seen[a] = later
	a.Tell("I work in Graz")
	if meet(t, all); b.Count() != 2 {
		t.Errorf("the other machine has %d memories", b.Count())
	}
	alike(t, all)
}
