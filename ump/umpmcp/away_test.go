package umpmcp_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// errAway is what a service answers whose store cannot be reached.
var errAway = &memory.Error{Kind: memory.Internal, Message: "the database cannot be reached; try again", Err: memory.ErrUnavailable}

const envelopeOfAway = `{"error":{"code":"internal","message":"the database cannot be reached; try again","details":{"retry_after":2}}}`

// absent makes some operations of a vault fail while gone; none: all.
func absent(v *umptest.Vault, operations ...string) (gone *atomic.Bool) {
	gone = &atomic.Bool{}
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if gone.Load() && (len(operations) == 0 || slices.Contains(operations, operation)) {
			return errAway
		}
		return nil
	}
	return gone
}

func TestStoreAway(t *testing.T) {
	for _, revision := range revisions() {
		t.Run("revision "+revision, func(t *testing.T) {
			v := filled(t)
			gone := absent(v)
			client := connect(t, v, umpmcp.Options{}, revision)
			calls := map[string]any{
				"ump.recall": map[string]any{"query": "pnpm"}, "ump.get": map[string]any{"id": known},
				"ump.remember": map[string]any{"record": map[string]any{"kind": "semantic", "body": map[string]any{"text": "x"}}},
			}
			gone.Store(true)
			for tool, arguments := range calls {
				answer, failed := call(t, client, tool, arguments)
				if !failed {
					t.Errorf("%s: %s", tool, answer)
				}
				sameJSON(t, answer, []byte(envelopeOfAway))
			}
			_, reading := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: knownAt})
			_, prompting := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "brief"})
			for _, err := range []error{reading, prompting} {
				fault, ok := errors.AsType[*jsonrpc.Error](err)
				if !ok || fault.Code != jsonrpc.CodeInternalError || fault.Message != errAway.Message {
					t.Fatalf("%v", err)
				}
				sameJSON(t, fault.Data, []byte(envelopeOfAway))
			}
			gone.Store(false)
			for tool, arguments := range calls {
				if answer, failed := call(t, client, tool, arguments); failed {
					t.Errorf("%s once it is back: %s", tool, answer)
				}
			}
		})
	}
}

// TestWatchWhileStoreIsAway expects that who watches is told what happened
// meanwhile, and who came meanwhile that something may have.
func TestWatchWhileStoreIsAway(t *testing.T) {
	for _, revision := range revisions() {
		t.Run("revision "+revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := at3(t)
				gone := absent(v, "head", "changes", "await")
				var reported atomic.Int32
				o := umpmcp.Options{Report: func(doing string, _ error) {
					if doing == "watch" {
						reported.Add(1)
					}
				}}
				h := attend(t, v, o, revision)
				h.watch(t, openAt)
				gone.Store(true)
				revise(t, v, open, "The manual is in man/.")
				late := attend(t, v, o, "2025-11-25")
				time.Sleep(time.Minute)
				if updated, listed := h.told(); len(updated) > 0 || listed > 0 {
					t.Errorf("told of %q, %d", updated, listed)
				}
				if n := reported.Load(); n != 2 { // two servers have one each
					t.Errorf("reported %d times", n)
				}
				gone.Store(false)
				time.Sleep(5 * time.Second)
				if updated, _ := h.told(); !slices.Equal(updated, []string{openAt}) {
					t.Errorf("told of %q", updated)
				}
				if _, listed := late.told(); listed != 1 {
					t.Errorf("who came meanwhile is told %d times", listed)
				}
				revise(t, v, known, "Use bun.")
				time.Sleep(5 * time.Second)
				if _, listed := late.told(); listed != 1 {
					t.Errorf("and of what follows %d times", listed)
				}
			})
		})
	}
}

// TestStreamWhileStoreIsAway keeps a stream whose credentials nobody can look at.
func TestStreamWhileStoreIsAway(t *testing.T) {
	v := at3(t)
	var gone, revoked atomic.Bool
	handler := umpmcp.NewHTTP(v, umpmcp.Options{}, umpmcp.HTTPOptions{Heartbeat: 20 * time.Millisecond, Who: func(*http.Request) (memory.Caller, error) {
		switch {
		case gone.Load():
			return memory.Caller{}, errAway
		case revoked.Load():
			return memory.Caller{}, errNobody
		}
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	}})
	h := &house{Vault: v, handler: handler, Server: serving(t, handler)}
	_, lines := h.raw(t, "mine", "2026-07-28")
	beats := func(want int) bool {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), ": alive") {
				if want--; want == 0 {
					return true
				}
			}
		}
		return false
	}
	if !beats(1) {
		t.Fatal("the stream does not live")
	}
	gone.Store(true)
	if !beats(5) {
		t.Error("the stream ends while the store is away")
	}
	gone.Store(false)
	if !beats(5) {
		t.Error("the stream ends when the store is back")
	}
	revoked.Store(true)
	if beats(1000) {
		t.Error("the stream outlives its token")
	}
}
