package vault_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// canaryTerm is the term of [vaulttest.Canary].
const canaryTerm = "zanzibarquinc"

// TestHeldForQuestions: what a vault keeps in memory for the next question makes no
// difference to an answer, stays with its owner, and goes when content goes.
func TestHeldForQuestions(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		t.Run("answers are the same", func(t *testing.T) { testHeldAnswers(t, open(t)) })
		t.Run("others write", func(t *testing.T) { testHeldWrites(t, open(t)) })
		t.Run("whatever changes", func(t *testing.T) { testHeldChanges(t, open(t)) })
		t.Run("content leaves", func(t *testing.T) { testHeldLeaves(t, open(t)) })
		t.Run("owners share nothing", func(t *testing.T) { testHeldApart(t, open(t)) })
		t.Run("several at once", func(t *testing.T) { testHeldAtOnce(t, open(t)) })
	})
}

// difference is cmp.Diff, which takes long where it has nothing to say.
func difference(want, got []memory.Hit) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

func testHeldAnswers(t *testing.T, h *house) {
	words := strings.Fields("koala garden mother lawyer children plant lantern divorce lives left rules house river stone music boat bread market winter guitar")
	for i := range 60 {
		h.Tell(fmt.Sprintf("The %s has a %s and %d %s", words[i%20], words[i*7%20], i, words[i*3%19]))
	}
	cold := h.server()
	for i := range 20 {
		q := memory.Query{Text: "which " + words[i] + " has a " + words[(i+3)%20] + " or gardn?", Limit: 5}
		for _, also := range [][]string{nil, {words[i] + " " + words[19-i]}} {
			q.Also = also
			first, err := h.Recall(h.Ctx, h.Agent(), q)
			again, err2 := h.Recall(h.Ctx, h.Agent(), q)
			vault.ExpireHeld(cold.Vault, cold.Key.DID())
			want, err3 := cold.Recall(h.Ctx, h.Agent(), q)
			if diff := difference(want, first) + difference(want, again); diff != "" || err != nil || err2 != nil || err3 != nil || len(want) == 0 {
				t.Fatalf("%q: %d hits, %v %v %v\n%s", q.Text, len(want), err, err2, err3, diff)
			}
		}
	}
}

func testHeldWrites(t *testing.T, h *house) {
	other := h.server()
	first := h.Tell("The lantern hangs in the hall")
	ask := func(want ...string) {
		t.Helper()
		got := h.TextsFor(h.Agent(), memory.Query{Text: "where is the lantern?"})
		slices.Sort(got)
		vaulttest.WantTexts(t, got, want...)
	}
	ask("The lantern hangs in the hall")
	other.Tell("The lantern stands in the attic")
	ask("The lantern hangs in the hall", "The lantern stands in the attic")
	h.Tell("The lantern was sold")
	ask("The lantern hangs in the hall", "The lantern stands in the attic", "The lantern was sold")
	h.Flush(h.Ctx) // writes who read, and no record
	h.TextsFor(h.Agent(), memory.Query{Text: "what was sold?"})
	if held := vault.HeldForQuestions(h.Vault)[h.Key.DID()]; !strings.Contains(held, " hall ") {
		t.Errorf("after a note of who read nothing is held but %q", held)
	}
	if _, err := other.Forget(h.Ctx, other.Me(), memory.ForgetRequest{ID: first, Reason: memory.UserRevoked}); err != nil {
		t.Fatal(err)
	}
	ask("The lantern stands in the attic", "The lantern was sold")
}

func testHeldChanges(t *testing.T, h *house) {
	lantern := h.Tell("The lantern hangs in the hall", `"scope":{"project":"home"}`)
	h.Tell("The lantern needs oil", `"scope":{"project":"flat"}`)
	other := h.server()
	for _, change := range []struct {
		what string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"more documents than lie unsorted", func() error {
			for i := range 40 {
				other.Tell(fmt.Sprintf("Lantern %d is in the shed", i))
			}
			return nil
		}},
		{"an import of several batches", func() error {
			var list strings.Builder
			for i := range 2*vaulttest.Batch + 11 {
				fmt.Fprintf(&list, `{"ump":"0.1","kind":"semantic","body":{"text":"Brass lantern %d was sold"},"scope":{"owner":%q},"time":{"created":"2026-01-05T09:00:00Z"}}`+"\n", i, h.Key.DID())
			}
			_, err := other.importText(list.String(), vault.ImportOptions{})
			return err
		}},
		{"feedback", func() error { return other.Feedback(h.Ctx, other.Agent(), lantern, "followed", "") }},
		{"one name of two projects", func() error { return other.AliasProject(h.Ctx, other.Me(), "flat", "home") }},
		{"a new version", func() error { other.Change(lantern, `{"body":{"text":"The lantern hangs in the porch"}}`); return nil }},
	} {
		questions := []memory.Query{{Text: "where does the lantern hang?"}, {Text: "which brass lantern was sold?", Limit: 20},
			{Text: "lantern oil", Scope: memory.Scope{Project: "home"}}}
		for _, q := range questions {
			h.TextsFor(h.Agent(), q) // is held
		}
		if err := change.do(); err != nil {
			t.Fatalf("%s: %v", change.what, err)
		}
		for _, q := range questions {
			got, err := h.Recall(h.Ctx, h.Agent(), q)
			want, err2 := h.server().Recall(h.Ctx, h.Agent(), q)
			if diff := difference(want, got); diff != "" || err != nil || err2 != nil {
				t.Errorf("after %s, %q: %v %v\n%s", change.what, q.Text, err, err2, diff)
			}
		}
	}
}

