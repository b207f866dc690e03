package lettafile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/aaif/lettafile"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// talk is a file of an agent with a conversation; % are its last messages.
const talk = `{"agents":[{"id":"agent-0","name":"Joiner","system":"You know wood.","tool_ids":[],"block_ids":[],"messages":[
	{"type":"message","id":"message-0","role":"system","content":[{"type":"text","text":"You know wood."}],"created_at":"2026-01-22T02:06:30.5+00:00"},
	{"type":"message","id":"message-1","role":"user","content":[{"type":"text","text":"Which wood"},{"type":"text","text":"for a table?"},{"type":"image","source":{"type":"url","url":"https://x.example/a.png"}}],"created_at":"2026-01-22T03:06:34+01:00"},
	{"type":"message","id":"message-2","role":"assistant","content":"I look.","created_at":"2026-01-22T02:06:35Z","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"wood\":\"oak\"}"}}]},
	{"type":"message","id":"message-3","role":"tool","content":[{"type":"text","text":"found"}],"tool_call_id":"c1","created_at":"2026-01-22T02:06:36Z"},
	{"type":"message","id":"message-4","role":"assistant","content":[{"type":"text","text":"They want an answer."}],"tool_calls":[{"id":"c2","type":"function","function":{"name":"send_message","arguments":"{\"message\":\"Oak.\"}"}}],"created_at":"2026-01-22T02:06:37Z"},
	{"type":"message","id":"message-5","role":"tool","content":"{\"status\":\"OK\"}","tool_call_id":"c2","created_at":"2026-01-22T02:06:38Z"}%],
	"in_context_message_ids":["message-0"]}],"blocks":[],"tools":[],"created_at":"2026-02-03T10:00:00"}`

func withRun(t *testing.T, raw string) (aaif.Definition, canon.Value, []codec.Loss) {
	t.Helper()
	d, state, lost, err := lettafile.WithRun(exchangetest.Tree(t, raw), lettafile.Options{}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if state.Type() == canon.TypeUndefined {
		return d, state, lost
	}
	validator, err := aaif.NewValidator(nil)
	if err != nil {
		t.Fatal(err)
	}
	if found := validator.Lint(aaif.Document{Kind: aaif.StateKind, Value: state}); len(found) > 0 {
		t.Errorf("%v: %s", found, state.Append(nil))
	}
	if err := aaif.VerifyChecksum(state); err != nil {
		t.Error(err)
	}
	return d, state, lost
}

func TestWithRun(t *testing.T) {
	d, state, lost := withRun(t, strings.Replace(talk, "%", "", 1))
	s := aaif.ReadState(state)
	t.Run("AAIF-11-5 it is a checkpoint of the agent", func(t *testing.T) {
		if d.ID == "" || s.AgentID != d.ID || s.Status != aaif.Paused || s.CheckpointAt.Format(time.RFC3339) != "2026-01-22T02:06:37Z" || s.Provenance.SourcePlatform != "letta" {
			t.Errorf("got %s of %s", state.Append(nil), d.ID)
		}
		again, same, _ := withRun(t, strings.Replace(talk, "%", "", 1))
		if again.ID != d.ID || !canon.Equal(same, state) {
			t.Error("the same file gives another")
		}
	})
	t.Run("AAIF-11-5 AAIF-8.1-12 what was said, and what was called", func(t *testing.T) {
		want := `[{"role":"system","content":"You know wood.","timestamp":"2026-01-22T02:06:30.5Z"},{"role":"user","content":"Which wood\nfor a table?","timestamp":"2026-01-22T02:06:34Z"},` +
			`{"role":"assistant","content":"I look.","timestamp":"2026-01-22T02:06:35Z"},{"role":"assistant","content":"{\"wood\":\"oak\"}","tool_call_id":"c1","tool_name":"find","timestamp":"2026-01-22T02:06:35Z"},` +
			`{"role":"tool","content":"found","tool_call_id":"c1","tool_name":"find","timestamp":"2026-01-22T02:06:36Z"},{"role":"assistant","content":"Oak.","timestamp":"2026-01-22T02:06:37Z"}]`
		if got := string(state.Get("conversation").Append(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("AAIF-3-4 what is no message of a checkpoint is told", func(t *testing.T) {
		told := fmt.Sprint(lost)
		for _, words := range []string{"/agents/0/messages/1/content/2", "/agents/0/messages/4/content", "/agents/0/messages/5", "/agents/0/in_context_message_ids"} {
			if !strings.Contains(told, words+":") {
				t.Errorf("%s is not listed: %v", words, lost)
			}
		}
		if strings.Contains(told, "/agents/0/messages:") {
			t.Errorf("the conversation is listed as lost: %v", lost)
		}
	})
	t.Run("AAIF-11-5 a call without a result is pending", func(t *testing.T) {
		_, state, _ := withRun(t, strings.Replace(talk, "%", `,{"id":"m","role":"assistant","content":null,"created_at":"2026-01-22T02:06:39Z","tool_calls":[{"id":"c3","type":"function","function":{"name":"saw","arguments":"{\"length\":2}"}}]}`, 1))
		s := aaif.ReadState(state)
		if s.Status != aaif.AwaitingToolResult || len(s.Pending) != 1 || s.Pending[0].Tool != "saw" || string(s.Pending[0].Arguments.Append(nil)) != `{"length":2}` {
			t.Errorf("got %s", state.Append(nil))
		}
	})
	t.Run("AAIF-12-3 a secret does not come along", func(t *testing.T) {
		secret := "ghp" + "_" + "k3Jx9QmZ7LpW2vRtY8bNcD4fGhS6aE1uT5oI"
		_, state, lost := withRun(t, strings.Replace(talk, "%", `,{"id":"m","role":"user","content":"Take `+secret+`."}`, 1))
		if strings.Contains(string(state.Append(nil)), secret) || !strings.Contains(fmt.Sprint(lost), "/agents/0/messages/6/content: a secret") {
			t.Errorf("got %s %v", state.Append(nil), lost)
		}
	})
	t.Run("AAIF-11-5 who said nothing has no checkpoint", func(t *testing.T) {
		if _, state, _ := withRun(t, file); state.Type() == canon.TypeUndefined {
			t.Error("the file has a conversation")
		}
		const mute = `{"agents":[{"id":"agent-0","name":"N","system":"S","messages":[{"role":"system","content":"S"}]}]}`
		if _, state, _ := withRun(t, mute); state.Type() != canon.TypeUndefined {
			t.Errorf("got %s", state.Append(nil))
		}
	})
	t.Run("AAIF-4-1 messages of any form", func(t *testing.T) {
		for _, messages := range []string{`7`, `{}`, `[1,null,{}]`, `[{"role":"user"}]`, `[{"role":"user","content":7},{"role":"x","content":"y"},{"role":"user","content":"Hi","created_at":"yesterday"}]`,
			`[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"[1"}},{"function":7},{"id":"b","function":{"name":"send_message","arguments":"{}"}}]}]`,
			`[{"role":"tool","content":"x"},{"role":"user","content":"Hi"}]`} {
			withRun(t, `{"agents":[{"id":"agent-0","name":"N","system":"S","messages":`+messages+`}]}`)
		}
	})
}
