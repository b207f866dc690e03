package aaif_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestTransitions(t *testing.T) {
	allowed := map[aaif.RunStatus]string{
		aaif.Running:            "paused awaiting_approval awaiting_tool_result migrating completed failed",
		aaif.Paused:             "running migrating",
		aaif.AwaitingApproval:   "running failed",
		aaif.AwaitingToolResult: "running failed",
		aaif.Migrating:          "completed paused",
		aaif.Completed:          "",
		aaif.Failed:             "",
		"stopped":               "",
	}
	for from, list := range allowed {
		for to := range allowed {
			t.Run(fmt.Sprintf("AAIF-8.1-6 from %s to %s", from, to), func(t *testing.T) {
				want := strings.Contains(" "+list+" ", " "+string(to)+" ")
				expect(t, from.CanBecome(to), want)
				err := aaif.Transition(from, to)
				if want != (err == nil) || err != nil && (aaif.CodeOf(err) != aaif.StateTransition || pathOf(err) != "/status") {
					t.Errorf("got %v", err)
				}
			})
		}
		expect(t, from.Ended(), from == aaif.Completed || from == aaif.Failed)
	}
}

func TestCalls(t *testing.T) {
	args := tree(t, `{"b":[1.50,"x"],"a":{"n":null}}`)
	t.Run("AAIF-8.1-12 a turn survives the state, call by call", func(t *testing.T) {
		turn := aaif.CallMessages("I look.", []aaif.Call{{ID: "c1", Tool: "read", Arguments: args}, {ID: "c2", Tool: "write"}}, issued)
		state := aaif.State{Conversation: turn}.Document()
		back := aaif.ReadState(tree(t, string(state.AppendCanonical(nil)))).Conversation
		expect(t, len(back), 3)
		expect(t, back[0].Content+back[0].Role, "I look.assistant")
		if _, is := back[0].Call(); is {
			t.Error("what was said is no call")
		}
		one, _ := back[1].Call()
		expect(t, one.ID+one.Tool+string(one.Arguments.AppendCanonical(nil)), `c1read{"a":{"n":null},"b":[1.5,"x"]}`)
		two, is := back[2].Call()
		expect(t, two.ID+two.Tool+string(two.Arguments.Append(nil)), `c2write{}`)
		expect(t, is && !two.Guessed && !one.Guessed, true)
	})
	t.Run("AAIF-8.1-12 an answer without calls is one message, though empty", func(t *testing.T) {
		expect(t, len(aaif.CallMessages("", nil, issued)), 1)
		expect(t, len(aaif.CallMessages("", []aaif.Call{{ID: "c", Tool: "t"}}, issued)), 1)
	})
	for _, content := range []string{"[tool call: read]", "", "[]", `{"a":1,"a":2}`, `{"a":1}x`} {
		t.Run("AAIF-8.1-12 of a foreign call without arguments they are empty: "+content, func(t *testing.T) {
			call, is := aaif.Message{Role: "assistant", CallID: "c", Tool: "t", Content: content}.Call()
			expect(t, is && call.Guessed, true)
			expect(t, string(call.Arguments.Append(nil)), "{}")
		})
	}
	t.Run("AAIF-8.1-12 results are no calls", func(t *testing.T) {
		for _, m := range []aaif.Message{{Role: "tool", CallID: "c", Tool: "t", Content: "{}"}, {Role: "assistant", Tool: "t"}, {Role: "assistant", CallID: "c"}} {
			if _, is := m.Call(); is {
				t.Errorf("%+v", m)
			}
		}
	})
}

