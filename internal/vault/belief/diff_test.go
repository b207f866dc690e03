package belief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// step is the diff of a caller since the last one; it moves at on.
func (h *house) step(c memory.Caller, q engram.Query, at *time.Time) engram.Delta {
	h.T.Helper()
	delta, err := h.Diff(h.Ctx, c, q, *at)
	if err != nil {
		h.T.Fatal(err)
	}
	*at = delta.GeneratedAt
	return delta
}

// differs writes a delta for people: A added, U updated, D deleted, C corrections, E evolution.
func differs(d engram.Delta) string {
	var all []string
	for _, b := range d.Added {
		all = append(all, "A "+b.Key+"="+b.Text)
	}
	for _, b := range d.Updated {
		all = append(all, "U "+b.Key+"="+b.Text+" "+string(b.Status))
	}
	for range d.Deleted {
		all = append(all, "D")
	}
	for _, c := range d.Corrections {
		all = append(all, "C "+c.New+" "+string(c.Status))
	}
	for _, e := range d.Evolution {
		all = append(all, "E "+e.New)
	}
	return strings.Join(all, ", ")
}

func TestDiff(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiff)
}

func testDiff(t *testing.T, open opener) {
	h, at := open(t), vaulttest.Start().Add(-time.Hour)
	expect := func(t *testing.T, want string) engram.Delta {
		t.Helper()
		d := h.step(h.Me(), engram.Query{}, &at)
		if got := differs(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		return d
	}
	work := engram.Belief{ID: engram.IDFrom("w"), Category: engram.WorkStyle, Key: "w", Text: "one"}
	var id memory.ID
	t.Run("ENGRAM-3.9-DIFF-3 nothing changed: lists are empty, not missing", func(t *testing.T) {
		d := expect(t, "")
		if d.Added == nil || d.Updated == nil || d.Deleted == nil || d.Corrections == nil || d.Evolution == nil {
			t.Errorf("%+v", d)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-5 created and changed since: added once, with what it is now", func(t *testing.T) {
		id = h.Change(h.believes(work), `{"body":{"text":"w: two"}}`)
		expect(t, "A w=two, E two")
		expect(t, "")
	})
	t.Run("ENGRAM-3.9-DIFF-6 ENGRAM-3.9-DIFF-12 changes in one instant are told once each", func(t *testing.T) {
		for _, text := range []string{"three", "four"} {
			id = h.Change(id, `{"body":{"text":"w: `+text+`"}}`)
			expect(t, "U w="+text+" active, E "+text)
		}
		expect(t, "")
	})
	t.Run("ENGRAM-3.9-DIFF-13 what was committed at since is not told, what was later is", func(t *testing.T) {
		h.Pass(time.Hour)
		h.believes(engram.Belief{Category: engram.Values, Key: "v", Text: "yes"})
		for since, want := range map[time.Time]string{h.Now: "", h.Now.Add(-time.Millisecond): "A v=yes"} {
			d, err := h.Diff(h.Ctx, h.Me(), engram.Query{}, since)
			if got := differs(d); got != want || err != nil || !d.Since.Equal(since) {
				t.Errorf("%q, want %q; %v", got, want, err)
			}
		}
		expect(t, "A v=yes")
	})
	t.Run("ENGRAM-3.9-DIFF-4 said again is no change", func(t *testing.T) {
		h.Tell("plainly said")
		expect(t, "A plainly_said=plainly said")
		if _, err := h.Says(h.Agent(), "plainly said"); err != nil {
			t.Fatal(err)
		}
		expect(t, "")
	})
	t.Run("ENGRAM-3.9-DIFF-6 it ends by itself: archived", func(t *testing.T) {
		h.believes(engram.Belief{Category: engram.Projects, Key: "p", Text: "x"}, `"time":{"valid_to":"`+h.Now.Add(time.Hour).Format(time.RFC3339)+`"}`)
		expect(t, "A p=x")
		h.Pass(time.Hour + settled)
		expect(t, "U p=x archived")
		expect(t, "")
		h.believes(engram.Belief{Category: engram.Values, Key: "after", Text: "edge"})
		expect(t, "A after=edge")
	})
	t.Run("ENGRAM-3.9-DIFF-7 ENGRAM-3.9-DIFF-8 deleted, however it was", func(t *testing.T) {
		forget := func(id memory.ID, hard bool) {
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: hard}); err != nil {
				t.Fatal(err)
			}
		}
		forget(id, false)
		if d := expect(t, "D"); d.Deleted[0].ID != work.ID {
			t.Errorf("%+v", d.Deleted)
		}
		expect(t, "")
		forget(id, true) // it had been told already
		expect(t, "")
		forget(h.believes(engram.Belief{Category: engram.Values, Key: "n", Text: "born and gone"}), true)
		expect(t, "D")
		forget(h.Change(h.believes(engram.Belief{Category: engram.Values, Key: "m", Text: "a"}), `{"body":{"text":"m: b"}}`), true)
		expect(t, "D")
		h.believes(engram.Belief{Category: engram.Health, Key: "h", Text: "short"}, `"consent":{"retention":"PT1H"}`)
		expect(t, "A h=short")
		h.Pass(time.Hour + settled)
		expect(t, "D")
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		expect(t, "")
		if got := len(deletedIn(h.context(h.Me(), engram.Query{}))); got != 4 {
			t.Errorf("%d tombstones", got)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-7 an import that is taken back", func(t *testing.T) {
		report, err := h.Import(h.Ctx, h.Me(), vaulttest.Drafts(h.Key.DID(), 1), vault.ImportOptions{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if d := h.step(h.Me(), engram.Query{}, &at); len(d.Added) != 1 {
			t.Errorf("%s", differs(d))
		}
		if _, err := h.Undo(h.Ctx, h.Me(), report.Number); err != nil {
			t.Fatal(err)
		}
		expect(t, "D")
		expect(t, "")
	})
	h.Healthy()
}

// settled is a little longer than a diff waits before it tells of what ends by itself.
const settled = 6 * time.Second

func deletedIn(view engram.View) []engram.Belief {
	return slices.DeleteFunc(slices.Clone(view.Beliefs), func(b engram.Belief) bool { return b.Status != engram.Deleted })
}

func TestDiffLeaves(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiffLeaves)
}

func testDiffLeaves(t *testing.T, open opener) {
	h := open(t)
	at := h.Now.Add(-time.Hour)
	worker := h.runtime(memory.Runtime{Name: "rt", Scope: "professional"})
	b := engram.Belief{ID: engram.IDFrom("e22"), Category: engram.WorkStyle, Key: "k", Text: "v"}
	id := h.believes(b)
	moved := func(category engram.Category) {
		id = h.Change(id, `{"body":{"structured":{"engram":{"belief":{"category":"`+string(category)+`"}}}}}`)
	}
	for _, c := range []struct{ name, want string }{
		{"added", "A k=v"}, {"health", "D"}, {"health", ""}, {"relationships", ""}, {"values", "A k=v"}, {"hidden", "D"},
	} {
		switch c.name {
		case "added":
		case "hidden":
			id = h.Change(id, `{"consent":{"exportable":false}}`)
		default:
			moved(engram.Category(c.name))
		}
		t.Run("E-22 ENGRAM-3.9-DIFF-14 a belief enters or leaves a runtime's scope: "+c.name, func(t *testing.T) {
			d := h.step(worker, engram.Query{}, &at)
			if got := differs(d); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, x := range d.Deleted {
				if x.ID != b.ID || x.DeletedAt.IsZero() {
					t.Errorf("%+v", x)
				}
			}
		})
	}
}

func TestDiffIdentity(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiffIdentity)
}

// testDiffIdentity tells of an identity those for whom another one is in the context.
func testDiffIdentity(t *testing.T, open opener) {
	h := open(t)
	ada := engram.Identity{DisplayName: "Ada", Timezone: "UTC", Role: "Founder"}
	custom := h.runtime(memory.Runtime{Name: "r", Categories: []string{string(engram.Health)}})
	callers := map[string]memory.Caller{"full": h.assistant(engram.Full), "financial": h.assistant(engram.Financial), "custom": custom}
	at := map[string]time.Time{"full": h.Now, "financial": h.Now, "custom": h.Now}
	expect := func(t *testing.T, want map[string]string) {
		t.Helper()
		for name, who := range callers {
			since, got := at[name], "-"
			if i := h.step(who, engram.Query{}, &since).Identity; i != nil {
				got = i.DisplayName + " " + i.Role
			}
			at[name] = since
			if got != want[name] {
				t.Errorf("%s: %q, want %q", name, got, want[name])
			}
		}
	}
	identify := func(i engram.Identity) {
		h.Pass(time.Minute)
		if _, err := h.Identify(h.Ctx, h.Me(), i); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("a name is told to all", func(t *testing.T) {
		identify(ada)
		expect(t, map[string]string{"full": "Ada Founder", "financial": "Ada ", "custom": "Ada "})
	})
	t.Run("a role to those who may know it", func(t *testing.T) {
		ada.Role = "Engineer"
		identify(ada)
		expect(t, map[string]string{"full": "Ada Engineer", "financial": "-", "custom": "-"})
	})
	t.Run("what was taken back by then only with when that was", func(t *testing.T) {
		ada.DisplayName = "Bea"
		identify(ada)
		ada.DisplayName = "Ada"
		identify(ada)
		expect(t, map[string]string{"full": "Ada Engineer", "financial": "-", "custom": "-"})
	})
	t.Run("of two the one that is left", func(t *testing.T) {
		h.Pass(time.Minute)
		cy, err := engram.Mapper{Forms: ump.Forms(), Owner: h.Key.DID()}.IdentityRecord(engram.Identity{DisplayName: "Cy", Timezone: "UTC", LastUpdated: h.Now})
		if err != nil {
			t.Fatal(err)
		}
		id := h.Must(ump.OpRemember, `{"record":{"kind":"identity","body":{"text":`+vaulttest.Quote(cy.Body.Text)+`,"structured":`+string(cy.Body.Structured)+`}}}`)["id"].(string)
		expect(t, map[string]string{"full": "Cy ", "financial": "Cy ", "custom": "Cy "})
		h.Pass(time.Minute)
		h.Must(ump.OpForget, `{"id":"`+id+`","reason":"user_revoked"}`)
		expect(t, map[string]string{"full": "Ada Engineer", "financial": "Ada ", "custom": "Ada "})
	})
}
