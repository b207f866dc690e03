package aaif_test

import (
	"math/rand/v2"

	"github.com/satchel-memory/satchel/canon"
)

// vocabularyOf gathers the names and words of a schema.
func vocabularyOf(v canon.Value) []string {
	var all []string
	for _, word := range v.Get("enum").Items() {
		all = append(all, word.Text())
	}
	for _, m := range v.Get("properties").Members() {
		all = append(all, m.Name)
	}
	for _, m := range v.Members() {
		all = append(all, vocabularyOf(m.Value)...)
	}
	return all
}

// mutator makes small changes anywhere in a document.
type mutator struct {
	r     *rand.Rand
	words []string
}

func (m *mutator) mutate(v canon.Value) canon.Value {
	inside := v.Len() > 0 && m.r.IntN(8) > 0
	i := 0
	if inside {
		i = m.r.IntN(v.Len())
	}
	switch {
	case v.Type() == canon.TypeObject && inside:
		member := v.Members()[i]
		if m.r.IntN(10) == 0 {
			return v.Without(member.Name)
		}
		return v.With(member.Name, m.mutate(member.Value))
	case v.Type() == canon.TypeArray && inside:
		if m.r.IntN(10) == 0 {
			return v.WithoutItem(i)
		}
		return v.WithItem(i, m.mutate(v.Items()[i]))
	case v.Type() == canon.TypeObject && m.r.IntN(2) == 0:
		return v.With(m.word(), m.value())
	case v.Type() == canon.TypeArray && m.r.IntN(2) == 0:
		if v.Len() > 0 && m.r.IntN(2) == 0 {
			return v.WithItem(v.Len(), v.Items()[i])
		}
		return v.WithItem(v.Len(), m.value())
	}
	return m.value()
}

func (m *mutator) word() string {
	extra := []string{"x-new", "_comment", "X-upper", "x-", "foo", ""}
	if m.r.IntN(4) == 0 {
		return extra[m.r.IntN(len(extra))]
	}
	return m.words[m.r.IntN(len(m.words))]
}

func (m *mutator) value() canon.Value {
	switch m.r.IntN(9) {
	case 0:
		return canon.Null()
	case 1:
		return canon.Bool(m.r.IntN(2) == 0)
	case 2:
		numbers := []float64{0, 1, -1, 2, 2.5, 1e20, -2.5, 0.5, 1e-7, 128000}
		return canon.Number(numbers[m.r.IntN(len(numbers))])
	case 3:
		texts := []string{"", "3.4", "3.4.0", "0.0.0", "a b", "SC-006", "aaif-new", "aaif-", "9bad", "٣.٤.٠", "1.0.0\n"}
		return canon.String(texts[m.r.IntN(len(texts))])
	case 4:
		return canon.Array()
	case 5:
		return canon.Object()
	case 6:
		return canon.Object(canon.Member{Name: "lang", Value: canon.String(m.word())}, canon.Member{Name: "expr", Value: canon.Bool(true)})
	}
	return canon.String(m.word())
}
