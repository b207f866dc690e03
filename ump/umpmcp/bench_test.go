package umpmcp_test

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// BenchmarkRecall sets a recall over a pipe beside the same call in process and
// the SDK's own round trip, which it may cost twice the sum of.
func BenchmarkRecall(b *testing.B) {
	v := umptest.New()
	if _, err := v.Remember(b.Context(), agent, memory.Draft{Record: memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: owner}, Body: memory.Body{Text: "Use pnpm, never npm."}}}); err != nil {
		b.Fatal(err)
	}
	requests, send := io.Pipe()
	receive, answers := io.Pipe()
	go func() {
		_ = umpmcp.Serve(context.Background(), umpmcp.New(v, umpmcp.Options{Caller: agent}), requests, answers)
		_ = answers.Close()
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, nil).
		Connect(b.Context(), &mcp.IOTransport{Reader: receive, Writer: send}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	b.Run("in process", func(b *testing.B) {
		for b.Loop() {
			if _, err := ump.Dispatch(b.Context(), v, ump.Call{Operation: ump.OpRecall, Caller: agent, Body: []byte(`{"query":"pnpm"}`)}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ping over a pipe", func(b *testing.B) {
		for b.Loop() {
			if err := client.Ping(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("recall over a pipe", func(b *testing.B) {
		for b.Loop() {
			result, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: "ump_recall", Arguments: map[string]any{"query": "pnpm"}})
			if err != nil || result.IsError {
				b.Fatal(err, result)
			}
		}
	})
}
