package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/openapi/openapitest"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/internal/vault"
)

// TestTranscripts sends every testdata/*.in to a house and compares the conversation
// with testdata/*.golden, whichever kind of store the house has. A line is a request:
// method, path and body. What is "$1" in it is the id that the first answer with one
// gave. A second passes between two requests.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	transcript.Run(t, func(t *testing.T, _, script string) []byte { return conversation(t, script) })
}

// conversation sends a script to a house whose clock stands still in between.
func conversation(t *testing.T, script string) []byte {
	t.Helper()
	var now atomic.Int64
	now.Store(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC).Unix())
	h := buildAs(t, vault.Options{Now: func() time.Time { return time.Unix(now.Load(), 0).UTC() }}, server.Options{Public: true, Stateless: true})
	description := h.do(t, "GET", "/openapi.json", "", "Authorization:").body
	described := openapitest.New(t, description)
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
		if err := described.Check(openapitest.Exchange{Method: request[0], Path: request[1], Asked: got.Request.Header, Body: []byte(strings.Join(request[2:], "")),
			Status: got.StatusCode, Said: got.Header, Answer: got.body}); err != nil {
			t.Errorf("not as described: %v", err)
		}
		fmt.Fprintf(&said, "<- %d\n%s\n", got.StatusCode, transcript.Pretty(got.body))
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
