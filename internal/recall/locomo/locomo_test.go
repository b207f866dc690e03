package locomo_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/satchel-memory/satchel/internal/recall/locomo"
	"github.com/satchel-memory/satchel/memory"
)

func load(t *testing.T) locomo.Set {
	t.Helper()
	set, err := locomo.Load(filepath.Join("testdata", "set.json"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLoad(t *testing.T) {
	first := time.Date(2024, 2, 29, 16, 30, 0, 0, time.UTC)
	want := locomo.Set{Conversations: []locomo.Conversation{{
		ID: "walk",
		Turns: []locomo.Turn{
			{ID: "D1:1", Speaker: "Jon", Text: "Hello Ida!", Observed: first},
			{ID: "D1:2", Speaker: "Ida", Text: " I walked along the shore. ", Observed: first},
			{ID: "D1:3", Speaker: "Jon", Text: "Look.", Caption: "a heron on one leg", Observed: first},
			{ID: "D2:1", Speaker: "Jon", Text: "The boat was back.", Observed: time.Date(2024, 3, 1, 0, 5, 0, 0, time.UTC)},
		},
		Questions: []locomo.Question{
			{Text: "Where did Ida walk?", Category: 4, Evidence: []locomo.TurnID{"D1:2"}},
			{Text: "What did they see?", Category: 1, Evidence: []locomo.TurnID{"D1:3", "D2:1"}},
		},
	}}}
	if diff := cmp.Diff(want, load(t)); diff != "" {
		t.Error(diff)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":       `[`,
		"a strange day": `[{"sample_id":"x","conversation":{"session_1_date_time":"yesterday","session_1":[]}}]`,
		"no turns":      `[{"sample_id":"x","conversation":{"session_1_date_time":"1:00 pm on 1 May, 2024","session_1":7}}]`,
	} {
		path := filepath.Join(t.TempDir(), "set.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := locomo.Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v does not name the file", name, err)
		}
	}
	if _, err := locomo.Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestRecord(t *testing.T) {
	turns := load(t).Conversations[0].Turns
	if got, want := turns[1].Record("o").Body.Text, "Ida:  I walked along the shore. "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := memory.Record{Version: "0.1", Kind: memory.Episodic,
		Body:  memory.Body{Text: "Jon: Look. [image: a heron on one leg]"},
		Scope: memory.Scope{Owner: "o", Visibility: memory.Private}, Time: memory.Times{Observed: turns[2].Observed}}
	if diff := cmp.Diff(want, turns[2].Record("o")); diff != "" {
		t.Error(diff)
	}
}

// answers returns fixed results, by question.
func answers(_ int, question string, k int) ([]locomo.TurnID, error) {
	filler := []locomo.TurnID{"D1:1", "D1:4", "D1:5", "D1:6", "D1:7"}
	if strings.HasPrefix(question, "Where") {
		return []locomo.TurnID{"D1:1", "D1:2", "D1:2"}, nil // second
	}
	found := append(filler[:5:5], "D2:1") // sixth, and the other eleventh
	for len(found) < 10 {
		found = append(found, "D9:9")
	}
	return append(found, "D1:3"), nil
}

func TestRun(t *testing.T) {
	report, err := locomo.Run(context.Background(), load(t).Conversations, answers)
	if err != nil {
		t.Fatal(err)
	}
	one := locomo.Figures{Questions: 1, At5: 1, At10: 1, At20: 1, Hit10: 1, MRR: .5}
	two := locomo.Figures{Questions: 1, At5: 0, At10: .5, At20: 1, Hit10: 1, MRR: 1. / 6}
	all := locomo.Figures{Questions: 2, At5: .5, At10: .75, At20: 1, Hit10: 1, MRR: 1. / 3}
	want := locomo.Report{Overall: all, Category: map[int]locomo.Figures{4: one, 1: two}, Conversation: map[string]locomo.Figures{"walk": all}}
	if diff := cmp.Diff(want, report, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := report.Print(&b); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(strings.Split(b.String(), "\n")[1]); !cmp.Equal(got, []string{"all", "2", "0.5000", "0.7500", "1.0000", "1.0000", "0.3333"}) {
		t.Errorf("printed %q", got)
	}
}

func TestRunStops(t *testing.T) {
	broken := errors.New("broken")
	_, err := locomo.Run(context.Background(), load(t).Conversations, func(int, string, int) ([]locomo.TurnID, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := locomo.Run(ctx, load(t).Conversations, answers); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	empty, err := locomo.Run(context.Background(), nil, answers)
	if err != nil || math.IsNaN(empty.Overall.MRR) {
		t.Errorf("no questions: %v, %v", empty, err)
	}
}
