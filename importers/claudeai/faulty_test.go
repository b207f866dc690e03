package claudeai_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/claudeai"
	"github.com/satchel-memory/satchel/importers/importtest"
)

// reasons reads a conversation with messages, and returns its losses as places and reasons.
func reasons(t *testing.T, conversation string) (texts string, losses []string) {
	t.Helper()
	records, lost, err := importtest.Check(t, claudeai.Format(), importtest.File("conversations.json", "["+conversation+"]"), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range records {
		said = append(said, r.Body.Text)
	}
	for _, l := range lost {
		losses = append(losses, l.Pointer+" "+l.Reason)
	}
	return strings.Join(said, "|"), losses
}

// A message that cannot be read is left out by id and place, and the rest is read.
func TestFaultyMessage(t *testing.T) {
	for _, test := range []struct{ message, fault string }{
		{`{"uuid":"z","text":17,"sender":"human"}`, "number found where a string is wanted"},
		{`{"uuid":"z","text":{"a":1},"sender":"human","content":[]}`, "object found where a string is wanted"},
		{`{"uuid":"z","content":false,"sender":"human"}`, "boolean found where a list is wanted"},
	} {
		said, losses := reasons(t, `{"uuid":"c","name":"A","created_at":"2026-01-02T10:00:00Z","updated_at":"2026-01-02T10:00:00Z","chat_messages":[{"uuid":"a","text":"before","sender":"human"},`+test.message+`,{"uuid":"b","text":"after","sender":"assistant"}]}`)
		want := []string{`/0/chat_messages/1 a message with the id "z" cannot be read, and is left out: ` + test.fault + ` [CLAUDEAI-2]`}
		if !strings.Contains(said, "before") || !strings.Contains(said, "after") || !slices.Equal(losses, want) {
			t.Errorf("%s: %q, lost %q", test.message, said, losses)
		}
	}
	_, lost, err := importtest.Read(claudeai.Format(), importtest.File("conversations.json", `[{"uuid":"c","chat_messages":[{"uuid":"a","text":"x"},{"uuid":"z","text":17}]}]`), importtest.Options())
	if err != nil || codec.LeftOutParts(lost) != 1 {
		t.Errorf("%v, %v", lost, err)
	}
}

// What a block of an unknown kind holds beside its text is told.
func TestUnknownBlock(t *testing.T) {
	const begin, end = `{"uuid":"c","name":"A","created_at":"2026-01-02T10:00:00Z","updated_at":"2026-01-02T10:00:00Z","chat_messages":[{"uuid":"a","sender":"human","content":[`, `]}]}`
	for _, test := range []struct{ block, lost string }{
		{`{"type":"newtype","text":"t","data":{"a":"b"}}`, "/0/chat_messages 1 blocks of which only the text is kept"},
		{`{"type":"newtype","text":"t","start_timestamp":"2026-01-02T10:00:00Z","citations":[],"data":null}`, ""},
		{`{"type":"text","text":"t","citations":[{"url":"https://example.org"}]}`, "/0/chat_messages 1 blocks of which only the text is kept"},
		{`{"type":"text","text":"t","citations":[],"flags":null}`, ""},
	} {
		said, losses := reasons(t, begin+test.block+end)
		if !strings.Contains(said, "User: t") || strings.Join(losses, "|") != test.lost {
			t.Errorf("%s: %q, lost %q", test.block, said, losses)
		}
	}
}

// A date that cannot be read is not called missing.
func TestUnreadableDate(t *testing.T) {
	const bad, none = "the dates cannot be read", "nothing says when"
	for in, want := range map[string]string{
		`{"uuid":"c","created_at":"nope","chat_messages":[{"uuid":"a","text":"x"}]}`:               bad,
		`{"uuid":"c","chat_messages":[{"uuid":"a","text":"x","created_at":"soon"}]}`:               bad,
		`{"uuid":"c","created_at":null,"chat_messages":[{"uuid":"a","text":"x","created_at":""}]}`: none,
		`{"uuid":"c","created_at":{"seconds":1},"chat_messages":[{"uuid":"a","text":"x"}]}`:        bad,
	} {
		_, losses := reasons(t, in)
		if told := strings.Contains(strings.Join(losses, "|"), "1 messages of which the date cannot be read"); told != strings.Contains(in, "soon") {
			t.Errorf("%s: lost %q", in, losses)
		}
		if all := strings.Join(losses, "|"); !strings.Contains(all, want) || strings.Contains(all, bad) && strings.Contains(all, none) {
			t.Errorf("%s: lost %q", in, losses)
		}
	}
}
