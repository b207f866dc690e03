package engram_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// canary is what must not be heard of a category.
func canary(c engram.Category) string { return "canary-" + string(c) }

// aviary is a memory with a canary in every part of every category, one of them not
// standard, and one tombstone in each.
func aviary() engram.Memory {
	m := engram.Memory{Identity: engram.Identity{DisplayName: "Noor", Timezone: "UTC", Locale: "pt-PT", Role: "Pilot", Bio: "canary-identity",
		Value: canon.Object(canon.Member{Name: "language", Value: canon.String("canary-identity")})}}
	for i, c := range append(engram.Categories(), "travel") {
		bird := canary(c)
		b := engram.Belief{ID: engram.IDFrom("belief", bird), Category: c, Key: bird, Text: bird, Confidence: 1, Source: engram.Inferred, Status: engram.Active,
			Tags: []string{bird}, Value: canon.Object(canon.Member{Name: "x_ump", Value: canon.String(bird)})}
		dead := engram.Belief{ID: engram.IDFrom("dead", bird), Category: c, Key: "deleted", Text: "dead-" + bird, Confidence: 1, Status: engram.Deleted,
			Tags: []string{"dead-" + bird}, Value: b.Value}
		m.Beliefs = append(m.Beliefs, b, dead)
		for _, id := range []string{b.ID, dead.ID} {
			text := map[string]string{b.ID: bird, dead.ID: "dead-" + bird}[id]
			m.Evolution = append(m.Evolution, engram.Change{ID: engram.IDFrom("e", id), Belief: id, Old: text, New: text, Context: text, Note: text})
			m.Corrections = append(m.Corrections,
				engram.Correction{ID: engram.IDFrom("c", id), Belief: id, By: engram.ByUser, Old: text, New: text, Note: text},
				engram.Correction{ID: engram.IDFrom("p", id), Belief: id, By: engram.ByRuntime, Old: text, New: text, Status: engram.Pending})
		}
		m.Constraints = append(m.Constraints, engram.Constraint{ID: engram.IDFrom("k", bird), Rule: fmt.Sprintf("Never do %d", i), Status: "active"})
	}
	return m
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		rule string
		q    engram.Query
		want []engram.Category // of all, in the order of section 3.4
		name engram.Scope
		full bool // identity
	}{
		{"ENGRAM-3.7-9", engram.Query{}, append(engram.Categories(), "travel"), engram.Full, true},
		{"ENGRAM-3.7-9", engram.Query{Scope: engram.Full}, append(engram.Categories(), "travel"), engram.Full, true},
		{"ENGRAM-3.7-10", engram.Query{Scope: engram.Professional}, []engram.Category{"communication", "work_style", "decision_making", "projects", "values"}, engram.Professional, true},
		{"ENGRAM-3.7-11", engram.Query{Scope: engram.Personal}, []engram.Category{"relationships", "learning", "health", "custom", "travel"}, engram.Personal, true},
		{"ENGRAM-3.7-12", engram.Query{Scope: engram.Financial}, []engram.Category{"financial"}, engram.Financial, false},
		{"ENGRAM-3.7-13", engram.Query{Scope: engram.Minimal}, []engram.Category{"communication"}, engram.Minimal, true},
		{"ENGRAM-3.7-14", engram.Query{Categories: []engram.Category{"values", "health"}}, []engram.Category{"values", "health"}, engram.Custom, false},
		{"ENGRAM-3.9-SCOPE-4", engram.Query{Scope: engram.Custom, Categories: []engram.Category{"health"}}, []engram.Category{"health"}, engram.Custom, false},
		{"ENGRAM-3.9-CAT-5", engram.Query{Scope: engram.Professional, Categories: []engram.Category{"values"}}, []engram.Category{"values"}, engram.Custom, false},
		{"ENGRAM-3.7-15", engram.Query{Categories: []engram.Category{"health", "values"}, Excluded: []engram.Category{"health"}}, []engram.Category{"values"}, engram.Custom, false},
		{"ENGRAM-3.7-15", engram.Query{Scope: engram.Personal, Excluded: []engram.Category{"custom"}}, []engram.Category{"relationships", "learning", "health"}, engram.Personal, true},
		{"ENGRAM-3.7-15", engram.Query{Excluded: engram.Categories()[1:]}, []engram.Category{"communication"}, engram.Custom, false},
		{"ENGRAM-3.7-15", engram.Query{Scope: engram.Financial, Excluded: []engram.Category{"financial"}}, nil, engram.Financial, false},
	} {
		t.Run(fmt.Sprintf("%s ENGRAM-3.4-31 ENGRAM-3.7-19 %s %v without %v", c.rule, c.q.Scope, c.q.Categories, c.q.Excluded), func(t *testing.T) {
			m, d, err := engram.Select(aviary(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			checkSelected(t, m, c.want)
			if c.q.ScopeName() != c.name || (d == nil) != (c.name == engram.Full) {
				t.Errorf("scope %s, definition %+v", c.q.ScopeName(), d)
			}
			raw, err := signer(t).Issue(engram.View{Subject: engram.Subject{ID: "urn:x:y"}, Scope: c.q.ScopeName(), Definition: d, Memory: m}, noon(t))
			if err != nil {
				t.Fatal(err)
			}
			checkBirds(t, string(raw), c.want)
			if got := strings.Contains(string(raw), "canary-identity"); got != c.full { // ENGRAM-3.7-19
				t.Errorf("the identity is whole: %v", got)
			}
			if i := m.Identity; i.DisplayName != "Noor" || i.Timezone != "UTC" || i.Locale != "pt-PT" || (i.Role != "") != c.full { // ENGRAM-3.3-8
				t.Errorf("identity %+v", i)
			}
		})
	}
}

// checkSelected counts: of each category a belief with its history, and a tombstone
// without.
func checkSelected(t *testing.T, m engram.Memory, want []engram.Category) {
	t.Helper()
	var got []engram.Category
	for _, b := range m.Beliefs {
		if b.Status == engram.Active {
			got = append(got, b.Category)
		}
	}
	n := len(want)
	if !slices.Equal(got, want) || len(m.Beliefs) != 2*n || len(m.Evolution) != n || len(m.Corrections) != 2*n {
		t.Errorf("%v, %d beliefs, %d changes, %d corrections", got, len(m.Beliefs), len(m.Evolution), len(m.Corrections))
	}
	if m.Evolution == nil || m.Corrections == nil || m.Beliefs == nil {
		t.Error("a list is nil")
	}
	if len(m.Constraints) != 11 { // edition 0.1.2: in every scope
		t.Errorf("%d constraints", len(m.Constraints))
	}
}

// checkBirds listens for canaries: those of other categories and those of tombstones.
func checkBirds(t *testing.T, raw string, want []engram.Category) {
	t.Helper()
	for _, c := range append(engram.Categories(), "travel") {
		if got := strings.Contains(raw, `"`+canary(c)+`"`); got != slices.Contains(want, c) { // ENGRAM-3.7-16, ENGRAM-3.7-17, ENGRAM-3.7-20, ENGRAM-3.4-31
			t.Errorf("canary of %s heard: %v", c, got)
		}
	}
	if strings.Contains(raw, "dead-") { // ENGRAM-3.4-15
		t.Error("a tombstone tells")
	}
}

func TestSelectTombstones(t *testing.T) {
	t.Run("ENGRAM-3.4-15 a tombstone has nothing but where it belongs", func(t *testing.T) {
		m, _, err := engram.Select(parsed(t, []byte(sample)).Memory, engram.Query{})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"category":"custom","confidence":0,"created_at":"2026-02-06T09:00:00Z","deleted_at":"2026-03-01T00:00:00Z","id":"` + gone + `","key":"deleted","source":"user_stated","status":"deleted","value":""}`
		if got := string(m.Beliefs[2].Wire().AppendCanonical(nil)); got != want { // ENGRAM-3.4-13
			t.Errorf("got %s", got)
		}
	})
	t.Run("ENGRAM-3.7-18 tombstones are in the scopes of their category", func(t *testing.T) {
		m := parsed(t, []byte(sample)).Memory
		m.Beliefs[1].Status = engram.Deleted
		for scope, want := range map[engram.Scope]int{engram.Professional: 0, engram.Personal: 2} {
			got, _, err := engram.Select(m, engram.Query{Scope: scope})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(slices.DeleteFunc(got.Beliefs, func(b engram.Belief) bool { return b.Status != engram.Deleted })); n != want {
				t.Errorf("%s: %d", scope, n)
			}
		}
	})
	t.Run("0.1.2-3.7 a deleted constraint stays as a tombstone without its rule", func(t *testing.T) {
		m := parsed(t, []byte(sample)).Memory
		m.Constraints[0].Status, m.Constraints[0].DeletedAt = "deleted", noon(t)
		got, _, err := engram.Select(m, engram.Query{Scope: engram.Minimal})
		if err != nil || len(got.Constraints) != 1 || strings.Contains(string(got.Constraints[0].Wire().Append(nil)), "Never") || got.Constraints[0].DeletedAt.IsZero() {
			t.Errorf("got %+v, %v", got.Constraints, err)
		}
		if m.Constraints[0].Rule == "" {
			t.Error("the memory was modified")
		}
	})
	t.Run("ENGRAM-3.9-CORR-20 proposals can be left out", func(t *testing.T) {
		m, _, err := engram.Select(aviary(), engram.Query{NoPending: true})
		if err != nil || len(m.Corrections) != 11 {
			t.Errorf("%d corrections, %v", len(m.Corrections), err)
		}
	})
}

func TestCategories(t *testing.T) {
	t.Run("ENGRAM-3.4-29 there are ten", func(t *testing.T) {
		want := []engram.Category{"communication", "work_style", "decision_making", "relationships", "projects", "values", "learning", "health", "financial", "custom"}
		if got := engram.Categories(); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

func TestDefinition(t *testing.T) {
	t.Run("ENGRAM-3.7-2 a scope says what it includes and what not", func(t *testing.T) {
		got := engram.Query{Scope: engram.Professional}.Definition()
		want := &engram.Definition{
			Included: []engram.Category{"communication", "work_style", "projects", "decision_making", "values"},
			Excluded: []engram.Category{"relationships", "learning", "health", "financial", "custom"}, // ENGRAM-3.7-4
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ENGRAM-3.9-CAT-2 categories are listed as they were asked for", func(t *testing.T) {
		got := engram.Query{Categories: []engram.Category{"health", "values", "health"}}.Definition()
		if !slices.Equal(got.Included, []engram.Category{"health", "values"}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("ENGRAM-3.7-5 what a grant says is written", func(t *testing.T) {
		d := engram.Definition{Included: []engram.Category{"values"}, Purpose: "tax", IssuedTo: "https://a.example", ValidUntil: noon(t)}
		want := `{"included_categories":["values"],"purpose":"tax","issued_to":"https://a.example","valid_until":"2026-05-01T12:00:00Z"}`
		if got := string(d.Wire().Append(nil)); got != want {
			t.Errorf("got %s", got)
		}
	})
}

func TestQueryCheck(t *testing.T) {
	for _, c := range []struct {
		rule string
		q    engram.Query
		want engram.Code
	}{
		{"ENGRAM-3.9-SCOPE-3", engram.Query{Scope: "work"}, engram.InvalidScope},
		{"ENGRAM-3.9-SCOPE-5", engram.Query{Scope: "Professional"}, engram.InvalidScope},
		{"ENGRAM-3.9-SCOPE-4", engram.Query{Scope: engram.Custom}, engram.InvalidScope},
		{"ENGRAM-3.9-CAT-5", engram.Query{Scope: engram.Professional, Categories: []engram.Category{"health"}}, engram.InvalidScope},
		{"ENGRAM-3.9-CAT-3", engram.Query{Categories: []engram.Category{"communication,work_style"}}, engram.InvalidRequest},
		{"ENGRAM-3.9-CAT-4", engram.Query{Categories: []engram.Category{"foo"}}, engram.InvalidRequest},
		{"ENGRAM-3.9-CAT-4", engram.Query{Categories: []engram.Category{""}}, engram.InvalidRequest},
		{"ENGRAM-3.9-CAT-4", engram.Query{Categories: []engram.Category{}}, engram.InvalidRequest},
		{"ENGRAM-3.9-CAT-4", engram.Query{Excluded: []engram.Category{"foo"}}, engram.InvalidRequest},
	} {
		t.Run(fmt.Sprintf("%s %s %q", c.rule, c.q.Scope, c.q.Categories), func(t *testing.T) {
			var f *engram.Fault
			m, _, err := engram.Select(aviary(), c.q)
			if !errors.As(err, &f) || f.Code != c.want || f.Code.Status() != 400 || f.Rule == "" || m.Beliefs != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}
