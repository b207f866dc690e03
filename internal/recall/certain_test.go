package recall_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// example is a question with the evidence for the first hit.
type example struct {
	set    string
	kind   string // why it has, or has not, an answer: see below
	fold   string // what it has in common with others of its set
	right  bool   // the first hit answers it
	values []float64
}

// The kinds of examples. Sets of conversations have a question with an answer for nearly every
// record, so questions without one are made of them.
const (
	there   = "there"   // a record answers it
	absent  = "absent"  // the set says that none does
	taken   = "taken"   // its answer was taken away; others may nearly answer it
	crossed = "crossed" // it is asked of another conversation of the set
	misread = "misread" // a record answers it, if one takes a person for another
)

// examples asks the questions of sets, of conversations the first few.
func examples(t testing.TB, sets []labelled.Set) []example {
	const conversations, part = 3, 4 // one of so many questions is asked again without its answer
	var all []example
	for _, set := range sets {
		stores := set.Stores[:min(len(set.Stores), conversations)]
		for n, store := range stores {
			idx := indexOf(store)
			ask := func(kind string, q labelled.Question) {
				opt, fold := recall.Options{Now: askedAt(q)}, q.Class
				switch {
				case q.Class == absent:
					fold = q.Text
				case q.Lang != "" && q.Lang != "en":
					fold = q.Lang
				}
				first, values, err := recall.Evidence(context.Background(), idx, memory.Query{Text: q.Text}, opt, func(r memory.Record) bool {
					return kind != taken || !slices.Contains(q.Evidence, r.ID)
				})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, example{set.Name, kind, fold, kind == there && slices.Contains(q.Evidence, first), values})
			}
			for i, q := range store.Questions {
				switch {
				case q.Class == "broad":
					continue
				case set.Name == "locomo" && q.Class == "5":
					ask(misread, q)
					continue
				case len(q.Evidence) == 0:
					ask(absent, q)
					continue
				}
				ask(there, q)
				if i%part == 0 {
					ask(taken, q)
				}
			}
			if len(stores) < conversations {
				continue
			}
			for i, q := range stores[(n+1)%len(stores)].Questions {
				if i%part == 0 {
					ask(crossed, q)
				}
			}
		}
	}
	return all
}

// everydayHalves returns the everyday facts as two stores, each of which has no answer to half
// of the questions.
func everydayHalves(t testing.TB) labelled.Set {
	facts, questions := readEveryday(t)
	store := labelled.Store{Records: facts}
	for _, q := range questions {
		store.Questions = append(store.Questions, labelled.Question{Text: q.text, Class: q.fact, Lang: "en", Now: now, Evidence: []memory.ID{memory.ID("urn:ump:" + q.fact)}})
	}
	return halves("everyday", store)
}

// halves returns a store's records as two stores of every other record. The questions with an
// answer are asked of both, unless each has a part of it.
func halves(name string, whole labelled.Store) labelled.Set {
	var stores [2]labelled.Store
	for i, r := range whole.Records {
		stores[i%2].Records = append(stores[i%2].Records, r)
	}
	for i := range stores {
		has := func(id memory.ID) bool {
			return slices.ContainsFunc(stores[i].Records, func(r memory.Record) bool { return r.ID == id })
		}
		for _, q := range whole.Questions {
			had := slices.DeleteFunc(slices.Clone(q.Evidence), func(id memory.ID) bool { return !has(id) })
			if one := q; len(q.Evidence) > 0 && (len(had) == 0 || len(had) == len(q.Evidence)) {
				one.Evidence = had
				stores[i].Questions = append(stores[i].Questions, one)
			}
		}
	}
	return labelled.Set{Name: name, Stores: stores[:]}
}

