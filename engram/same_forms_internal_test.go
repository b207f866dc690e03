package engram

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

// TestSameForms: the order of members is no difference, wherever it is; a value is one.
func TestSameForms(t *testing.T) {
	record := func(form, structured string) []memory.Record {
		r := memory.Record{Origin: []byte(form)}
		if structured != "" {
			r.Body.Structured = []byte(structured)
		}
		return []memory.Record{r}
	}
	residue := func(kind, structured string) []memory.Record {
		return record(`{"kind":"`+kind+`","body":{"text":"x","structured":`+structured+`}}`, structured)
	}
	was := residue("semantic", `{"engram":{"a":1,"b":2}}`)
	for name, c := range map[string]struct {
		other []memory.Record
		same  bool
	}{
		"the same":                    {residue("semantic", `{"engram":{"a":1,"b":2}}`), true},
		"another order in residue":    {residue("semantic", `{"engram":{"b":2,"a":1}}`), true},
		"another value in residue":    {residue("semantic", `{"engram":{"b":2,"a":2}}`), false},
		"another member in residue":   {residue("semantic", `{"engram":{"b":2,"a":1,"c":3}}`), false},
		"another value before it":     {residue("episodic", `{"engram":{"b":2,"a":1}}`), false},
		"another length before it":    {residue("identity!", `{"engram":{"b":2,"a":1}}`), false},
		"another order of everything": {record(`{"body":{"structured":{"engram":{"b":2,"a":1}},"text":"x"},"kind":"semantic"}`, `{"engram":{"b":2,"a":1}}`), true},
		"structured is not the last":  {record(`{"kind":"semantic","body":{"text":"x","structured":{"engram":{"a":1,"b":2}},"z":1}}`, `{"engram":{"a":1,"b":2}}`), false},
		"none":                        {record(`{"kind":"semantic","body":{"text":"x"}}`, ""), false},
		"no JSON":                     {record(`{"kind"`, ""), false},
	} {
		if sameForms(was, c.other) != c.same || sameForms(c.other, was) != c.same {
			t.Errorf("%s: not %v", name, c.same)
		}
	}
}

// TestSortStable sorts as the standard library does.
func TestSortStable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		list := make([][2]int, n)
		for i := range list {
			list[i] = [2]int{r.IntN(n/4 + 1), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b [2]int) int { return a[0] - b[0] })
		sortStable(list, func(a, b *[2]int) int { return a[0] - b[0] })
		if !slices.Equal(list, want) {
			t.Fatalf("%v, want %v", list, want)
		}
	}
}
