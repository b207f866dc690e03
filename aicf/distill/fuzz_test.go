package distill_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/text/conversation"
)

// Whatever is said, the file made of it is valid to the letter, and has nothing in it that
// was to be replaced.
func FuzzDistill(f *testing.F) {
	f.Add("x", "Let's use SQLite because it is small. I live in a@b.example.", "ok")
	f.Add("a->b|\n", "Let's go with option 2.\n```\nI use tabs", "Option 1: a\nOption 2: b | c \\ d")
	f.Add("", "I am a \x00\x1b|\\n baker. We use \"a. b\". Always\tsay\r\nwhy", "I'd suggest \xff\xfe bytes.")
	f.Add("x", "Wir nehmen das „Haus“. Ja, klingt gut", "Ich empfehle A@B. TODO: x")
	f.Fuzz(func(t *testing.T, id, said, answer string) {
		at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
		c := conversation.Conversation{ID: id, Title: said, Started: at, Ended: at, Turns: []conversation.Turn{
			{ID: id, Author: conversation.User, Text: said}, {ID: "a", Author: conversation.Assistant, Text: answer}, {Author: conversation.User, At: at, Text: answer + " " + said},
		}}
		c.Settle()
		contents, _, err := distill.Distill(c, distill.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, losses, err := aicf.Encode(contents, aicf.WriteOptions{})
		if err != nil || len(losses) > 0 {
			t.Fatal(err, losses)
		}
		findings, err := aicf.Validate(data, aicf.Options{Strict: true})
		if err != nil || aicf.Fatal(findings, true) {
			t.Fatalf("%v %v\n%s", err, findings, data)
		}
		if counts := (aicf.Redactor{}).Contents(contents); counts.Total() > 0 {
			t.Errorf("%v is still in\n%s", counts, data)
		}
	})
}
