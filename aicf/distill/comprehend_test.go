package distill_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/satchel-memory/satchel/aicf/distill"
)

// TestComprehension puts recorded questions to a conversation and to the file made of it,
// and reports what was lost. How much that is, it does not judge.
func TestComprehension(t *testing.T) {
	data, err := os.ReadFile("testdata/backend.questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var questions []distill.Question
	if err := json.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	talked := talk(t, "backend")
	contents, _, _ := distilled(t, talked, distill.Options{})
	original := distill.Sentences(distill.Transcript(talked))
	t.Run("AICF-COMP-6 what was lost is measured by questions, and reported", func(t *testing.T) {
		comprehends(t, questions, original, distill.Passages(contents.Entries))
	})
}

func comprehends(t *testing.T, questions []distill.Question, original, passages []string) {
	c := distill.Comprehend(questions, original, passages)
	t.Logf("of %d questions the conversation answers %d, the file %d of those: %.1f %% lost; %q", c.Questions, c.Original, c.Context, c.Loss, c.Lost)
	if c.Questions != len(questions) || c.Original == 0 || c.Context > c.Original || len(c.Lost) != c.Original-c.Context {
		t.Errorf("%+v", c)
	}
	if all := distill.Comprehend(questions, original, original); all.Loss != 0 || all.Context != all.Original {
		t.Errorf("the conversation loses to itself: %+v", all)
	}
	if none := distill.Comprehend(questions, original, nil); none.Loss != 100 {
		t.Errorf("an empty file answers: %+v", none)
	}
	if empty := distill.Comprehend(nil, original, nil); empty.Loss != 0 {
		t.Errorf("without questions %+v", empty)
	}
}
