package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Scene is a store whose index is written in many ways, and what the index should say.
type Scene struct {
	T     *testing.T
	Store store.Store

	documents map[int64]store.Document
	rnd       *rand.Rand
	last      int64
}

// NewScene returns a scene on an empty store.
func NewScene(t *testing.T, s store.Store) *Scene {
	return &Scene{T: t, Store: s, documents: make(map[int64]store.Document), rnd: rand.New(rand.NewPCG(3, 9))}
}

// sceneTerms occur in all documents, in fewer and in none.
var sceneTerms = []string{"all", "half", "tenth", "hundredth", "none"}

func (c *Scene) place() *place { return &place{t: c.T, store: c.Store} }

func (c *Scene) id(n int64) memory.ID { return memory.ID(fmt.Sprint("urn:ump:scene:", n)) }

func (c *Scene) document() store.Document {
	d := store.Document{Terms: map[string]int{"all": 1 + c.rnd.IntN(300), fmt.Sprint("own", c.rnd.IntN(50)): 1}, Length: c.rnd.IntN(70_000), Version: 1}
	for i, n := range []int{2, 10, 100} {
		if c.rnd.IntN(n) == 0 {
			d.Terms[sceneTerms[i+1]] = 1 + c.rnd.IntN(3)
		}
	}
	return d
}

// Insert adds documents in one Update.
func (c *Scene) Insert(n int) {
	c.T.Helper()
	first := c.last
	for range n {
		c.last++
		c.documents[c.last] = c.document()
	}
	c.place().update(ada, func(w store.Writer) {
		for at := first + 1; at <= c.last; at++ {
			r := row(1)
			r.ID = c.id(at)
			value(w.Insert(r, c.documents[at], store.Links{}))(c.T)
		}
	})
}

// some returns the numbers of some documents, in no order.
func (c *Scene) some(n int) (numbers []int64) {
	for at := range c.documents {
		numbers = append(numbers, at)
	}
	slices.Sort(numbers)
	c.rnd.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	return numbers[:min(n, len(numbers))]
}

// Remove deletes some documents in one Update.
func (c *Scene) Remove(n int) {
	c.T.Helper()
	numbers := c.some(n)
	c.place().update(ada, func(w store.Writer) {
		for _, n := range numbers {
			must(c.T, w.Delete(c.id(n)))
		}
	})
	for _, n := range numbers {
		delete(c.documents, n)
	}
}

// Reindex gives some documents other terms in one Update.
func (c *Scene) Reindex(n int) {
	c.T.Helper()
	numbers := c.some(n)
	for _, n := range numbers {
		c.documents[n] = c.document()
	}
	c.place().update(ada, func(w store.Writer) {
		for _, n := range numbers {
			must(c.T, w.Reindex(n, c.documents[n]))
		}
	})
}

// Pack brings the index into its present form, some rows at a time.
func (c *Scene) Pack(most int) {
	c.T.Helper()
	for from, more := "", true; more; {
		next := ""
		c.place().update(ada, func(w store.Writer) {
			var err error
			next, more, err = w.Pack(from, most)
			must(c.T, err)
		})
		if more && next <= from {
			c.T.Fatalf("packing goes from %q to %q", from, next)
		}
		from = next
	}
}

// Act does something else with each step.
func (c *Scene) Act(step int) {
	c.T.Helper()
	switch step % 5 {
	case 0:
		c.Insert(1)
	case 1:
		c.Insert(300)
	case 2:
		c.Remove(40)
	case 3:
		c.Reindex(25)
	default:
		for range 35 {
			c.Insert(1)
		}
	}
}

// Check expects of readers and writers that they say what the documents do, and of the store that
// it is sound.
func (c *Scene) Check() {
	c.T.Helper()
	c.place().view(ada, c.compare)
	c.place().update(ada, func(w store.Writer) { c.compare(w) })
	same(c.T, "findings", len(value(c.Store.Check(c.T.Context()))(c.T)), 0)
}

func (c *Scene) compare(r store.Reader) {
	c.T.Helper()
	counts := value(r.Frequencies(sceneTerms))(c.T)
	for i, term := range sceneTerms {
		want := []store.Posting{}
		for _, n := range slices.Backward(slices.Sorted(slices.Values(c.some(len(c.documents))))) {
			if f := c.documents[n].Terms[term]; f > 0 {
				want = append(want, store.Posting{Document: n, Frequency: uint8(min(f, 255)), Length: uint16(min(c.documents[n].Length, 65535))})
			}
		}
		same(c.T, "documents with "+term, counts[i], len(want))
		for _, max := range []int{1, 100, 1 << 20} {
			got := append([]store.Posting{}, value(r.Postings(term, max))(c.T)...)
			same(c.T, fmt.Sprintf("at most %d with %s", max, term), got, want[:min(len(want), max)])
		}
	}
}

// searchScene writes an index in many ways, and then deletes it.
func searchScene(p *place) {
	c := NewScene(p.t, p.store)
	for step := range 15 {
		c.Act(step)
		if step%5 == 4 {
			c.Check()
		}
	}
	c.Pack(99)
	c.Remove(1 << 20)
	c.Check()
	p.view(ada, func(r store.Reader) { same(p.t, "terms", len(value(r.Terms("", 9))(p.t)), 0) })
}
