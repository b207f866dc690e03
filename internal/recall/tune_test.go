package recall_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/labelled"
)

// fold is the outcome of a search for weights on all sets but one.
type fold struct {
	left          string    // the set that the search did not see
	values        []float64 // of the weights, in their order
	before, after float64   // the figure of that set with the present values, and with these
}

// leaveOneOut searches for weights on all sets but one, for each set in turn, and reports
// what they do to the set left out. The search changes one weight at a time as long as the
// mean figure of its sets rises. measure returns the figure of each set with the present
// values of the weights. The weights have their old values in the end.
func leaveOneOut(weights []recall.Weight, measure func() map[string]float64) []fold {
	start := make([]float64, len(weights))
	for i, w := range weights {
		start[i] = *w.At
	}
	set := func(values []float64) {
		for i, w := range weights {
			*w.At = values[i]
		}
	}
	defer set(start)
	known := make(map[string]map[string]float64)
	figures := func(values []float64) map[string]float64 {
		key := fmt.Sprint(values)
		if known[key] == nil {
			set(values)
			known[key] = measure()
		}
		return known[key]
	}
	var folds []fold
	for _, left := range slices.Sorted(maps.Keys(figures(start))) {
		best := climb(weights, start, func(values []float64) float64 { return meanBut(figures(values), left) })
		folds = append(folds, fold{left, best, figures(start)[left], figures(best)[left]})
	}
	return folds
}

// climb changes one weight after the other to its best value, until none gains anything.
func climb(weights []recall.Weight, start []float64, figure func([]float64) float64) []float64 {
	const gain = 1e-6 // less than this is noise of addition
	best, highest := slices.Clone(start), figure(start)
	for rose := true; rose; {
		rose = false
		for i, w := range weights {
			for _, v := range w.Values {
				trial := slices.Clone(best)
				trial[i] = v
				if f := figure(trial); f > highest+gain {
					best, highest, rose = trial, f, true
				}
			}
		}
	}
	return best
}

// meanBut returns the mean of all figures but one.
func meanBut(figures map[string]float64, left string) float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if name != left {
			sum += figures[name]
		}
	}
	return sum / math.Max(1, float64(len(figures)-1))
}

// TestQualityLeaveOneOut searches for the weights of the ranking, and prints what the weights
// that suit all sets but one do to the set left out. A set's figure is the mean of R@1, R@10
// and MRR.
func TestQualityLeaveOneOut(t *testing.T) {
	weights := recall.Weights()
	if os.Getenv(tuning) == "" || len(weights) == 0 {
		t.Skip("skipped: " + tuning + " not set, or every weight is a constant")
	}
	searches := make(map[string][]func() labelled.Figures) // every form of a set counts alike
	for _, set := range sets(t) {
		for _, f := range forms(set) {
			search := recallSearch(f.set, recall.Options{})
			searches[set.Name] = append(searches[set.Name], func() labelled.Figures { return ask(t, f.set, 0, search)["all"] })
		}
	}
	for _, f := range leaveOneOut(weights, func() map[string]float64 {
		figures := make(map[string]float64)
		for name, forms := range searches {
			for _, search := range forms {
				f := search()
				figures[name] += (f.At1 + f.At10 + f.MRR) / 3 / float64(len(forms))
			}
		}
		return figures
	}) {
		t.Logf("without %s, which goes from %.4f to %.4f:", f.left, f.before, f.after)
		for i, w := range weights {
			t.Logf("    %-20s %g, was %g", w.Name, f.values[i], *w.At)
		}
	}
}

// TestLeaveOneOut searches where the answer is known: two sets agree, and one pulls a weight
// the other way.
func TestLeaveOneOut(t *testing.T) {
	x, y := 1.0, 1.0
	weights := []recall.Weight{{Name: "x", At: &x, Values: []float64{0, 1, 2, 3}}, {Name: "y", At: &y, Values: []float64{0, 1, 2, 3}}}
	measured := 0
	folds := leaveOneOut(weights, func() map[string]float64 {
		measured++
		return map[string]float64{"a": -math.Abs(x-2) - math.Abs(y-3), "b": -math.Abs(x-2) - math.Abs(y-3), "c": 3 * -math.Abs(x)}
	})
	want := []fold{{"a", []float64{0, 3}, -3, -2}, {"b", []float64{0, 3}, -3, -2}, {"c", []float64{2, 3}, -3, -6}}
	if fmt.Sprint(folds) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", folds, want)
	}
	if x != 1 || y != 1 || measured > 16 {
		t.Errorf("the weights are %g and %g in the end, %d measurements", x, y, measured)
	}
}
