package recall_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// TestAlsoFacts asks questions without and with other wordings: those whose facts have
// other words, and some of every other class. testdata/also.tsv holds the wordings, written
// from the questions alone, as a model does.
func TestAlsoFacts(t *testing.T) {
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		t.Skip("skipped: SATCHEL_SHARED names no data")
	}
	idx, questions := everydayFacts(t, filepath.Join(shared, "data", "recall", "facts-dev.jsonl"))
	also := wordings(t)
	type score struct{ asked, first, tenth int }
	without, with := map[string]score{}, map[string]score{}
	add := func(scores map[string]score, q factQuestion, wordings []string) {
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: q.Q, Also: wordings, Limit: 10}, recall.Options{Now: q.Now}, everything)
		if err != nil {
			t.Fatal(err)
		}
		rank := slices.IndexFunc(hits, func(h memory.Hit) bool { return slices.Contains(q.Gold, h.Record.ID) })
		for _, class := range []string{q.Class, "all"} {
			s := scores[class]
			s.asked++
			if rank == 0 {
				s.first++
			}
			if rank >= 0 {
				s.tenth++
			}
			scores[class] = s
		}
	}
	for _, q := range questions {
		if len(also[q.Q]) > 0 {
			add(without, q, nil)
			add(with, q, also[q.Q])
		}
	}
	for _, class := range slices.Sorted(maps.Keys(without)) {
		a, b := without[class], with[class]
		t.Logf("%-10s of %2d: first %2d, with other wordings %2d; among ten %2d, %2d", class, a.asked, a.first, b.first, a.tenth, b.tenth)
	}
	a, b := without["all"], with["all"]
	if a.asked != len(also) {
		t.Errorf("%d questions have wordings, %d were asked", len(also), a.asked)
	}
	if b.first <= a.first || b.tenth <= a.tenth || 10*b.tenth < 9*b.asked {
		t.Errorf("other wordings find too little: %+v, without them %+v", b, a)
	}
}

// factQuestion is a question about everyday facts.
type factQuestion struct {
	Q, Class string
	Now      time.Time
	Gold     []memory.ID
}

// everydayFacts reads facts and the questions about them, one JSON object a line.
func everydayFacts(t *testing.T, name string) (*recalltest.Index, []factQuestion) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	idx := new(recalltest.Index)
	var questions []factQuestion
	for raw := range strings.Lines(string(text)) {
		var line struct {
			factQuestion
			Type, ID, Text, Project string
			Kind                    memory.Kind
			Observed                time.Time
		}
		if err := json.Unmarshal([]byte(raw), &line); err != nil {
			t.Fatal(err)
		}
		if line.Type != "fact" {
			questions = append(questions, line.factQuestion)
			continue
		}
		idx.Add(memory.Record{ID: memory.ID(line.ID), Kind: line.Kind, Body: memory.Body{Text: line.Text},
			Scope: memory.Scope{Owner: "did:key:zOwner", Project: line.Project},
			Time:  memory.Times{Created: line.Observed, Observed: line.Observed}})
	}
	return idx, questions
}

// wordings reads other wordings by question: fields with tabs between them, the question
// first.
func wordings(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/also.tsv")
	if err != nil {
		t.Fatal(err)
	}
	also := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		also[fields[0]] = fields[1:]
	}
	return also
}
