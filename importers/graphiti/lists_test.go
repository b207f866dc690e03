package graphiti_test

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/graphiti"
	"github.com/satchel-memory/satchel/importers/importtest"
)

// The lists of sessions, threads and users that Zep answers with are known.
func TestDetectLists(t *testing.T) {
	for text, want := range map[string]codec.Confidence{
		`{"sessions":[{"session_id":"s","user_id":"u","metadata":{"topic":"x"},"created_at":"2026-01-01T00:00:00Z"}],"total_count":1,"row_count":1}`: codec.Likely,
		`{"users":[{"user_id":"u","email":"u@example.org","created_at":"2026-01-01T00:00:00Z"}],"total_count":1,"row_count":1}`:                      codec.Likely,
		`{"threads":[{"thread_id":"t","user_id":"u"}],"total_count":1,"row_count":1}`:                                                                codec.Likely,
		`{"users":[{"user_id":"u","email":"u@example.org"}]}`:                                                                                        codec.No,
		`{"rows":[{"user_id":"u"}],"total_count":1,"row_count":1}`:                                                                                   codec.No,
	} {
		if got := graphiti.Format().Detect(importtest.File("x.json", text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// The summary of a thread is remembered, beside what is said of the thread.
func TestThreadSummary(t *testing.T) {
	records, losses, err := importtest.Check(t, graphiti.Format(), importtest.File("x.json",
		`{"thread_summaries":[{"uuid":"u1","summary":"They spoke of bees","thread_id":"t"}],"threads":[{"thread_id":"t","metadata":{"topic":"bees"}}],`+
			`"edges":[{"uuid":"u2","fact":"Zoe keeps bees","name":"KEEPS","created_at":"2026-01-01T00:00:00Z"}]}`), importtest.Options())
	if err != nil || len(records) != 3 {
		t.Fatalf("%d records, lost %v, %v", len(records), losses, err)
	}
	if r := records[0]; r.Body.Text != "Session t: They spoke of bees" || r.Scope.Session != "t" || r.Provenance.Source.Ref != "summary/u1" {
		t.Errorf("became %q of %q from %s", r.Body.Text, r.Scope.Session, r.Provenance.Source.Ref)
	}
	if records[1].Body.Text != "Session t: topic: bees" {
		t.Errorf("the thread became %q", records[1].Body.Text)
	}
}