func testHeldLeaves(t *testing.T, h *house) {
	other := h.server()
	me := h.Key.DID()
	held := func(v *vault.Vault) string { return vault.HeldForQuestions(v)[me] }
	ask := func(of *house, text string) { of.TextsFor(of.Agent(), memory.Query{Text: text}) }
	id := h.Tell("The " + vaulttest.Canary + " blooms beside the gate")
	h.Tell("The gate is green")
	for _, of := range []*house{h, other} {
		if ask(of, "what blooms beside the gate?"); !strings.Contains(held(of.Vault), canaryTerm) {
			t.Fatal("the words of a candidate are not held")
		}
	}
	h.Erases(h.Me(), id)
	if held(h.Vault) != "" {
		t.Error("the process that erases still holds the words")
	}
	if ask(other, "what colour is the gate?"); strings.Contains(held(other.Vault), canaryTerm) {
		t.Error("the other process still holds the words after the next question")
	}
	if vault.ExpireHeld(other.Vault, me); held(other.Vault) != "" {
		t.Error("words are held for ever")
	}
}

func testHeldApart(t *testing.T, h *house) {
	bob := vaulttest.Seeded(t, 22)
	h.More = append(h.More, bob)
	c := memory.Caller{Owner: bob.DID(), Role: memory.Owner}
	h.Tell("Ada keeps a koala in the garden")
	if _, err := h.Says(c, "Bob keeps a "+vaulttest.Canary+" in the garden"); err != nil {
		t.Fatal(err)
	}
	q := memory.Query{Text: "what is in the garden?"}
	for range 2 {
		vaulttest.WantTexts(t, h.TextsFor(h.Agent(), q), "Ada keeps a koala in the garden")
		vaulttest.WantTexts(t, h.TextsFor(c, q), "Bob keeps a "+vaulttest.Canary+" in the garden")
	}
	held := vault.HeldForQuestions(h.Vault)
	if mine, his := held[h.Key.DID()], held[bob.DID()]; mine == "" || his == "" || strings.Contains(mine, canaryTerm) || !strings.Contains(his, canaryTerm) || strings.Contains(his, "koala") {
		t.Errorf("held are %q and %q", mine, his)
	}
	vault.ExpireHeld(h.Vault, h.Key.DID())
	h.TextsFor(h.Peer(), q)
	if held := vault.HeldForQuestions(h.Vault)[h.Key.DID()]; held != "" {
		t.Errorf("a question of a peer left %q", held)
	}
}

func testHeldAtOnce(t *testing.T, h *house) {
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 10 {
				text := fmt.Sprintf("writer%d noted fact%d about gardens", n, i)
				if _, err := h.Remember(h.Ctx, h.Agent(), draft(text)); err != nil {
					t.Error(err)
					return
				}
				hits, err := h.Recall(h.Ctx, h.Agent(), memory.Query{Text: fmt.Sprintf("what did writer%d note of fact%d?", n, i)})
				if err != nil || len(hits) == 0 || hits[0].Record.Body.Text != text {
					t.Errorf("%q is not found first: %v", text, err)
				}
			}
		})
	}
	all.Wait()
	for n := range 4 { // nobody writes any more, and all of them fill what is held
		all.Go(func() {
			for i := range 10 {
				n, i := (n+i)%4, (i*3+n)%10
				hits, err := h.Recall(h.Ctx, h.Agent(), memory.Query{Text: fmt.Sprintf("what did writer%d note of fact%d?", n, i)})
				if want := fmt.Sprintf("writer%d noted fact%d about gardens", n, i); err != nil || len(hits) == 0 || hits[0].Record.Body.Text != want {
					t.Errorf("%q is not found first: %v", want, err)
				}
			}
		})
	}
	all.Wait()
}
