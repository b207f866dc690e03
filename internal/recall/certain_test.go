package recall_test

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// example is a question with the evidence for the first hit. The sets of conversations have
// a question with an answer for nearly every record, so each question is also asked of the
// records without those that answer it.
type example struct {
	set    string
	absent bool // the set says that no record answers it
	taken  bool // its answer was taken away
	right  bool // the first hit answers it
	values []float64
}

// examples asks the questions of sets, of conversations the first few, and every
// sparing-th once more without its answer.
func examples(t testing.TB, sets []labelled.Set, sparing int) []example {
	const conversations = 3
	var all []example
	for _, set := range sets {
		for _, store := range set.Stores[:min(len(set.Stores), conversations)] {
			whole := without(store, nil)
			for i, q := range store.Questions {
				if q.Class == "broad" {
					continue
				}
				ask := func(idx *recalltest.Index, taken bool) {
					first, values, err := recall.Evidence(context.Background(), idx, memory.Query{Text: q.Text}, recall.Options{Now: askedAt(q)})
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, example{set.Name, len(q.Evidence) == 0, taken, !taken && slices.Contains(q.Evidence, first), values})
				}
				ask(whole, false)
				if len(q.Evidence) > 0 && i%sparing == 0 {
					ask(without(store, q.Evidence), true)
				}
			}
		}
	}
	return all
}

// without returns an index of a store's records but some.
func without(store labelled.Store, gone []memory.ID) *recalltest.Index {
	idx := new(recalltest.Index)
	first := askedAt(store.Questions[0]).Add(-time.Hour)
	for i, rec := range store.Records {
		if !slices.Contains(gone, rec.ID) {
			rec.Scope.Owner = "did:key:zOwner"
			rec.Time.Created = first.Add(time.Duration(i) * time.Second)
			idx.Add(rec)
		}
	}
	return idx
}

// logistic is a logistic regression.
type logistic struct {
	weights []float64
	bias    float64
}

func (l logistic) probability(values []float64) float64 {
	if values == nil {
		return 0
	}
	odds := l.bias
	for i, v := range values {
		odds += l.weights[i] * v
	}
	return 1 / (1 + math.Exp(-odds))
}

// fit returns the regression that makes the examples most likely, by Newton's method. A set
// of conversations counts as a hundred questions: what a turn says, others nearly say too, so
// that a question that lost its answer may still have one. Questions that a set says have no
// answer count three times, since they are few. Large weights cost a little.
func fit(examples []example) logistic {
	const steps, ridge = 25, 1.0
	size := make(map[string]float64)
	examples = slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return e.values == nil })
	for _, e := range examples {
		size[e.set]++
	}
	n := len(examples[0].values)
	x := make([]float64, n+1) // the bias comes last
	for range steps {
		gradient, curvature := make([]float64, n+1), make([][]float64, n+1)
		for i := range curvature {
			curvature[i] = make([]float64, n+1)
			if i < n {
				gradient[i], curvature[i][i] = ridge*x[i], ridge
			}
		}
		for _, e := range examples {
			count := 1.0
			if e.set != "facts" {
				count = 100 / size[e.set]
			}
			if e.absent {
				count *= 3
			}
			right := 0.0
			if e.right {
				right = 1
			}
			row := append(slices.Clone(e.values), 1)
			p := logistic{x[:n], x[n]}.probability(e.values)
			for i := range row {
				gradient[i] += count * (p - right) * row[i]
				for j := range row {
					curvature[i][j] += count * p * (1 - p) * row[i] * row[j]
				}
			}
		}
		for i, d := range solve(curvature, gradient) {
			x[i] -= d
		}
	}
	return logistic{x[:n], x[n]}
}

// solve returns x with a·x = b, for a positive definite matrix. It changes both.
func solve(a [][]float64, b []float64) []float64 {
	for i := range a {
		for j := i + 1; j < len(a); j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < len(a); k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := i + 1; j < len(a); j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}

// certainty says how well probabilities tell questions with an answer from others.
type certainty struct {
	absent, taken float64 // AUC against questions without an answer, and against those that lost it
	refused, kept float64 // shares below and above the threshold, of those without an answer and of right first hits
	promised, was float64 // mean probability of the first hits above the threshold, and the share that was right
}

func judge(examples []example, set string, l logistic) certainty {
	var there, absent, taken, right, all []float64
	var c certainty
	for _, e := range examples {
		p := l.probability(e.values)
		switch {
		case e.set != set:
			continue
		case e.absent:
			absent = append(absent, p)
		case e.taken:
			taken = append(taken, p)
		default:
			there = append(there, p)
		}
		if e.right {
			right = append(right, p)
		}
		if p >= memory.Certain && !e.taken {
			all = append(all, p)
			c.promised += p
			if e.right {
				c.was++
			}
		}
	}
	above := func(list []float64) float64 {
		n := 0
		for _, p := range list {
			if p >= memory.Certain {
				n++
			}
		}
		return float64(n) / float64(len(list))
	}
	c.absent, c.taken, c.refused, c.kept = labelled.AUC(there, absent), labelled.AUC(there, taken), 1-above(absent), above(right)
	c.promised, c.was = c.promised/float64(len(all)), c.was/float64(len(all))
	return c
}

// TestQualityCertainty measures how well a score says whether the first hit answers the
// question. With -v it does so for all sets, and where [tuning] asks it fits the weights to
// all sets, and to all but one, which then judges them.
func TestQualityCertainty(t *testing.T) {
	sets, sparing := sets(t), 4
	whole := testing.Verbose() || os.Getenv(tuning) != ""
	if !whole {
		sets = slices.DeleteFunc(sets, func(s labelled.Set) bool { return s.Name != "facts" })
	}
	examples := examples(t, sets, sparing)
	weights, bias := recall.EvidenceWeights()
	for _, set := range sets {
		c := judge(examples, set.Name, logistic{weights, bias})
		t.Logf("%-8s AUC absent %.3f taken %.3f; refused %.2f kept %.2f; probability %.2f, right %.2f", set.Name, c.absent, c.taken, c.refused, c.kept, c.promised, c.was)
		if set.Name == "facts" && (c.absent < .7 || c.taken < .78 || c.refused < .55 || c.kept < .85) {
			t.Error("facts: want AUC of at least .7 and .78, and at least .55 refused and .85 kept")
		}
	}
	if os.Getenv(tuning) == "" {
		return
	}
	t.Logf("fitted: %.2f", fit(examples))
	for _, set := range sets {
		l := fit(slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return e.set == set.Name }))
		c := judge(examples, set.Name, l)
		t.Logf("without %-8s AUC absent %.3f taken %.3f: %.2f", set.Name, c.absent, c.taken, l)
	}
}

// TestFit fits a regression to examples whose odds are known.
func TestFit(t *testing.T) {
	var all []example
	for i := range 4000 {
		x := float64(i%20)/10 - 1
		p := 1 / (1 + math.Exp(-(3*x - 1)))
		all = append(all, example{set: "facts", right: math.Mod(float64(i)*.6180339887, 1) < p, values: []float64{x, 0}})
	}
	l := fit(all)
	if math.Abs(l.weights[0]-3) > .3 || math.Abs(l.weights[1]) > 1e-9 || math.Abs(l.bias+1) > .2 {
		t.Errorf("fitted %v, want weights 3 and 0, bias -1", l)
	}
}