// indexOf returns an index of a store's records.
func indexOf(store labelled.Store) *recalltest.Index {
	idx := new(recalltest.Index)
	first := askedAt(store.Questions[0]).Add(-time.Hour)
	for i, rec := range store.Records {
		rec.Scope.Owner = "did:key:zOwner"
		rec.Time.Created = first.Add(time.Duration(i) * time.Second)
		idx.Add(rec)
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

// fit returns the regression that makes the examples most likely. A weight that would have
// another sign than in signs is 0; where signs has 0 it is free. Every set has a bias of its
// own beside the common one, so that sets with harder questions do not bend the weights. mass
// is how much an example counts. Large weights cost a little.
func fit(examples []example, signs []float64, mass func(example) float64) logistic {
	const sweeps, ridge = 60, 1.0
	examples = slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return e.values == nil })
	column := make(map[string]int)
	for _, e := range examples {
		if _, known := column[e.set]; !known {
			column[e.set] = len(signs) + len(column) // the bias of the set
		}
	}
	x := make([]float64, len(signs)+len(column)+1) // the common bias comes last
	rows, odds := make([][]float64, len(examples)), make([]float64, len(examples))
	for i, e := range examples {
		rows[i] = append(slices.Clone(e.values), make([]float64, len(column)+1)...)
		rows[i][column[e.set]], rows[i][len(x)-1] = 1, 1
	}
	for range sweeps {
		for j := len(x) - 1; j >= 0; j-- {
			cost := ridge
			if j == len(x)-1 {
				cost = 0
			}
			gradient, curvature := cost*x[j], cost+1e-9
			for i, e := range examples {
				answered := 0.0
				if e.kind == there {
					answered = 1
				}
				m, p := mass(e), 1/(1+math.Exp(-odds[i]))
				gradient += m * (p - answered) * rows[i][j]
				curvature += m * p * (1 - p) * rows[i][j] * rows[i][j]
			}
			next := x[j] - gradient/curvature
			if j < len(signs) && next*signs[j] < 0 {
				next = 0
			}
			for i := range rows {
				odds[i] += (next - x[j]) * rows[i][j]
			}
			x[j] = next
		}
	}
	return logistic{x[:len(signs)], x[len(x)-1]}
}

// massAmong returns how much each of the examples counts: every set as much, and every kind of
// a set, however many examples it has. Facts count somewhat more: they alone are stored as an
// assistant stores them, with questions that somebody wrote to have no answer.
func massAmong(examples []example) func(example) float64 {
	size := make(map[string]float64)
	for _, e := range examples {
		size[e.set+e.kind]++
	}
	kinds := map[string]float64{there: 120, absent: 160, taken: 30, crossed: 60, misread: 20}
	sets := map[string]float64{"facts": 1, "lives": 1, "halves": .7, "everyday": .7, "locomo": .7, "realtalk": .7, "beam": .7}
	return func(e example) float64 { return sets[e.set] * kinds[e.kind] / size[e.set+e.kind] }
}

// certainty says how well probabilities tell questions with an answer from others.
type certainty struct {
	auc         map[string]float64 // against each kind of questions without an answer
	refused     map[string]float64 // of each kind the share below the threshold
	kept, right float64            // shares above the threshold, of those with an answer and of right first hits

	promised, was float64 // mean probability of the first hits above the threshold, and the share that was right
}

func (c certainty) String() string {
	text := fmt.Sprintf("kept %.2f, right ones %.2f; probability %.2f, right %.2f;", c.kept, c.right, c.promised, c.was)
	for _, kind := range slices.Sorted(maps.Keys(c.auc)) {
		text += fmt.Sprintf(" %s: AUC %.3f, refused %.2f;", kind, c.auc[kind], c.refused[kind])
	}
	return strings.TrimSuffix(text, ";")
}

// judge judges the probabilities of examples of one set.
func judge(examples []example, probabilities []float64, set string) certainty {
	of := make(map[string][]float64)
	promised, was, above := 0.0, 0.0, 0.0
	for i, e := range examples {
		if e.set != set {
			continue
		}
		of[e.kind] = append(of[e.kind], probabilities[i])
		if e.right {
			of["right"] = append(of["right"], probabilities[i])
		}
		if probabilities[i] >= memory.Certain && (e.kind == there || e.kind == absent) {
			promised, above = promised+probabilities[i], above+1
			if e.right {
				was++
			}
		}
	}
	below := func(list []float64) float64 {
		n := 0.0
		for _, p := range list {
			if p < memory.Certain {
				n++
			}
		}
		return n / float64(len(list))
	}
	c := certainty{auc: make(map[string]float64), refused: make(map[string]float64), kept: 1 - below(of[there]), right: 1 - below(of["right"]),
		promised: promised / above, was: was / above}
	for _, kind := range []string{absent, taken, crossed, misread} {
		if len(of[kind]) > 0 {
			c.auc[kind], c.refused[kind] = labelled.AUC(of[there], of[kind]), below(of[kind])
		}
	}
	return c
}

// reliability returns for each tenth of the examples, by mass and in order of probability, the
// mean probability and the share with an answer; and how far these are apart, on average.
func reliability(examples []example, probabilities []float64) (deciles [10][2]float64, off float64) {
	order := make([]int, len(examples))
	mass, total := massAmong(examples), 0.0
	for i, e := range examples {
		order[i], total = i, total+mass(e)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(probabilities[a], probabilities[b]) })
	var size [len(deciles)]float64
	below := 0.0
	for _, i := range order {
		e, m := examples[i], mass(examples[i])
		d := min(int((below+m/2)/total*float64(len(deciles))), len(deciles)-1)
		deciles[d][0] += m * probabilities[i]
		if e.kind == there {
			deciles[d][1] += m
		}
		size[d], below = size[d]+m, below+m
	}
	for d := range deciles {
		deciles[d][0], deciles[d][1] = deciles[d][0]/size[d], deciles[d][1]/size[d]
		off += math.Abs(deciles[d][0]-deciles[d][1]) * size[d] / total
	}
	return deciles, off
}

