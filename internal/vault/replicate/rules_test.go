package replicate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// keeps takes in a definition of the agent "clerk", which becomes the newest.
func (m *machine) keeps(t tb, says string) {
	t.Helper()
	m.Pass(time.Minute)
	if _, _, err := m.KeepAgent(m.Ctx, m.own, vaulttest.AgentOf("clerk", says)); err != nil {
		t.Fatal(err)
	}
}

// clerks returns what machines hold for the newest definition of the agent "clerk".
func clerks(t tb, all []*machine) (newest []string) {
	t.Helper()
	for _, m := range all {
		a, err := m.KeptAgent(m.Ctx, m.own, "clerk", 0)
		if err != nil {
			t.Fatal(err)
		}
		newest = append(newest, a.Digest)
	}
	return newest
}

// Whatever the order in which machines meet, the newest definition of an agent is the same on
// all of them, and it is one that its machine put after all that it knew.
func TestTheNewestDefinitionIsTheSameEverywhere(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			all := machines(t, 3, embedded)
			for i, says := range []string{"one", "two", "three"} {
				all[i].keeps(t, says)
			}
			first, second, third := all[order[0]], all[order[1]], all[order[2]]
			first.hear(t, second, 1<<20)
			third.hear(t, second, 1<<20)
			third.hear(t, first, 1<<20)
			meet(t, all)
			got := clerks(t, all)
			if slices.Sort(got); got[0] != got[2] {
				t.Fatalf("the newest definitions are %q", got)
			}
			if got[0] != "two" {
				t.Errorf("of definitions that were made apart %q is the newest", got[0])
			}
			for _, says := range []string{"four", "one"} { // also one that was there before
				second.keeps(t, says)
				meet(t, all)
				if got := clerks(t, all); slices.ContainsFunc(got, func(s string) bool { return s != says }) {
					t.Errorf("after %q came last, the newest are %q", says, got)
				}
			}
			for _, m := range all {
				m.view(t, func(r store.Reader) error {
					for _, says := range []string{"one", "two", "three", "four"} {
						if _, err := r.Agents().AgentAs("clerk", says); err != nil {
							t.Errorf("%s lacks %s: %v", m.Self().Name, says, err)
						}
					}
					return nil
				})
			}
		})
	}
}

// The same definition, taken in on two machines at different times, is one definition, and
// machines do not go on telling each other of it.
func TestOneDefinitionTakenInTwice(t *testing.T) {
	all := machines(t, 3, embedded)
	all[0].Pass(time.Hour)
	for _, m := range all {
		m.keeps(t, "one")
	}
	meet(t, all)
	for _, m := range all {
		m.view(t, func(r store.Reader) error {
			a, err := r.Agents().Agent("clerk", 0)
			if err != nil || a.Revision != 1 || !a.Received.Equal(vaulttest.Start().Add(time.Minute)) {
				t.Errorf("%s: revision %d of %v, %v", m.Self().Name, a.Revision, a.Received, err)
			}
			return nil
		})
	}
}

// A token that served on two machines, which remember it for different times, has served
// everywhere, for the longer time.
func TestOneTokenThatServedTwice(t *testing.T) {
	all := machines(t, 2, embedded)
	for i, m := range all {
		spent := store.Spent{Issuer: "platform", JTI: "one", Until: vaulttest.Start().Add(time.Duration(1+i) * time.Hour)}
		m.write(t, func(w store.Writer) error { return w.AgentKeeper().Spend(spent, time.Time{}) })
	}
	meet(t, all)
	for _, m := range all {
		m.view(t, func(r store.Reader) error {
			list, err := r.Agents().SpentList(time.Time{})
			if err != nil || len(list) != 1 || !list[0].Until.Equal(vaulttest.Start().Add(2*time.Hour)) {
				t.Errorf("%s remembers %+v, %v", m.Self().Name, list, err)
			}
			return nil
		})
	}
}

// What was changed outside of the store on one machine is not withdrawn: the others keep what
// they have, and go on meeting.
func TestWhatIsDamagedIsNotWithdrawn(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	for _, says := range []string{"one", "two"} {
		a.keeps(t, says)
	}
	a.Landing(agentstore.Landing{State: agentstore.KeptState{ID: "s", Agent: "clerk", Run: "r", Checkpoint: a.Now, Document: []byte("{}")}}, "j")
	meet(t, all)
	for _, damage := range []string{
		`UPDATE agents SET document = CAST('another' AS BLOB) WHERE id = 'clerk' AND revision = 1`,
		`UPDATE agents SET document = CAST('another' AS BLOB) WHERE id = 'clerk' AND revision = 2`,
		`UPDATE agents SET document = CAST('another' AS BLOB) WHERE id = 'clerk'`,
		`UPDATE states SET document = CAST('another' AS BLOB) WHERE id = 's'`,
	} {
		a.Edit(damage)
		a.Tell("Something new besides " + damage)
		b.keeps(t, "three")
		b.keeps(t, "four")
		meet(t, all)
		b.view(t, func(r store.Reader) error {
			for _, says := range []string{"one", "two", "three", "four"} {
				if _, err := r.Agents().AgentAs("clerk", says); err != nil {
					t.Errorf("after %s, the other machine lacks definition %s: %v", damage, says, err)
				}
			}
			_, err := r.Agents().State("s")
			return err
		})
		if a.Count() != b.Count() {
			t.Errorf("after %s, %d and %d memories", damage, a.Count(), b.Count())
		}
	}
}

