package distill_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/text/conversation"
)

// Statements that begin alike take hours where each is held against all before it.
func TestManyStatementsAlike(t *testing.T) {
	c := conversation.Conversation{ID: "c", Started: time.Unix(1, 0).UTC(), Ended: time.Unix(2, 0).UTC()}
	const many = 3_000
	for i := range many {
		c.Turns = append(c.Turns, conversation.Turn{ID: fmt.Sprintf("t%d", i), Author: conversation.User, Text: fmt.Sprintf("I always use the tool number%d here.", i)})
	}
	c.Turns = append(c.Turns, conversation.Turn{ID: "again", Author: conversation.User, Text: "I always use the tool number7."})
	begun := time.Now()
	_, report, err := distill.Distill(c, distill.Options{})
	if err != nil || report.Insights != many || report.Duplicates != 1 {
		t.Fatalf("%d insights, %d again, %v", report.Insights, report.Duplicates, err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("%d statements took %v", many, took)
	}
}

// Decisions that each take one back are held against the latest, however many there are.
func TestManyDecisionsTakenBack(t *testing.T) {
	c := conversation.Conversation{ID: "c", Started: time.Unix(1, 0).UTC(), Ended: time.Unix(2, 0).UTC()}
	const many = 400
	for i := range many {
		c.Turns = append(c.Turns, conversation.Turn{
			ID: fmt.Sprintf("t%d", i), Author: conversation.User, Text: fmt.Sprintf("Actually, we decided not to use tool%d; let's go with thing%d instead.", i%(many-1), i),
		})
	}
	contents, report, err := distill.Distill(c, distill.Options{})
	if err != nil || report.Decisions != many {
		t.Fatalf("%d decisions, %v", report.Decisions, err)
	}
	for _, e := range contents.Entries {
		if l, ok := e.(*aicf.Link); ok && l.Type == aicf.Supersedes && l.To == "decision_001" && l.From == fmt.Sprintf("decision_%03d", many) {
			t.Errorf("%s takes back the first of all", l.From)
		}
	}
	if report.Links < many-1 {
		t.Errorf("%d links", report.Links)
	}
}
