package aicf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Hit is an entry that answers a search, and how well: 1 has every word.
type Hit struct {
	Entry Entry
	Name  string // by which links call it; empty: they cannot
	Score float64
}

// Search returns at most so many entries that have some of the words in what they say, or
// among the keywords of their vectors, the best first. Rare words count more; a word is
// found where one begins with it. Of what was revised only the newest form is looked at.
func (x *Index) Search(question string, most int) []Hit {
	asked := words(question)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	keywords := x.keywords()
	had := make([][]bool, len(x.contents.Entries))
	holding := make([]int, len(asked)) // how many entries have each word
	for i, e := range x.contents.Entries {
		if x.revised(i) {
			continue
		}
		had[i] = present(asked, append(said(e), keywords[x.names[i]]...))
		for word, is := range had[i] {
			if is {
				holding[word]++
			}
		}
	}
	return x.ranked(had, weights(holding, len(had)), most)
}

// ranked orders the entries that have some of the words.
func (x *Index) ranked(had [][]bool, weight []float64, most int) []Hit {
	var hits []Hit
	for i, words := range had {
		var score float64
		for word, is := range words {
			if is {
				score += weight[word]
			}
		}
		if score > 0 {
			hits = append(hits, Hit{x.contents.Entries[i], x.names[i], score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), max(most, 0))]
}

// weights says how much each word counts, all together 1: the more the fewer have it.
func weights(holding []int, entries int) []float64 {
	weight, sum := make([]float64, len(holding)), 0.0
	for i, n := range holding {
		weight[i] = math.Log(2 + float64(entries)/float64(max(n, 1)))
		sum += weight[i]
	}
	for i := range weight {
		weight[i] /= sum
	}
	return weight
}

// revised reports whether a later entry has the same id.
func (x *Index) revised(i int) bool {
	if x.names[i] == "" {
		return false
	}
	all := x.all(x.names[i])
	return all[len(all)-1] != i
}

// keywords returns those of the vectors of each entity.
func (x *Index) keywords() map[string][]string {
	of := map[string][]string{}
	for _, e := range x.contents.Entries {
		if v, ok := e.(*Embedding); ok {
			of[v.Entity] = append(of[v.Entity], v.Keywords...)
		}
	}
	return of
}

// present says of each word that was asked for whether one of the texts has it.
func present(asked []string, texts []string) []bool {
	found := make([]bool, len(asked))
	for _, text := range texts {
		for _, word := range words(text) {
			for i, want := range asked {
				found[i] = found[i] || word == want || len(want) > 2 && strings.HasPrefix(word, want)
			}
		}
	}
	return found
}

// words splits a text into its words, in small letters. An underscore parts words.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// said returns the texts of an entry that a search looks at. Ids, times and vectors are
// not among them, but for the ids of what has a name of its own.
func said(e Entry) []string {
	switch e := e.(type) {
	case *Session:
		return []string{e.ID, e.AppName}
	case *Conversation:
		return append([]string{e.ID, value(e.Topic), value(e.Platform)}, e.Participants...)
	case *State:
		return e.said()
	case *Insight:
		return []string{e.Text, string(e.Category)}
	case *Decision:
		return []string{e.Text, e.Rationale}
	case *Consolidation:
		return append([]string{e.ID, value(e.SemanticTheme)}, e.KeyFacts...)
	case *Unknown:
		text, _ := Unescape(e.Raw)
		return []string{text}
	}
	return nil
}

func (s *State) said() []string {
	texts := append([]string{value(s.Actions)}, s.Flow...)
	for _, p := range s.Pairs {
		texts = append(texts, p.Key, p.Value)
	}
	return texts
}

// value returns what an optional member says.
func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
