package aaiftest

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// AgentID is the agent id of [Definition]; StateID and RunID are those of [Checkpoint].
const (
	AgentID = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	StateID = "d7e8f9a0-1234-4000-8000-000000000001"
	RunID   = "e8f9a0b1-1234-4000-8000-000000000002"
)

// Noon is an arbitrary time.
func Noon() time.Time { return time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC) }

// Manifest returns the manifest of a platform that calls functions and keeps states.
func Manifest(name string) aaif.Manifest {
	m := aaif.Manifest{Standard: "SC-006", Version: "3.4.0"}
	m.Platform = aaif.Platform{Name: name, Version: "1.0", Level: "Core", Versions: []string{"3.4.0"}, IssuedAt: Noon(), ExpiresAt: Noon().Add(time.Hour)}
	m.Platform.Capabilities.Tool.Function = true
	m.Platform.Capabilities.State = aaif.StateGroup{Checkpoint: true, StreamingHandoff: true}
	return m
}

// Definition returns a definition with an id, or without one if id is empty, a safety
// level, and required capabilities.
func Definition(id, safety string, capabilities ...string) []byte {
	v := parse(`{"sc_standard":"SC-006","agent":{"name":"Bookkeeper","goal":"Book every receipt once."}}`)
	if id != "" {
		v = v.With("agent_id", canon.String(id))
	}
	agent := v.Get("agent")
	if safety != "" {
		agent = agent.With("compliance", canon.Object(canon.Member{Name: "safety_level", Value: canon.String(safety)}))
	}
	if len(capabilities) > 0 {
		var list []canon.Value
		for _, c := range capabilities {
			list = append(list, canon.String(c))
		}
		agent = agent.With("required_capabilities", canon.Array(list...))
	}
	return v.With("agent", agent).Append(nil)
}

// Checkpoint returns a state with a conversation, memory, a pending call, a pending
// approval and unknown members, but without token and checksum.
func Checkpoint() canon.Value {
	return parse(`{
  "sc_standard": "SC-006", "sc_version": "3.0.0", "_comment": "made up", "x-acme": [1.0, {"a": null}],
  "state_id": "` + StateID + `", "agent_id": "` + AgentID + `", "run_id": "` + RunID + `",
  "agent_version": "1.2.0", "checkpoint_at": "2026-06-10T09:17:43Z", "status": "awaiting_approval", "iteration": 3,
  "pipeline_position": {"current_step": "book", "completed_steps": ["read"], "remaining_steps": ["send"]},
  "conversation": [
    {"role": "system", "content": "Book every receipt once."},
    {"role": "user", "content": "Book number 1.", "token_count": 4, "timestamp": "2026-06-10T09:17:00Z"},
    {"role": "assistant", "content": "{\"receipt_id\":\"1\"}", "tool_call_id": "call_1", "tool_name": "book_receipt"},
    {"role": "tool", "content": "booked", "tool_call_id": "call_1", "tool_name": "book_receipt"}
  ],
  "memory_snapshot": [{"scope": "long_term", "key": "company", "content": "Acme Ltd", "backend": "sqlite", "ttl_remaining_seconds": 0}],
  "pending_tool_calls": [{"id": "call_2", "tool_name": "book_receipt", "arguments": {"receipt_id": "2"}, "status": "in_flight"}],
  "subagent_states": [{"alias": "reader", "agent_id": "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a02", "state_id": "d7e8f9a0-1234-4000-8000-000000000003", "status": "running"}],
  "variables": {"count": "3", "deep": {"a": 1}},
  "approval_request": {"trigger_description": "a write", "pending_action": {"tool_name": "book_receipt", "arguments": {"receipt_id": "2"}}, "requested_at": "2026-06-10T09:17:41Z"},
  "provenance": {"source_platform": "source.example"}
}`)
}

// Long returns a checkpoint with a number of memory items.
func Long(items int) canon.Value {
	list := make([]canon.Value, items)
	for i := range list {
		list[i] = canon.Object(canon.Member{Name: "scope", Value: canon.String("task")}, canon.Member{Name: "key", Value: canon.String(fmt.Sprintf("k%d", i))},
			canon.Member{Name: "content", Value: canon.String(strings.Repeat("memory ", 100))})
	}
	return Checkpoint().With("memory_snapshot", canon.Array(list...))
}

// parse reads the JSON texts of this package.
func parse(text string) canon.Value {
	v, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{})
	if err != nil {
		return canon.Value{} // impossible
	}
	return v
}

// Source is a platform that sends runs.
type Source struct {
	Name string
	Key  keys.Private
	Now  func() time.Time
}

// NewSource returns a source, and makes a platform trust its key.
func NewSource(name string, p *Platform) (*Source, error) {
	seed := make([]byte, 32)
	copy(seed, name)
	key, err := keys.FromSeed(seed)
	if err != nil {
		return nil, err
	}
	p.Trusted[name] = key
	return &Source{Name: name, Key: key, Now: p.Now}, nil
}

// Token returns a token for a state, valid for 10 minutes at a platform. id is its jti.
func (s *Source) Token(state canon.Value, to, id string) (string, error) {
	t := aaif.Token{ID: id, Issuer: s.Name, Audience: to, IssuedAt: s.Now(), Expires: s.Now().Add(10 * time.Minute)}
	return aaif.IssueToken(t.For(state), s.Key, "key-1")
}

// Ready returns a state with a token and a checksum.
func (s *Source) Ready(state canon.Value, to, id string) (canon.Value, error) {
	token, err := s.Token(state, to, id)
	if err != nil {
		return canon.Value{}, err
	}
	return aaif.WithToken(state, token), nil
}
