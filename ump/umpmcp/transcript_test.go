package umpmcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// TestTranscripts sends every testdata/*.in, one request per line, to a server
// over a pipe and compares the conversation with testdata/*.golden.
func TestTranscripts(t *testing.T) {
	transcript.Run(t, func(t *testing.T, name, script string) []byte {
		o := umpmcp.Options{Caller: agent, Version: "1.0.0", Dotted: strings.Contains(name, "dotted")}
		v := filled(t)
		if strings.Contains(name, "level3") {
			v = at3(t)
		}
		return converse(t, v, o, []byte(script))
	})
}

// converse sends the script's requests, each after the answer to the one before.
func converse(t *testing.T, v umpmcp.Backend, o umpmcp.Options, script []byte) []byte {
	t.Helper()
	requests, send := io.Pipe()
	receive, answers := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- umpmcp.Serve(context.Background(), umpmcp.New(v, o), requests, answers)
		_ = answers.Close()
	}()
	replies := bufio.NewReader(receive)
	var said bytes.Buffer
	for line := range bytes.Lines(script) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			fmt.Fprintf(&said, "%s\n", line)
			continue
		}
		fmt.Fprintf(&said, "-> %s\n", line)
		if _, err := fmt.Fprintf(send, "%s\n", line); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(line, []byte(`"id":`)) || bytes.Contains(line, []byte(`"method":"notifications/`)) {
			continue
		}
		reply, err := replies.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&said, "<- %s\n", transcript.Pretty(withoutSchemas(t, bytes.TrimSpace(reply))))
	}
	_ = send.Close()
	if rest, _ := io.ReadAll(replies); len(rest) > 0 {
		t.Errorf("said without being asked: %s", rest)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	return said.Bytes()
}

// withoutSchemas leaves schemas out, which are the room's and not the binding's.
func withoutSchemas(t *testing.T, reply []byte) []byte {
	t.Helper()
	if !bytes.Contains(reply, []byte(`"inputSchema"`)) {
		return reply
	}
	var message map[string]any
	if err := json.Unmarshal(reply, &message); err != nil {
		t.Fatal(err)
	}
	for _, tool := range message["result"].(map[string]any)["tools"].([]any) {
		delete(tool.(map[string]any), "inputSchema")
		delete(tool.(map[string]any), "outputSchema")
	}
	reply, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}
