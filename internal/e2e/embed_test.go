package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/embed/embedtest"
)

// await waits for a condition.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// TestBackfillKilled kills a backfill on its way. The next one goes on: every memory gets
// its vector, and those of stored batches are not sent again.
func TestBackfillKilled(t *testing.T) {
	t.Parallel()
	h, server := newHome(t), embedtest.New(t)
	var facts strings.Builder
	for i := range 200 {
		fmt.Fprintf(&facts, "{\"type\":\"entity\",\"name\":\"thing%d\",\"entityType\":\"thing\",\"observations\":[\"number%d is blue\"]}\n", i, i)
	}
	path := filepath.Join(h.dir, "memory.jsonl")
	if err := os.WriteFile(path, []byte(facts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run("import", "-q", path)
	h.run("embed", "use", "-q", server.URL, "--model", "table", "--yes")
	probe := len(server.Texts())
	server.FallSilent(2)
	cmd := h.command("embed", "backfill", "-q")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a third batch", func() bool { return len(server.Texts()) >= probe+3*32 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	server.Misbehave("")
	var done struct{ Embedded, Before, Withheld, Refused int }
	if err := json.Unmarshal([]byte(h.run("embed", "backfill", "--json")), &done); err != nil {
		t.Fatal(err)
	}
	if done.Before != 64 || done.Embedded < 136 || done.Withheld+done.Refused != 0 {
		t.Errorf("the second run did %+v", done)
	}
	sent := server.Texts()[probe:]
	slices.Sort(sent)
	if twice := len(sent) - len(slices.Compact(slices.Clone(sent))); twice > 32 {
		t.Errorf("%d texts were sent twice, and one batch was lost", twice)
	}
	var state struct{ Records, Vectors int }
	if err := json.Unmarshal([]byte(h.run("embed", "status", "--json")), &state); err != nil || state.Vectors != state.Records || state.Records < 200 {
		t.Errorf("state %+v, %v", state, err)
	}
}

// TestEmbedsInBackground: a memory of an assistant gets its vector without anybody waiting,
// and is found by it.
func TestEmbedsInBackground(t *testing.T) {
	t.Parallel()
	h, server := newHome(t), embedtest.New(t)
	h.run("embed", "use", "-q", server.URL, "--model", "table", "--yes")
	s := h.connect("--tool-names", "dotted")
	defer s.Close()
	s.must("ump.remember", `{"record":{"body":{"text":"A poodle named Rex"}}}`)
	s.must("ump.remember", `{"record":{"body":{"text":"Cello practice on Mondays"}}}`)
	await(t, "both vectors", func() bool {
		var state struct{ Records, Vectors int }
		return json.Unmarshal([]byte(h.run("embed", "status", "--json")), &state) == nil && state.Records == 2 && state.Vectors == 2
	})
	await(t, "the answer by meaning", func() bool { // the deadline may pass on a busy machine
		return slices.Equal(texts(s.must("ump.recall", `{"query":"Anything musical?"}`)), []string{"Cello practice on Mondays"})
	})
	server.Misbehave(embedtest.Broken)
	await(t, "a warning", func() bool {
		answer := s.must("ump.recall", `{"query":"cello"}`)
		warnings, _ := answer["warnings"].([]any)
		return len(warnings) == 1 && slices.Equal(texts(answer), []string{"Cello practice on Mondays"})
	})
}
