package recall_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// TestEveryday measures questions of people about their own facts: the share of questions
// with their fact among the first three hits. testdata/everyday.txt holds the facts, each
// with its questions, which hardly use the fact's words.
func TestEveryday(t *testing.T) {
	idx, questions := everyday(t)
	found := 0
	for _, q := range questions {
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: q.text, Limit: 3}, recall.Options{Now: now}, everything)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(" "+ids(hits)+" ", " "+q.fact+" ") {
			found++
		} else {
			t.Logf("%q finds %q", q.text, texts(hits))
		}
	}
	part := float64(found) / float64(len(questions))
	t.Logf("recall@3 %.3f of %d questions", part, len(questions))
	if part < .9 {
		t.Errorf("recall@3 is %.3f, want at least .9", part)
	}
}

// asked is a question about one of the everyday facts.
type asked struct {
	text string
	fact string // its id
}

// everyday reads the facts and the questions about them.
func everyday(t *testing.T) (*recalltest.Index, []asked) {
	t.Helper()
	text, err := os.ReadFile("testdata/everyday.txt")
	if err != nil {
		t.Fatal(err)
	}
	idx := new(recalltest.Index)
	var questions []asked
	last := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if question, ok := strings.CutPrefix(line, "\t"); ok {
			questions = append(questions, asked{question, last})
			continue
		}
		last = strings.ReplaceAll(line, " ", "-")
		idx.Add(fact(last, line, 30))
	}
	return idx, questions
}

func texts(hits []memory.Hit) []string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Record.Body.Text)
	}
	return all
}
