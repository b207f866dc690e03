package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// versionsOf reads versions such as "b2<a": version b began on day 2 and supersedes a. "?"
// instead of a day marks an unreadable version.
func versionsOf(text string) []memory.Version {
	var list []memory.Version
	for _, word := range strings.Fields(text) {
		head, priors, _ := strings.Cut(word, "<")
		v := memory.Version{ID: memory.ID(head[:1]), From: time.Date(2026, 1, int(head[1]-'0'), 0, 0, 0, 0, time.UTC)}
		if head[1] == '?' {
			v.From, v.Unreadable = time.Time{}, true
		}
		for _, prior := range priors {
			v.Supersedes = append(v.Supersedes, memory.ID(prior))
		}
		list = append(list, v)
	}
	return list
}

func namesOf(list []memory.Version, order []int) string {
	var names strings.Builder
	for _, i := range order {
		names.WriteString(string(list[i].ID))
	}
	return names.String()
}

func TestSuccession(t *testing.T) {
	for _, c := range []struct{ name, versions, want string }{
		{"none", "", ""},
		{"a chain in order", "a1 b2<a c3<b", "abc"},
		{"a chain newest first", "c3<b b2<a a1", "abc"},
		{"a chain against its times", "a3 b2<a c1<b", "abc"},
		{"nothing but times orders", "b2 a1 c3", "abc"},
		{"one time: as they stand", "b1 a1 c1", "bac"},
		{"links to what is not here", "b2<x a1<y", "ab"},
		{"a fork", "a1 c3<a b2<a", "abc"},
		{"a merge of two", "c3<ba a1 b2", "abc"},
		{"a merge that began before both", "c1<ba b3 a2 x1", "abcx"},
		{"an unreadable version stays where it was", "a1 x? b2", "axb"},
		{"an unreadable version comes first", "x? a1", "xa"},
		{"an unreadable version that is superseded", "b2<x x? a1", "axb"},
		{"a circle is cut where it begins", "a1<b b2<a", "ba"},
		{"a version that supersedes itself", "b2<b a1", "ab"},
	} {
		list := versionsOf(c.versions)
		if got := namesOf(list, memory.Succession(list)); got != c.want {
			t.Errorf("%s: %s became %q, want %q", c.name, c.versions, got, c.want)
		}
	}
}

// Ten thousand versions in one chain, listed in any order, come out in the order of the
// chain. A cubic algorithm would take hours.
func TestSuccessionOfMany(t *testing.T) {
	const n = 10_000
	chain := make([]memory.Version, n)
	for i := range chain {
		chain[i] = memory.Version{ID: memory.ID(fmt.Sprint(i)), From: time.Unix(int64(n-i), 0)}
		if i > 0 {
			chain[i].Supersedes = []memory.ID{chain[i-1].ID}
		}
	}
	newest := slices.Clone(chain)
	slices.Reverse(newest)
	mixed := slices.Clone(chain)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	for name, list := range map[string][]memory.Version{"oldest first": chain, "newest first": newest, "mixed": mixed} {
		order := memory.Succession(list)
		if len(order) != n {
			t.Fatalf("%s: %d of %d versions", name, len(order), n)
		}
		for i, at := range order {
			if list[at].ID != chain[i].ID {
				t.Fatalf("%s: version %s stands at %d", name, list[at].ID, i)
			}
		}
	}
}
