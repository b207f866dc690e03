package claudeai_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/claudeai"
	"github.com/satchel-memory/satchel/text/conversation"
)

func all(t *testing.T, src codec.Source) (found []conversation.Conversation, losses []codec.Loss, err error) {
	t.Helper()
	r, err := claudeai.Shape().Open(src, codec.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for err == nil {
		var c conversation.Conversation
		if c, err = r.Next(); err == nil {
			found = append(found, c)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return found, r.Losses(), err
}

func day(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestRead(t *testing.T) {
	got, losses, err := all(t, codec.Source{Tree: os.DirFS("testdata/export")})
	if err != nil {
		t.Fatal(err)
	}
	want := []conversation.Conversation{
		{ID: "k-1", Title: "Both layouts", Source: "claudeai", Started: day("2026-01-02T03:04:05Z"), Ended: day("2026-01-02T03:10:00Z"), Participants: []string{"user", "assistant"},
			Turns: []conversation.Turn{
				{ID: "m1", Author: conversation.User, At: day("2026-01-02T03:04:05Z"), Text: "Older layout"},
				{ID: "m1.2", Parent: "m1", Author: conversation.Document, Name: "n.txt", At: day("2026-01-02T03:04:05Z"), Text: "pasted"},
				{ID: "m2", Parent: "m1.2", Author: conversation.Assistant, At: day("2026-01-02T03:04:09Z"), Text: "Newer\nlayout"},
				{ID: "message_4", Parent: "m2", Author: conversation.User, Text: "Without an id"},
			}},
		{ID: "k-2", Source: "claudeai", Started: day("2026-01-03T00:00:00Z"), Ended: day("2026-01-03T00:00:03Z"), Participants: []string{"user", "assistant"},
			Turns: []conversation.Turn{
				{ID: "a", Author: conversation.User, At: day("2026-01-03T00:00:01Z"), Text: "first"},
				{ID: "c", Parent: "a", Author: conversation.Assistant, At: day("2026-01-03T00:00:03Z"), Text: "kept"},
			}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantLosses := []codec.Loss{
		{Pointer: "conversations.json /0/chat_messages", Reason: "1 attachments and files of which there is no text"},
		{Pointer: "conversations.json /0/chat_messages", Reason: "1 thoughts of the model"},
		{Pointer: "conversations.json /0/chat_messages", Reason: "1 blocks of messages that are no text"},
		{Pointer: "conversations.json /0/chat_messages", Reason: "1 messages of which the date cannot be read"},
		{Pointer: "conversations.json /1/chat_messages", Reason: "1 messages on branches that were left"},
		{Pointer: "conversations.json /0", Reason: "1 conversations, projects and memories say more of themselves, or of their messages and documents, than texts, numbers and who said it"},
	}
	if diff := cmp.Diff(wantLosses, losses); diff != "" {
		t.Error(diff)
	}
}

func TestRefuses(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"CLAUDEAI-1 no JSON":     {`[{"chat_messages":`, "[CLAUDEAI-1]"},
		"CLAUDEAI-2 no messages": {`[{"name":"x"}]`, "[CLAUDEAI-2]"},
		"CLAUDEAI-5 a circle":    {`[{"chat_messages":[{"uuid":"a","parent_message_uuid":"b"},{"uuid":"b","parent_message_uuid":"a"}]}]`, "[CLAUDEAI-5]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := all(t, codec.Source{Name: "x.json", File: strings.NewReader(test.in), Size: int64(len(test.in))})
			if _, ok := errors.AsType[*codec.ParseError](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a ParseError with %q", err, test.want)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	if got := claudeai.Shape().Detect(codec.Source{Tree: os.DirFS("testdata/export")}); got != codec.Likely {
		t.Errorf("the export: %v", got)
	}
	other := `[{"title":"x","mapping":{}}]`
	if got := claudeai.Shape().Detect(codec.Source{Name: "conversations.json", File: strings.NewReader(other), Size: int64(len(other))}); got != codec.No {
		t.Errorf("another export: %v", got)
	}
}

// TestShared reads the files beside the specifications, if they are present.
func TestShared(t *testing.T) {
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED names no folder")
	}
	got, _, err := all(t, codec.Source{Tree: os.DirFS(filepath.Join(dir, "data/formats/claude-ai"))})
	if err != nil || len(got) != 1 || len(got[0].Turns) != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if turn := got[0].Turns[2]; turn.Text != "Noted." || turn.Parent != "m1.2" {
		t.Errorf("got %+v", turn)
	}
}
