package aicf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Embeddings returns the vectors of an entity, the last one of each model, in the order of
// the file (AICF-EMB-11).
func (c *Contents) Embeddings(entity string) []*Embedding {
	last := map[string]int{}
	var all []*Embedding
	for _, e := range c.Entries {
		if v, ok := e.(*Embedding); ok && v.Entity == entity {
			if at, again := last[v.Model]; again {
				all[at] = v
				continue
			}
			last[v.Model] = len(all)
			all = append(all, v)
		}
	}
	return all
}

// Match is an entity that a search found, and its score: the cosine between vectors, or the
// fraction of keywords that match.
type Match struct {
	Entity string
	Score  float64
}

// Nearest returns at most so many entities whose vectors of a model are nearest to a
// vector, nearest first. It skips vectors of other lengths, elided ones and zero vectors.
func (c *Contents) Nearest(model string, vector []float64, most int) []Match {
	scores := map[string]float64{}
	for _, e := range c.Entries {
		v, ok := e.(*Embedding)
		if !ok || v.Model != model {
			continue
		}
		delete(scores, v.Entity)
		floats, ok := v.Floats()
		if score := cosine(floats, vector); ok && !math.IsNaN(score) {
			scores[v.Entity] = score
		}
	}
	return best(scores, most)
}

// WithKeywords returns at most so many entities whose keywords include some of the words,
// most matches first. It ignores case.
func (c *Contents) WithKeywords(words []string, most int) []Match {
	had := map[string]map[string]bool{}
	for _, e := range c.Entries {
		v, ok := e.(*Embedding)
		if !ok {
			continue
		}
		for _, word := range words {
			if slices.ContainsFunc(v.Keywords, func(k string) bool { return strings.EqualFold(k, word) }) {
				if had[v.Entity] == nil {
					had[v.Entity] = map[string]bool{}
				}
				had[v.Entity][word] = true
			}
		}
	}
	scores := map[string]float64{}
	for entity, of := range had {
		scores[entity] = float64(len(of)) / float64(len(words))
	}
	return best(scores, most)
}

// cosine returns the cosine between two vectors; NaN: there is none.
func cosine(a, b []float64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.NaN()
	}
	var dot, aa, bb float64
	for i := range a {
		dot += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return dot / (math.Sqrt(aa) * math.Sqrt(bb))
}

// best returns the highest scores; equal ones by name.
func best(scores map[string]float64, most int) []Match {
	var all []Match
	for entity, score := range scores {
		all = append(all, Match{entity, score})
	}
	slices.SortFunc(all, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Entity, b.Entity))
	})
	return all[:min(len(all), max(most, 0))]
}
