package aaif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// cleaned returns a state with what it says put through clean.
func cleaned(state canon.Value, clean func(canon.Value) canon.Value) canon.Value {
	return cleanedAt(state, nil, func(_ []string, v canon.Value) canon.Value { return clean(v) })
}

// cleanedAt walks to the values of a state that may hold anything, and puts each through
// clean whole, so that what the name of a member says of its value is seen. What ties a
// state together stays: ids, names of tools, times, the token.
func cleanedAt(v canon.Value, at []string, clean func(at []string, v canon.Value) canon.Value) canon.Value {
	switch {
	case v.Type() == canon.TypeObject && structured(at):
		members := make([]canon.Member, 0, v.Len())
		for _, m := range v.Members() {
			inside := append(at[:len(at):len(at)], m.Name)
			switch {
			case tied(inside):
			case m.Name == "content" && len(at) == 2:
				m.Value = cleanedContent(m.Value, inside, clean)
			default:
				m = cleanedMember(m, inside, clean)
			}
			members = append(members, m)
		}
		return canon.Object(members...)
	case v.Type() == canon.TypeArray && len(at) == 1 && listed(at[0]):
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			items = append(items, cleanedAt(inner, append(at[:len(at):len(at)], strconv.Itoa(i)), clean))
		}
		return canon.Array(items...)
	}
	return clean(at, v)
}

// cleanedMember cleans a member of an object that this room knows: its value, or both
// where the name is not one of ours.
func cleanedMember(m canon.Member, at []string, clean func([]string, canon.Value) canon.Value) canon.Member {
	if structured(at) || listed(at[0]) && len(at) == 1 {
		m.Value = cleanedAt(m.Value, at, clean)
		return m
	}
	// As an object of one member, so that its name is looked at and looked into.
	if got := clean(at, canon.Object(m)).Members(); len(got) == 1 {
		return got[0]
	}
	return m
}

// cleanedContent cleans what a message or an item of memory says. Arguments and results
// are JSON: the texts inside are cleaned, however they are escaped. Where nothing is found
// it stays as it is spelled.
func cleanedContent(v canon.Value, at []string, clean func([]string, canon.Value) canon.Value) canon.Value {
	if text := strings.TrimLeft(v.Text(), " \t\r\n"); !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return clean(at, v)
	}
	said, err := FromJSON([]byte(v.Text()), ReadOptions{})
	if err != nil {
		return clean(at, v)
	}
	if got := clean(at, said); !canon.Identical(got, said) {
		return canon.String(string(got.Append(nil)))
	}
	return v
}

// listed are the lists of a state whose items are objects that this room knows.
func listed(name string) bool {
	return slices.Contains([]string{"conversation", "memory_snapshot", "pending_tool_calls", "subagent_states"}, name)
}

// structured reports whether an object at a place is one whose members this room knows.
func structured(at []string) bool {
	switch len(at) {
	case 0:
		return true
	case 1:
		return slices.Contains([]string{"pipeline_position", "approval_request", "error", "provenance"}, at[0])
	case 2:
		return listed(at[0]) || at[0] == "approval_request" && at[1] == "pending_action"
	}
	return false
}

// tied reports whether a member ties a state together, and holds nothing that anybody
// said.
func tied(at []string) bool {
	name := at[len(at)-1]
	if len(at) == 1 {
		return slices.Contains([]string{"sc_standard", "sc_version", "state_id", "agent_id", "run_id", "agent_version", "checkpoint_at", "status", "iteration"}, name)
	}
	switch name {
	case "tool_call_id", "tool_name", "role", "timestamp", "token_count", "scope", "backend", "captured_at", "ttl_remaining_seconds", "id", "status", "submitted_at",
		"alias", "agent_id", "state_id", "requested_at", "timeout_at", "occurred_at", "retries_remaining", "parallel_slot", "migration_token", "checksum":
		return true
	}
	return at[0] == "error" && name == "code"
}
