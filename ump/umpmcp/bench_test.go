package umpmcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// tenHits is a service whose every recall finds the same ten signed records, so that
// only the binding costs anything.
type tenHits struct {
	*umptest.Vault
	hits []memory.Hit
}

func newTenHits(tb testing.TB) *tenHits {
	tb.Helper()
	const form = `{"ump":"0.1","id":"urn:ump:%056d","kind":"semantic","scope":{"owner":"` + string(owner) + `","visibility":"private"},` +
		`"time":{"created":"2026-06-01T19:26:06.568551185Z","observed":"2026-06-01T19:26:06.568551185Z","valid_from":"2026-06-01T19:26:06.568551185Z"},` +
		`"lifecycle":{"status":"active"},"relations":[{"type":"about","target":"entity:Subject%[1]d"}],` +
		`"provenance":{"actor":"` + string(owner) + `","actor_kind":"import","method":"mcpmemory","source":{"ref":"m.jsonl#/%[1]d/observations/0","provider":"mcp-server-memory"}},` +
		`"body":{"text":"Subject%[1]d: prefers <option> & \"%[1]d\" over option 7 in season3 \u2028, and über alles tea with a\\b","structured":{"mcpmemory":{"type":"entity","name":"Subject%[1]d","entityType":"thing"}}},` +
		`"integrity":{"content_hash":"blake3:vsxeocka6wsaz7jfhthuyvfldnlq22mos6siusupjp76hqnzieqq","signature":"ed25519:KKfjCgUcRaXHfGn13dXUsRnHL1gFJfzL2b8xYdiZBjCQFEwa5n9hCUGsh0t9uIbDR0INU2KpEZc6RQcvf52nAA==","signer":"` + string(owner) + `"}}`
	s := &tenHits{Vault: umptest.New()}
	for i := range 10 {
		record, err := ump.Decode(fmt.Appendf(nil, form, i), codec.Options{})
		if err != nil {
			tb.Fatal(err)
		}
		s.hits = append(s.hits, memory.Hit{Record: record, Score: 0.6702032584937684, Signals: memory.Signals{Similarity: 1, Recency: 0.9999958180720646, Salience: 0.5}})
	}
	return s
}

// Recall returns the ten hits.
func (s *tenHits) Recall(context.Context, memory.Caller, memory.Query) ([]memory.Hit, error) {
	return s.hits, nil
}

// Rehydrate returns the same frame each time.
func (s *tenHits) Rehydrate(context.Context, memory.Caller, memory.Query) (memory.Frame, error) {
	return memory.Frame{Text: "<ump:memory>\n\"tea\" & more\n</ump:memory>", Injected: []memory.ID{s.hits[0].Record.ID}}, nil
}

const benchCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`

// BenchmarkCalls calls tools over a pipe, over HTTP and in process. The client only
// reads lines, so that the server's cost shows.
func BenchmarkCalls(b *testing.B) {
	v := newTenHits(b)
	draft := `{"record":{"kind":"semantic","body":{"text":"` + strings.Repeat("Use pnpm, never npm. ", 50) + `"}}}`
	calls := []struct{ name, line string }{
		{"ping", `{"jsonrpc":"2.0","id":2,"method":"ping"}`},
		{"ump.recall", fmt.Sprintf(benchCall, "ump.recall", `{"query":"pnpm"}`)},
		{"ump_recall", fmt.Sprintf(benchCall, "ump_recall", `{"query":"pnpm"}`)},
		{"ump.remember", fmt.Sprintf(benchCall, "ump.remember", draft)},
	}
	b.Run("in process", func(b *testing.B) {
		for op, body := range map[ump.Operation]string{ump.OpRecall: `{"query":"pnpm"}`, ump.OpRemember: draft} {
			b.Run(string(op), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := ump.Dispatch(b.Context(), v, ump.Call{Operation: op, Caller: agent, Body: []byte(body)}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
	b.Run("pipe", func(b *testing.B) {
		ask := overPipe(b, v)
		for _, c := range calls {
			b.Run(c.name, func(b *testing.B) { benchCalls(b, c.line, ask) })
		}
	})
	b.Run("HTTP", func(b *testing.B) {
		ask := overHTTP(b, v)
		for _, c := range calls[1:] {
			b.Run(c.name, func(b *testing.B) { benchCalls(b, c.line, ask) })
		}
	})
}

func benchCalls(b *testing.B, line string, ask func(line string) (answer string)) {
	if answer := ask(line); !strings.Contains(answer, `"result"`) || strings.Contains(answer, `"isError"`) {
		b.Fatal(answer)
	}
	b.ReportAllocs()
	for b.Loop() {
		ask(line)
	}
}

// overPipe returns a client of a server over a pipe.
func overPipe(tb testing.TB, v umpmcp.Backend) (ask func(line string) (answer string)) {
	tb.Helper()
	requests, send := io.Pipe()
	receive, answers := io.Pipe()
	go func() {
		_ = umpmcp.Serve(context.Background(), umpmcp.New(v, umpmcp.Options{Caller: agent}), requests, answers)
		_ = answers.Close()
	}()
	tb.Cleanup(func() { _ = send.Close() })
	replies := bufio.NewReaderSize(receive, 128<<10)
	ask = func(line string) string {
		if _, err := io.WriteString(send, line+"\n"); err != nil {
			tb.Fatal(err)
		}
		reply, err := replies.ReadSlice('\n')
		if err != nil {
			tb.Fatal(err)
		}
		return string(reply)
	}
	hi, initialized, _ := strings.Cut(strings.TrimSpace(hello), "\n")
	ask(hi)
	if _, err := io.WriteString(send, initialized+"\n"); err != nil {
		tb.Fatal(err)
	}
	return ask
}

// overHTTP returns a client of a stateless server over HTTP, without the network.
func overHTTP(tb testing.TB, v umpmcp.Backend) (ask func(line string) (answer string)) {
	tb.Helper()
	handler := umpmcp.NewHTTP(v, umpmcp.Options{}, umpmcp.HTTPOptions{Stateless: true, Who: func(*http.Request) (memory.Caller, error) { return agent, nil }})
	tb.Cleanup(func() { _ = handler.Close() })
	return func(line string) string {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(line))
		r.Header.Set("Authorization", "Bearer token")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Body.String()
	}
}
