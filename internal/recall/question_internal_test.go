package recall

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// lengths is an index in which longer terms are more frequent.
type lengths struct{ Index }

func (lengths) Frequencies(_ context.Context, terms []string) ([]int, error) {
	df := make([]int, len(terms))
	for i, t := range terms {
		df[i] = len(t)
	}
	return df, nil
}

// TestLongQuestion: of a long text the rarest terms are searched for, and a relative of a
// word only together with the word.
func TestLongQuestion(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "word%s children%d kids ", strings.Repeat("x", i%50), i)
	}
	q := understand(text.String(), time.Time{}, new(stemmer))
	if len(q.terms) < maxTerms || len(q.terms) > 2*maxLookup {
		t.Fatalf("%d terms are looked up", len(q.terms))
	}
	df, err := q.lookUp(context.Background(), lengths{})
	if err != nil {
		t.Fatal(err)
	}
	q.weigh(df, 1000, 10_000)
	if !q.shorten() {
		t.Error("nothing was left out")
	}
	if len(q.terms) > maxTerms || len(q.index) != len(q.terms) || q.total <= 0 {
		t.Fatalf("%d terms, %d in the index, total %v", len(q.terms), len(q.index), q.total)
	}
	for i, w := range q.terms {
		if q.index[w.term] != i {
			t.Errorf("%q is at %d, the index says %d", w.term, i, q.index[w.term])
		}
		if w.relative(i) && q.terms[w.of].relative(w.of) {
			t.Errorf("%q stands for a relative", w.term)
		}
		if w.weight < rarity(30, 1000)*familyWeight {
			t.Errorf("%q weighs %v: rarer ones were left out", w.term, w.weight)
		}
	}
}
