package handoff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
)

func TestRoundTrip(t *testing.T) {
	for name, state := range states(t) {
		t.Run("AAIF-8.3-11 what arrives of "+name+" is what was sent", func(t *testing.T) {
			got, err := receive(sent(t, state, handoff.SendOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, state)
		})
		t.Run("AAIF-8.3-2 the frames of "+name, func(t *testing.T) {
			golden, got := "testdata/"+name+".ndjson", sent(t, state, handoff.SendOptions{})
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Every frame that is sent is one that the schema has.
func TestFramesAreOfTheSchema(t *testing.T) {
	schema := compiled(t)
	seen := map[string]bool{}
	for _, state := range states(t) {
		for line := range strings.Lines(sent(t, state, handoff.SendOptions{})) {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			seen[tree(t, line).Get("type").Text()] = true
		}
	}
	t.Run("AAIF-8.3-2 the eight types", func(t *testing.T) {
		var b bytes.Buffer
		if err := handoff.SendError(&b, "RUN_TIMEOUT", "too late"); err != nil {
			t.Fatal(err)
		}
		seen[tree(t, b.String()).Get("type").Text()] = true
		for _, name := range []handoff.Type{handoff.Init, handoff.ContextChunk, handoff.MemoryItem, handoff.PipelineState, handoff.PendingTool, handoff.SubagentRef, handoff.Complete, handoff.Error} {
			if !seen[string(name)] {
				t.Errorf("%s was never sent", name)
			}
		}
		if len(seen) != 8 {
			t.Errorf("sent are %v", seen)
		}
	})
}

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(handoff.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("frame.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("frame.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestChunks(t *testing.T) {
	var items []canon.Value
	for i := range 6 {
		items = append(items, tree(t, fmt.Sprintf(`{"role":"user","content":"%01000d"}`, i)))
	}
	state := aaif.WithToken(states(t)["state-least"].With("conversation", canon.Array(items...)), "a.b.c")
	for size, chunks := range map[int]int{1: 6, 2300: 3, 3300: 2, 1 << 20: 1} {
		t.Run(fmt.Sprintf("AAIF-8.3-4 six messages in %d chunks", chunks), func(t *testing.T) {
			stream := sent(t, state, handoff.SendOptions{Chunk: size})
			if got := strings.Count(stream, `"context_chunk"`); got != chunks {
				t.Errorf("got %d", got)
			}
			got, err := receive(stream)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, state)
		})
	}
	t.Run("AAIF-8.3-12 a message larger than a frame is not sent, nor what stands before", func(t *testing.T) {
		var b bytes.Buffer
		err := handoff.Send(context.Background(), &b, state, handoff.SendOptions{Line: 1000})
		if aaif.CodeOf(err) != aaif.FrameTooLarge || b.Len() > 0 {
			t.Errorf("got %v, %d bytes", err, b.Len())
		}
	})
}

// TestSendTree: the checkpoints of subagents travel in the first frame.
func TestSendTree(t *testing.T) {
	for size, whole := range map[int]bool{900 << 10: true, 2 << 20: false} {
		t.Run(fmt.Sprintf("AAIF-8.3-12 a tree of %d KiB", size>>10), func(t *testing.T) {
			extra := tree(t, `{"subagents":[{"step":"a","state":{"conversation":[{"role":"user","content":"`+strings.Repeat("x", size)+`"}]}}]}`)
			state := aaif.WithToken(states(t)["state-least"].With("x-satchel", extra), "a.b.c")
			if whole {
				got, err := receive(sent(t, state, handoff.SendOptions{}))
				if err != nil {
					t.Fatal(err)
				}
				equal(t, got, state)
				return
			}
			var b bytes.Buffer
			err := handoff.Send(context.Background(), &b, state, handoff.SendOptions{})
			if aaif.CodeOf(err) != aaif.FrameTooLarge || !strings.Contains(err.Error(), "as one document") || b.Len() > 0 {
				t.Errorf("got %v, and %d bytes were sent", err, b.Len())
			}
		})
	}
}

func TestSendRefuses(t *testing.T) {
	whole := states(t)["state"]
	put := func(name, value string) canon.Value { return aaif.WithChecksum(whole.With(name, tree(t, value))) }
	for _, c := range []struct {
		name string
		v    canon.Value
		code aaif.Code
	}{
		{"AAIF-8.3-9 a checksum that is not right", whole.With("iteration", canon.Int(9)), aaif.ChecksumMismatch},
		{"AAIF-8.3-9 no checksum", whole.With("provenance", whole.Get("provenance").Without("checksum")), aaif.ChecksumMismatch},
		{"AAIF-8.3-6 no token", aaif.WithChecksum(whole.With("provenance", whole.Get("provenance").Without("migration_token"))), aaif.TokenInvalid},
		{"AAIF-8.3-11 no status", aaif.WithChecksum(whole.Without("status")), aaif.EnvelopeIncomplete},
		{"AAIF-8.3-11 no checkpoint_at", aaif.WithChecksum(whole.Without("checkpoint_at")), aaif.EnvelopeIncomplete},
		{"AAIF-8.1-1 another standard", put("sc_standard", `"SC-007"`), aaif.SchemaViolation},
		{"AAIF-8.1-1 a provenance that is none", whole.With("provenance", canon.Null()), aaif.SchemaViolation},
		{"AAIF-8.1-1 a list that is none", put("memory_snapshot", `{}`), aaif.SchemaViolation},
		{"AAIF-U.S-1 an item without a key", put("memory_snapshot", `[{"scope":"user","content":""}]`), aaif.BadFrame},
		{"AAIF-U.S-1 an item that is none", put("subagent_states", `[1]`), aaif.BadFrame},
		{"AAIF-8.3-4 a message without content", put("conversation", `[{"role":"user"}]`), aaif.BadFrame},
		{"AAIF-U.S-1 variables that are a list", put("variables", `[]`), aaif.BadFrame},
		{"AAIF-U.S-1 an approval that is null", put("approval_request", `null`), aaif.BadFrame},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			err := handoff.Send(context.Background(), &b, c.v, handoff.SendOptions{})
			if aaif.CodeOf(err) != c.code || b.Len() > 0 {
				t.Errorf("got %v, %d bytes", err, b.Len())
			}
		})
	}
}

// failing is a writer that fails from a write on.
type failing struct {
	bytes.Buffer
	writes, from int
	before       func(n int)
}

func (f *failing) Write(p []byte) (int, error) {
	f.writes++
	if f.before != nil {
		f.before(f.writes)
	}
	if f.from > 0 && f.writes >= f.from {
		return 0, errors.New("cut")
	}
	return f.Buffer.Write(p)
}

func TestSendEnds(t *testing.T) {
	state := states(t)["state"]
	t.Run("AAIF-8.3-7 a sender that stops says so", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		w := &failing{before: func(n int) {
			if n == 3 {
				stop()
			}
		}}
		if err := handoff.Send(ctx, w, state, handoff.SendOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		_, err := receive(w.String())
		peer, ok := errors.AsType[*handoff.PeerError](err)
		if !ok || peer.Code != handoff.Cancelled || w.writes != 4 {
			t.Errorf("got %v after %d writes", err, w.writes)
		}
	})
	t.Run("AAIF-8.3-10 a channel that fails", func(t *testing.T) {
		w := &failing{from: 3}
		if err := handoff.Send(context.Background(), w, state, handoff.SendOptions{}); err == nil || w.writes != 3 {
			t.Errorf("got %v after %d writes", err, w.writes)
		}
		refusal(t, w.String(), aaif.ProtocolError)
	})
}

// A sender is not ahead of its receiver by more than what the channel holds.
func TestBackPressure(t *testing.T) {
	state := states(t)["state"]
	from, to := io.Pipe()
	var begun atomic.Int32
	w := &failing{before: func(int) { begun.Add(1) }}
	go func() {
		to.CloseWithError(handoff.Send(context.Background(), io.MultiWriter(w, to), state, handoff.SendOptions{}))
	}()
	t.Run("AAIF-8.3-12 while a token is verified nothing more is sent", func(t *testing.T) {
		got, err := handoff.Receive(context.Background(), from, handoff.Options{Admit: func(aaif.Binding, string) error {
			runtime.Gosched()
			if n := begun.Load(); n > 2 {
				t.Errorf("%d frames were begun", n)
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, state)
	})
}
