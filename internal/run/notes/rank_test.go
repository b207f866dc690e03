package notes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/run/notes"
	"github.com/satchel-memory/satchel/memory"
)

// meanings compares texts by a table.
type meanings map[string]float64

func (m meanings) Alike(_ context.Context, _ memory.DID, _ string, texts []string) (near []float64, _ string, _ error) {
	for _, text := range texts {
		near = append(near, m[text])
	}
	return near, "", nil
}

// corpus are notes, oldest first, with how close they are in meaning to corpusQuestion.
var corpus = []struct {
	key, text string
	near      float64
}{
	{"pet", "Her poodle is called Rex.", .9},
	{"invoice", "Invoices are due within thirty days.", 0},
	{"rebate", "A rebate on invoices needs two signatures.", .2},
	{"animal", "She keeps a hound.", .8},
	{"office", "The office closes at noon on Fridays.", .1},
}

const corpusQuestion = "Which invoices need signatures?"

func TestRetrieval(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	fill := func(m *mind) {
		for _, c := range corpus {
			m.writes("user", c.key, c.text)
			h.Pass(time.Minute)
		}
	}
	alike := meanings{}
	for _, c := range corpus {
		alike[c.text] = c.near
	}
	way := func(name, user string, with notes.Meaning) string {
		m := h.opens(agent(t, clerk, `{"scope":"user","top_k":3`+name+`}`), "run-1", of(user, ""), func(o *notes.Options) { o.Meaning = with })
		if m.says("user", "pet") == "" {
			fill(m)
		}
		var keys []string
		text, _ := m.reminded(corpusQuestion)
		for _, line := range strings.Split(text, "\n") {
			for _, c := range corpus {
				if line == c.key+": "+c.text {
					keys = append(keys, c.key)
				}
			}
		}
		return strings.Join(keys, " ")
	}
	for _, x := range []struct{ strategy, want string }{
		{`,"retrieval_strategy":"similarity"`, "pet animal rebate"},
		{`,"retrieval_strategy":"keyword"`, "rebate invoice"},
		{`,"retrieval_strategy":"hybrid"`, "rebate invoice pet"},
		{`,"retrieval_strategy":"recency"`, "office animal rebate"},
		{``, "rebate invoice office"},
	} {
		t.Run("AAIF-4.5-12 the order by "+x.strategy, func(t *testing.T) {
			if got := way(x.strategy, "ann", alike); got != x.want {
				t.Errorf("got %q, want %q", got, x.want)
			}
		})
	}
	t.Run("AAIF-4.5-12 without embeddings words decide, and the run notes it", func(t *testing.T) {
		m := h.opens(agent(t, clerk, `{"scope":"user","retrieval_strategy":"similarity"}`), "run-1", of("ann", ""))
		text, found := m.reminded(corpusQuestion)
		if !strings.Contains(text, "rebate: ") || strings.Contains(text, "pet: ") {
			t.Errorf("got %s", text)
		}
		if fmt.Sprint(found) == "" || !strings.Contains(fmt.Sprint(found), "memory.keyword") {
			t.Errorf("noted %v", found)
		}
		if _, again := m.reminded(corpusQuestion); len(again) != 0 {
			t.Errorf("noted at every turn: %v", again)
		}
	})
	t.Run("AAIF-4.5-13 five notes are returned where nothing is said", func(t *testing.T) {
		m := h.opens(agent(t, clerk, `{"scope":"user"}`), "run-1", of("top", ""))
		for i := range 10 {
			m.writes("user", fmt.Sprint("k", i), fmt.Sprint("invoice number ", i))
		}
		if got := m.looks(map[string]string{"query": "invoice number"}); len(got) != 5 {
			t.Errorf("got %d: %v", len(got), got)
		}
		m = h.opens(agent(t, clerk, `{"scope":"user","top_k":7}`), "run-1", of("top", ""))
		if got := m.looks(map[string]string{"query": "invoice number"}); len(got) != 7 {
			t.Errorf("of 7 got %d: %v", len(got), got)
		}
	})
}
