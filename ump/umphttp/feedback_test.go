package umphttp_test

import (
	"context"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// learner notes what became of memories.
type learner struct {
	umphttp.Backend
	heard []string
}

// Feedback knows one memory.
func (l *learner) Feedback(_ context.Context, c memory.Caller, id memory.ID, outcome, session string) error {
	if id != first {
		return &memory.Error{Kind: memory.NotFound, ID: id, Message: "there is no such record"}
	}
	l.heard = append(l.heard, string(c.Owner)+" "+outcome+" "+session)
	return nil
}

func TestFeedback(t *testing.T) {
	l := &learner{Backend: filled(t)}
	server := serve(t, l, umphttp.Options{})
	t.Run("UMP-4.2-9 UMP-3.8-1 feedback", func(t *testing.T) {
		got := do(t, server, "POST", "/ump/feedback", `{"id":"`+first+`","outcome":"followed","session":"s"}`)
		if got.StatusCode != 200 || string(got.body) != `{"ok":true}` || len(l.heard) != 1 || l.heard[0] != string(owner)+" followed s" {
			t.Errorf("%d %s, heard %q", got.StatusCode, got.body, l.heard)
		}
		for body, want := range map[string]memory.ErrorKind{
			`{"id":"` + first + `","outcome":"good"}`: memory.InvalidRecord, `{"id":"urn:ump:nothing","outcome":"ignored"}`: memory.NotFound, `{}`: memory.InvalidRecord,
		} {
			if got := do(t, server, "POST", "/ump/feedback", body); got.code(t) != want {
				t.Errorf("%s: %s", body, got.body)
			}
		}
	})
}