func TestReissue(t *testing.T) {
	reads, writes := aaif.ToolNature{Bound: true, ReadOnly: true}, aaif.ToolNature{Bound: true}
	for _, c := range []struct {
		status aaif.CallStatus
		tool   aaif.ToolNature
		want   aaif.Decision
	}{
		{aaif.CallPending, reads, aaif.IssueCall},
		{aaif.CallPending, writes, aaif.GateCall},
		{aaif.CallInFlight, reads, aaif.IssueCall},
		{aaif.CallInFlight, writes, aaif.TimedOut},
		{aaif.CallAwaitingResult, reads, aaif.IssueCall},
		{aaif.CallAwaitingResult, writes, aaif.TimedOut},
		{aaif.CallInFlight, aaif.ToolNature{Bound: true, Idempotent: true}, aaif.GateCall},
		{"", reads, aaif.IssueCall},
		{"", writes, aaif.TimedOut},
		{"done", writes, aaif.TimedOut},
		{aaif.CallPending, aaif.ToolNature{}, aaif.TimedOut},
		{aaif.CallInFlight, aaif.ToolNature{ReadOnly: true}, aaif.TimedOut},
	} {
		t.Run(fmt.Sprintf("AAIF-8.1-16 AAIF-8.2-6 %q %+v", c.status, c.tool), func(t *testing.T) {
			expect(t, aaif.Reissue(aaif.PendingCall{Status: c.status}, c.tool), c.want)
		})
	}
	t.Run("AAIF-8.2-6 the model hears that a call timed out", func(t *testing.T) {
		m := aaif.TimedOutMessage(aaif.PendingCall{ID: "c1", Tool: "book"}, issued)
		expect(t, m.Role+m.CallID+m.Tool+m.Content, `toolc1book{"error":"timed_out"}`)
	})
}

// brief writes a conversation as roles, ids and contents.
func brief(list []aaif.Message) string {
	var words []string
	for _, m := range list {
		words = append(words, m.Role[:1]+m.CallID+m.Content)
	}
	return strings.Join(words, " ")
}

func TestTruncate(t *testing.T) {
	said := []aaif.Message{{Role: "system", Content: "0"}, {Role: "user", Content: "1"}, {Role: "assistant", CallID: "a"}, {Role: "assistant", CallID: "b"},
		{Role: "tool", CallID: "a"}, {Role: "system", Content: "2"}, {Role: "tool", CallID: "b"}, {Role: "assistant", Content: "3"}}
	ten := func(aaif.Message) int { return 10 }
	for _, c := range []struct {
		window int
		want   string
		over   bool
	}{
		{0, brief(said), false}, {80, brief(said), false}, {1000, brief(said), false},
		{79, "s0 aa ab ta s2 tb a3", false},
		{69, "s0 ab s2 tb a3", false}, // with the call of a goes its result
		{59, "s0 s2 a3", false},
		{39, "s0 s2 a3", false},
		{30, "s0 s2 a3", false},
		{29, "s0 s2", false},
		{19, "s0 s2", true},
		{1, "s0 s2", true},
	} {
		t.Run(fmt.Sprintf("AAIF-8.1-11 to a window of %d", c.window), func(t *testing.T) {
			got := aaif.Truncate(said, c.window, ten)
			expect(t, brief(got.Messages), c.want)
			expect(t, got.Dropped, len(said)-len(got.Messages))
			expect(t, got.Over, c.over)
		})
	}
	t.Run("AAIF-8.1-11 5000 tokens to 1000: the newest stay", func(t *testing.T) {
		long := []aaif.Message{{Role: "system", Content: strings.Repeat("s", 400)}}
		for i := range 49 {
			long = append(long, aaif.Message{Role: "user", Content: fmt.Sprintf("%0400d", i)})
		}
		got := aaif.Truncate(long, 1000, nil)
		expect(t, got.Dropped, 40)
		expect(t, got.Messages[1].Content, fmt.Sprintf("%0400d", 40))
		expect(t, got.Messages[9].Content, fmt.Sprintf("%0400d", 48))
	})
	t.Run("AAIF-8.1-11 what messages say of themselves is believed, and cannot overflow", func(t *testing.T) {
		got := aaif.Truncate([]aaif.Message{{Role: "user", Content: "x", Tokens: math.MaxInt}, {Role: "user", Content: "y", Tokens: math.MaxInt}, {Role: "user", Content: "z", Tokens: -5}}, 10, nil)
		expect(t, brief(got.Messages), "uz")
	})
	t.Run("AAIF-8.1-11 a result that never had a call goes", func(t *testing.T) {
		got := aaif.Truncate([]aaif.Message{{Role: "user", Content: "x"}, {Role: "tool", CallID: "z"}, {Role: "user", Content: "y"}}, 29, ten)
		expect(t, brief(got.Messages), "uy")
	})
	t.Run("AAIF-8.1-11 what it is given does not change", func(t *testing.T) {
		before := brief(said)
		aaif.Truncate(said, 30, ten)
		expect(t, brief(said), before)
	})
}
