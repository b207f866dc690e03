package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
)

// TestTranscripts sends every testdata/*.in to a house and compares the conversation
// with testdata/*.golden, whichever kind of store the house has. A line is a request:
// method, path and body. What is "$1" in it is the id that the first answer with one
// gave. A second passes between two requests.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".in")
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := conversation(t, string(script))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs (-want +got); run with -update when that is meant:\n%s", golden, diff)
			}
		})
	}
}

// conversation sends a script to a house whose clock stands still in between.
func conversation(t *testing.T, script string) []byte {
	t.Helper()
	var now atomic.Int64
	now.Store(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC).Unix())
	h := buildAs(t, vault.Options{Now: func() time.Time { return time.Unix(now.Load(), 0).UTC() }}, server.Options{Public: true, Stateless: true})
	var ids []string
	var said bytes.Buffer
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			fmt.Fprintln(&said, line)
			continue
		}
		fmt.Fprintln(&said, "->", line)
		for i := len(ids); i > 0; i-- {
			line = strings.ReplaceAll(line, fmt.Sprintf("$%d", i), ids[i-1])
		}
		request := strings.SplitN(line, " ", 3)
		got := h.do(t, request[0], request[1], strings.Join(request[2:], ""), "Content-Type: application/json", "Accept: application/json, text/event-stream")
		var pretty bytes.Buffer
		if json.Indent(&pretty, got.body, "", "  ") != nil {
			pretty.Write(got.body)
		}
		fmt.Fprintf(&said, "<- %d\n%s\n", got.StatusCode, pretty.Bytes())
		if id := idIn(got.body); id != "" {
			ids = append(ids, id)
		}
		now.Add(1)
	}
	return said.Bytes()
}

// idIn returns the id that an answer gives a memory, over either binding.
func idIn(body []byte) string {
	var said struct {
		ID, Result string
		Supersedes []string
	}
	var message struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	if json.Unmarshal(body, &message) == nil && message.Result.StructuredContent != nil {
		body = message.Result.StructuredContent
	}
	_ = json.Unmarshal(body, &said) // what is no such answer gives none
	return said.ID
}
