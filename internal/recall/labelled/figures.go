package labelled

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// Depth is the number of results that a search returns for each question, at most.
const Depth = 20

// Search answers a question about store number store: at most [Depth] records, best first,
// and the score of the first, 0 if there is none.
type Search func(store int, q Question) (found []memory.ID, best float64, err error)

// Figures say how well questions are answered. A figure that does not apply is NaN.
type Figures struct {
	Questions            int     // that have an answer; the first six figures are means over them
	At1, At5, At10, At20 float64 // recall: the part of the evidence among the first k results
	MRR                  float64 // 1/rank of the first evidence; 0 if none is found
	Empty                float64 // share without any result

	// AUC is the probability that the best score of a question with an answer is higher than
	// the best score of a question without one. Equal scores count one half.
	AUC float64
	// At a threshold of scores, Refused is the share of questions without an answer whose
	// best score is below it, and Kept is the share of the others whose best score is not.
	Refused, Kept float64
	// RefusedAt90 is Refused at the highest threshold that keeps 90 % of the others.
	RefusedAt90 float64
}

// fewest is the number of questions without an answer from which on their figures mean
// something.
const fewest = 5

// Measure asks every question of a set, and returns the figures of all questions ("all"),
// of each class ("class x"), language ("lang x") and store ("store x"). threshold separates
// scores; 0: there is none. Measure stops at the first error of search and when ctx is
// done.
func Measure(ctx context.Context, set Set, threshold float64, search Search) (map[string]Figures, error) {
	groups := make(map[string][]outcome)
	for i, store := range set.Stores {
		for _, q := range store.Questions {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			found, best, err := search(i, q)
			if err != nil {
				return nil, fmt.Errorf("store %s: %q: %w", store.Name, q.Text, err)
			}
			one := outcome{judge(q.Evidence, found), best}
			names := []string{"all", "class " + q.Class, "store " + store.Name}
			if q.Lang != "" {
				names = append(names, "lang "+q.Lang)
			}
			for _, name := range names {
				groups[name] = append(groups[name], one)
			}
		}
	}
	all := make(map[string]Figures)
	for name, outcomes := range groups {
		all[name] = figures(outcomes, threshold)
	}
	return all, nil
}

// outcome is how one question was answered.
type outcome struct {
	Figures // Questions is 0 if it has no answer
	best    float64
}

// judge returns the figures of one question.
func judge(evidence, found []memory.ID) Figures {
	if len(evidence) == 0 {
		return Figures{}
	}
	f := Figures{Questions: 1}
	if len(found) == 0 {
		f.Empty = 1
	}
	part := 1 / float64(len(evidence))
	for i, id := range found {
		if !slices.Contains(evidence, id) || slices.Contains(found[:i], id) {
			continue
		}
		if f.MRR == 0 {
			f.MRR = 1 / float64(i+1)
		}
		for _, at := range []struct {
			k    int
			part *float64
		}{{1, &f.At1}, {5, &f.At5}, {10, &f.At10}, {20, &f.At20}} {
			if i < at.k {
				*at.part += part
			}
		}
	}
	return f
}

// figures sums up outcomes.
func figures(outcomes []outcome, threshold float64) Figures {
	var f Figures
	var present, absent []float64 // best scores
	for _, o := range outcomes {
		if o.Questions == 0 {
			absent = append(absent, o.best)
			continue
		}
		present = append(present, o.best)
		f.Questions++
		for _, sum := range [...][2]*float64{{&f.At1, &o.At1}, {&f.At5, &o.At5}, {&f.At10, &o.At10}, {&f.At20, &o.At20}, {&f.MRR, &o.MRR}, {&f.Empty, &o.Empty}} {
			*sum[0] += *sum[1]
		}
	}
	for _, mean := range []*float64{&f.At1, &f.At5, &f.At10, &f.At20, &f.MRR, &f.Empty} {
		*mean /= float64(f.Questions) // NaN if no question has an answer
	}
	f.AUC, f.Refused, f.Kept, f.RefusedAt90 = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if len(present) == 0 || len(absent) < fewest {
		return f
	}
	slices.Sort(present)
	f.AUC = AUC(present, absent)
	f.RefusedAt90 = below(absent, present[len(present)/10])
	if threshold > 0 {
		f.Refused, f.Kept = below(absent, threshold), 1-below(present, threshold)
	}
	return f
}

// AUC returns how often a score of present is higher than one of absent.
func AUC(present, absent []float64) float64 {
	wins := 0.0
	for _, p := range present {
		for _, a := range absent {
			switch {
			case p > a:
				wins++
			case p == a:
				wins += .5
			}
		}
	}
	return wins / float64(len(present)*len(absent))
}

// below returns the share of scores that are less than threshold.
func below(scores []float64, threshold float64) float64 {
	n := 0
	for _, s := range scores {
		if s < threshold {
			n++
		}
	}
	return float64(n) / float64(len(scores))
}