// Each machine counts the feedback that it sees; the sum counts, however often they meet.
func TestFeedbackIsCountedByMachine(t *testing.T) {
	all := machines(t, 3, embedded)
	id := all[0].Tell("I live in Lyon")
	meet(t, all)
	for i, m := range all {
		for range i + 1 {
			if err := m.Feedback(m.Ctx, m.Agent(), id, "followed", ""); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 {
			meet(t, all)
		}
	}
	meet(t, all)
	meet(t, all)
	for _, m := range all {
		m.view(t, func(r store.Reader) error {
			row, err := r.Row(id)
			if err != nil {
				return err
			}
			sum, err := r.Lessons([]int64{row.Number})
			if err == nil && sum[0].Followed != 6 {
				t.Errorf("%s counts %d, want 1, 2 and 3", m.Self().Name, sum[0].Followed)
			}
			return err
		})
	}
	alike(t, all)
}

// A memory whose retention is over by the clock of one machine is empty on all, whatever
// their clocks say, and stays so if it was revised elsewhere meanwhile.
func TestRetentionEndsEverywhere(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b, c := all[0], all[1], all[2]
	id := a.Keep(`{"body":{"text":"The code of the door is qx77xq"},"consent":{"retention":"P30D"}}`).ID
	meet(t, all)
	c.Pass(-24 * time.Hour)
	next := c.Change(id, `{"body":{"text":"The code of the door is another one"},"consent":null}`)
	b.Pass(31 * 24 * time.Hour)
	if n, err := b.Sweep(b.Ctx, b.own.Owner); err != nil || n != 1 {
		t.Fatalf("%d swept, %v", n, err)
	}
	meet(t, all)
	alike(t, all)
	for _, m := range all {
		if got := m.Texts(memory.Query{Text: "code of the door qx77xq"}); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "qx77xq") }) {
			t.Errorf("%s still recalls %q", m.Self().Name, got)
		}
		holdsNot(t, m, "qx77xq")
		if rec := m.MustGet(next); rec.Body.Text != "The code of the door is another one" {
			t.Errorf("%s has %q for the revision", m.Self().Name, rec.Body.Text)
		}
	}
}

// A token that was revoked on one machine opens nothing on another once they have met, also
// one that the other machine issued.
func TestRevokedTokensEndEverywhere(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	token, g, err := a.MintToken(a.Ctx, a.own, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: a.Now.Add(time.Hour), Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	meet(t, all)
	for _, m := range all {
		if _, err := m.Admit(m.Ctx, token); err != nil {
			t.Fatalf("%s: %v", m.Self().Name, err)
		}
	}
	if err := b.RevokeToken(b.Ctx, b.own, g.ID); err != nil {
		t.Fatal(err)
	}
	meet(t, all)
	for _, m := range all {
		if c, err := m.Admit(m.Ctx, token); err == nil {
			t.Errorf("%s still admits %+v", m.Self().Name, c)
		}
		list, err := m.Tokens(m.Ctx, m.own)
		if err != nil || len(list) != 1 || list[0].Revoked.IsZero() {
			t.Errorf("%s lists %+v, %v", m.Self().Name, list, err)
		}
	}
}

// The edition of UMP is a store's own: machines of different editions have the same memories,
// each in the form that its readers know, and tell each other nothing again and again.
func TestMachinesOfDifferentEditions(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b := all[0], all[1]
	id := a.Tell("I live in Lyon")
	meet(t, all)
	if _, err := b.SetEdition(b.Ctx, b.own, ump.LaterEdition, nil); err != nil {
		t.Fatal(err)
	}
	other := b.Tell("I work in Graz")
	meet(t, all)
	paris := a.Change(id, `{"body":{"text":"I live in Paris"}}`)
	b.forget(t, memory.ForgetRequest{ID: other, Reason: memory.Outdated})
	late := b.Tell("I dance on Mondays")
	meet(t, all)
	b.Change(paris, `{"body":{"text":"I live in Paris, in the tenth"}}`)
	a.Change(late, `{"body":{"text":"I dance on Tuesdays"}}`)
	meet(t, all)
	for i, m := range all {
		got := m.Texts(memory.Query{Text: "I live, work, dance"})
		if slices.Sort(got); !slices.Equal(got, []string{"I dance on Tuesdays", "I live in Paris, in the tenth"}) {
			t.Errorf("%s recalls %q", m.Self().Name, got)
		}
		for _, id := range []memory.ID{id, other, paris, late} {
			rec := m.MustGet(id)
			vaulttest.Verified(t, rec)
			if want := map[bool]string{true: ump.LaterEdition, false: rec.Version}[i == 1]; rec.Version != want {
				t.Errorf("%s has %s in edition %s", m.Self().Name, id, rec.Version)
			}
		}
	}
}
