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

// everyday returns an index of the facts, and the questions about them.
func everyday(t *testing.T) (*recalltest.Index, []asked) {
	facts, questions := readEveryday(t)
	idx := new(recalltest.Index)
	for _, f := range facts {
		idx.Add(f)
	}
	return idx, questions
}

// readEveryday reads the facts and the questions about them.
func readEveryday(t testing.TB) (facts []memory.Record, questions []asked) {
	t.Helper()
	text, err := os.ReadFile("testdata/everyday.txt")
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if question, ok := strings.CutPrefix(line, "\t"); ok {
			questions = append(questions, asked{question, last})
			continue
		}
		last = strings.ReplaceAll(line, " ", "-")
		facts = append(facts, fact(last, line, 30))
	}
	return facts, questions
}

func texts(hits []memory.Hit) []string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Record.Body.Text)
	}
	return all
}

// TestForms asks questions whose form says more than their words: the fact comes first, though
// others share more words with the question.
func TestForms(t *testing.T) {
	idx := new(recalltest.Index)
	for i, text := range []string{
		"The walk by the sea was long.",
		"The boiler costs two hundred and fifty pounds a year.", "The berth costs £1,450 a year.",
		"Lives in an old flat in Porto.", "Moved to a flat in Braga.",
		"The loft has a hatch of 72 cm.", "The marten was seen in the garden.",
	} {
		idx.Add(fact(string(rune('a'+i)), text, 30))
	}
	rule := fact("rule", "Keep replies under 150 words.", 30)
	rule.Kind = memory.Identity
	idx.Add(rule)
	for _, c := range []struct{ question, want string }{
		{"how long may your answer be?", "rule"},
		{"Wie lang darf deine Antwort sein?", "rule"},
		{"What costs one thousand four hundred and fifty a year?", "c"},
		{"Where is my flat?", "e"},
		{"Where was my flat?", "d"},
	} {
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: c.question, Limit: 3}, recall.Options{Now: now}, everything)
		if got, _, _ := strings.Cut(ids(hits), " "); err != nil || got != c.want {
			t.Errorf("%q finds %q first, want %s: %v", c.question, texts(hits), c.want, err)
		}
	}
	plain, _, _ := recall.Search(context.Background(), idx, memory.Query{Text: "the loft"}, recall.Options{Now: now}, everything)
	for _, question := range []string{"What do you know about the loft?", "Remind me of the loft.", "Was weißt du über the loft?"} {
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: question}, recall.Options{Now: now}, everything)
		if err != nil || ids(hits) != "f" || hits[0].Score < plain[0].Score {
			t.Errorf("%q finds %q with %v, want f with %v: %v", question, ids(hits), hits, plain[0].Score, err)
		}
	}
}
