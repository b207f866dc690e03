package mem0_test

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mem0"
)

// Mem0 itself says who spoke, in role and actor_id: with its own name for the text these do
// not make a message of a memory.
func TestDetectRole(t *testing.T) {
	for text, want := range map[string]codec.Confidence{
		`{"results":[{"id":"1","memory":"Likes tea","user_id":"ann","role":"user","created_at":"2026-01-01T00:00:00Z"}]}`: codec.Likely,
		`{"results":[{"id":"1","memory":"Likes tea","role":null,"actor_id":null}]}`:                                       codec.Likely,
		`{"results":[{"id":"1","memory":"Likes tea","actor_id":"ann"}]}`:                                                  codec.Likely,
		`[{"memory":"Likes tea","role":"user"}]`:                                                                          codec.Possible,
		`[{"role":"user","content":"Likes tea","user_id":"ann"}]`:                                                         codec.No,
	} {
		if got := mem0.Format().Detect(importtest.File("all.json", text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
