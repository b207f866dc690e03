package distill_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

const exported = `@AICF_VERSION
version=3.1

@CONVERSATION:first
timestamp_start=2025-10-07T07:27:37Z
timestamp_end=2025-10-07T07:31:32Z
messages=2
topic=notes

@TRANSCRIPT
message_001=2025-10-07T07:27:37Z|user_mira|I live in Bern.\nWhy | how?
message_002=|assistant|In a \| b.
nonsense

@CONVERSATION:second
timestamp_start=2025-10-08T07:27:37Z
timestamp_end=2025-10-08T07:31:32Z
messages=0
`

const watched = `@CONVERSATION|bees|2025-08-01T06:00:00Z
topic|swarming
exchange|2025-08-01T06:01:00Z|user|they left
exchange|2025-08-01T06:02:00Z|assistant|check for queens
`

func transcript(t *testing.T, text string) ([]conversation.Conversation, []codec.Loss, error) {
	t.Helper()
	r, err := distill.OpenTranscript(codec.Source{Name: "x.aicf", File: strings.NewReader(text), Size: int64(len(text))}, codec.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var all []conversation.Conversation
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r.Losses(), nil
		}
		if err != nil {
			return all, r.Losses(), err
		}
		all = append(all, c)
	}
}

func TestTranscripts(t *testing.T) {
	day := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	got, losses, err := transcript(t, exported)
	want := []conversation.Conversation{{ID: "first", Title: "notes", Source: "aicf", Started: day("2025-10-07T07:27:37Z"), Ended: day("2025-10-07T07:31:32Z"),
		Participants: []string{"user", "assistant"}, Turns: []conversation.Turn{
			{ID: "message_001", Author: conversation.User, At: day("2025-10-07T07:27:37Z"), Text: "I live in Bern.\nWhy | how?"},
			{ID: "message_002", Parent: "message_001", Author: conversation.Assistant, Text: "In a | b."},
		}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if len(losses) != 2 || !strings.Contains(losses[0].Reason, "no turn") || losses[1].Pointer != "CONVERSATION second" {
		t.Errorf("lost %v", losses)
	}
	got, _, err = transcript(t, watched)
	if err != nil || len(got) != 1 || len(got[0].Turns) != 2 || got[0].Turns[1].Text != "check for queens" || got[0].ID != "bees" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{"", "1|@AICF_VERSION\n2|version=3.1\n3|\n", "no context file at all"} {
		if _, _, err := transcript(t, text); err == nil {
			t.Errorf("%q has conversations", text)
		}
	}
}
