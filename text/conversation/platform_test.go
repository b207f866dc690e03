package conversation_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

func TestPlatformRecords(t *testing.T) {
	p := conversation.Platform{Format: "letta", Name: "Letta", Provider: "letta"}
	when := time.Date(2026, 2, 1, 10, 0, 0, 0, time.UTC)
	c := conversation.Conversation{ID: "shed/talk", Title: "Oak", Source: "Joiner", Turns: []conversation.Turn{
		{ID: "a", Author: conversation.User, Text: "Which saw?"},
		{ID: "b", Author: conversation.Assistant, Text: "The small one.", At: when.Add(time.Hour)},
		{ID: "c", Author: conversation.User, Text: "Thanks."},
	}}
	records := p.Records(c, codec.Options{Owner: "did:key:z6Mk"}, when)
	if len(records) != 3 {
		t.Fatalf("%d records", len(records))
	}
	for i, want := range []struct{ text, ref string }{
		{"Conversation with Letta: Oak (3 turns, 2026-02-01)", "conversations/shed%2Ftalk"},
		{"User: Which saw?\n\nAssistant: The small one.", "conversations/shed%2Ftalk/a"},
		{"User: Thanks.", "conversations/shed%2Ftalk/c"},
	} {
		r := records[i]
		if r.Body.Text != want.text || r.Provenance.Source.Ref != want.ref || r.Kind != memory.Episodic || r.Scope.Session != c.ID || r.Time.Created.IsZero() {
			t.Errorf("record %d: %q, %s, %+v", i, r.Body.Text, r.Provenance.Source.Ref, r)
		}
	}
	if c.Turns = nil; len(p.Records(c, codec.Options{}, when)) != 0 {
		t.Error("a conversation in which nothing was said makes records")
	}
}