// heldOut returns for each example the probability by a regression that saw no example of its
// group.
func heldOut(examples []example, signs []float64, group func(example) string) []float64 {
	probabilities := make([]float64, len(examples))
	groups := make(map[string]bool)
	for _, e := range examples {
		groups[group(e)] = true
	}
	for g := range groups {
		l := fit(slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return group(e) == g }), signs, massAmong(examples))
		for i, e := range examples {
			if group(e) == g {
				probabilities[i] = l.probability(e.values)
			}
		}
	}
	return probabilities
}

// TestQualityCertainty measures how well a score says whether an answer is there. With -v it
// does so for all sets. Where [tuning] asks it also fits the weights: to all examples; to all
// sets but one, which then judges them; and to all classes and languages but some.
func TestQualityCertainty(t *testing.T) {
	lives, err := labelled.Facts("testdata/lives.jsonl") // plain lives in 28 languages; the questions without an answer ask of somebody known
	if err != nil {
		t.Fatal(err)
	}
	sets := append(sets(t), everydayHalves(t), lives)
	for _, set := range sets {
		if set.Name == "facts" {
			sets = append(sets, halves("halves", set.Stores[0]))
		}
	}
	if !testing.Verbose() && os.Getenv(tuning) == "" {
		sets = slices.DeleteFunc(sets, func(s labelled.Set) bool { return s.Name != "facts" && s.Name != "everyday" && s.Name != "lives" })
	}
	examples := examples(t, sets)
	weights, bias := recall.EvidenceWeights()
	judgeAll := func(name string, probabilities []float64) {
		for _, set := range sets {
			t.Logf("%-28s %-8s %v", name, set.Name, judge(examples, probabilities, set.Name))
		}
	}
	now := make([]float64, len(examples))
	for i, e := range examples {
		now[i] = logistic{weights, bias}.probability(e.values)
	}
	judgeAll("now", now)
	facts, everyday, plain := judge(examples, now, "facts"), judge(examples, now, "everyday"), judge(examples, now, "lives")
	if facts.auc[absent] < .86 || facts.auc[taken] < .85 || facts.refused[absent] < .5 || facts.kept < .9 || facts.right < .95 {
		t.Errorf("facts: %v; want AUC of at least .86 and .85, half refused, .9 and .95 kept", facts)
	}
	if everyday.auc[absent] < .76 || everyday.kept < .83 {
		t.Errorf("everyday: %v; want an AUC of at least .76 and .83 kept", everyday)
	}
	if plain.auc[absent] < .79 || plain.kept < .83 {
		t.Errorf("lives: %v; want an AUC of at least .79 and .83 kept", plain)
	}
	deciles, off := reliability(examples, now)
	t.Logf("promised and was, by tenths: %.2f; %.3f apart", deciles, off)
	if off > .08 {
		t.Errorf("probabilities and shares with an answer are %.3f apart, want at most .08", off)
	}
	if os.Getenv(tuning) == "" {
		return
	}
	t.Logf("fitted to all: %.2f", fit(examples, weights, massAmong(examples)))
	judgeAll("by the other sets", heldOut(examples, weights, func(e example) string { return strings.Replace(e.set, "halves", "facts", 1) }))
	judgeAll("by other classes, languages", heldOut(examples, weights, func(e example) string {
		const folds = 5
		hash := fnv.New32a()
		hash.Write([]byte(strings.Replace(e.set, "halves", "facts", 1) + e.fold))
		return fmt.Sprint(hash.Sum32() % folds)
	}))
}

// TestFit fits a regression to examples whose odds are known.
func TestFit(t *testing.T) {
	var all []example
	for i := range 4000 {
		x := float64(i%20)/10 - 1
		p := 1 / (1 + math.Exp(-(3*x - 1)))
		one := example{set: "facts", kind: absent, values: []float64{x, 0}}
		if math.Mod(float64(i)*.6180339887, 1) < p {
			one.kind = there
		}
		all = append(all, one)
	}
	l := fit(all, []float64{0, 0}, func(example) float64 { return 1 })
	if math.Abs(l.weights[0]-3) > .3 || math.Abs(l.weights[1]) > 1e-9 || math.Abs(l.bias+1) > .2 {
		t.Errorf("fitted %v, want weights 3 and 0, bias -1", l)
	}
}
