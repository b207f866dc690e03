package umpmcp_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// TestStdioBatches: every call of a batch is answered, whatever stands beside it.
func TestStdioBatches(t *testing.T) {
	const (
		ping1 = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		ping2 = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
		roots = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	)
	for _, edition := range []string{"2024-11-05", "2025-03-26"} {
		greeting := strings.Replace(hello, "2025-11-25", edition, 1)
		for batch, want := range map[string]int{
			"[" + ping1 + "," + roots + "]": 1, "[" + roots + "," + ping1 + "," + ping2 + "]": 2, "[" + roots + "]": 0,
		} {
			said := answersOf(t, greeting+batch+"\n"+`{"jsonrpc":"2.0","id":"on","method":"ping"}`+"\n")
			if strings.Count(said, "\n") != want+2 || strings.Count(said, `"result"`) != want+2 || !strings.Contains(said, `"id":"on"`) {
				t.Errorf("%s: %s: %s", edition, batch, said)
			}
		}
	}
}

// TestStdioBatchCancelled: a call of a batch is answered where another is cancelled, and
// an id under way is refused in a second batch.
func TestStdioBatchCancelled(t *testing.T) {
	entered := make(chan struct{})
	v := umptest.New()
	v.Before = func(ctx context.Context, operation string, _ memory.Caller) error {
		if operation == "recall" {
			entered <- struct{}{}
			<-ctx.Done()
		}
		return nil
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	go func() {
		_ = umpmcp.Serve(t.Context(), umpmcp.New(v, umpmcp.Options{Caller: agent}), in, out)
		_ = out.Close()
	}()
	answers := bufio.NewReader(receive)
	next := func(want string) {
		t.Helper()
		text, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(text, want) {
			t.Fatalf("want %s: %v: %s", want, err, text)
		}
	}
	write := func(text string) {
		if _, err := io.WriteString(send, strings.TrimSpace(text)+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	const recall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"tea"}}}`
	write(strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	next("serverInfo")
	write("[" + recall + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	<-entered
	next(`"id":2,"result"`)
	write("[" + recall + `,{"jsonrpc":"2.0","id":3,"method":"ping"}]`)
	next("under way")
	next(`"id":3,"result"`)
	write(`[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`)
	_ = send.Close()
	rest, err := io.ReadAll(answers)
	if err != nil || !strings.Contains(string(rest), `"id":4,"result"`) {
		t.Errorf("%v: %s", err, rest)
	}
}
