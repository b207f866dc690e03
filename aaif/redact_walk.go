package aaif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

// masking puts a state through a finder: every text and number of it, and every name that
// is not one of the format.
type masking struct {
	find   finder
	counts redact.Counts
	// named finds what is a secret only for the name of its member; nil: nothing is.
	named func(name, text string) bool
	// own looks into ids that are none but look like one, for what stands there by chance.
	own    bool
	found  bool              // something was
	where  string            // the first place; "" is a place, too
	inName bool              // there, it was the name of a member
	id     string            // the first id that is to be masked, which nothing can stand for
	links  map[string]string // what stands for the names by which parts of a state refer to each other
	apart  redact.Numbering  // of those
}

func newMasking(find finder) *masking {
	return &masking{find: find, counts: redact.Counts{}, links: map[string]string{}, apart: redact.NewNumbering()}
}

// whole masks a state.
func (m *masking) whole(state canon.Value) canon.Value {
	taken(m.apart, state)
	return m.state(state, nil)
}

// state walks through a part of a state whose members this room knows.
func (m *masking) state(v canon.Value, at []string) canon.Value {
	switch {
	case v.Type() == canon.TypeObject && structured(at):
		members, apart := make([]canon.Member, 0, v.Len()), membersOf(v)
		for _, member := range v.Members() {
			inside := append(at[:len(at):len(at)], member.Name)
			if _, known := slots[path(inside)]; !known {
				member.Name = m.name(member.Name, at, apart)
				inside[len(at)] = member.Name
			}
			member.Value = m.state(member.Value, inside)
			members = append(members, member)
		}
		return canon.Object(members...)
	case v.Type() == canon.TypeArray && len(at) == 1 && listed(at[0]):
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			items = append(items, m.state(inner, append(at[:len(at):len(at)], strconv.Itoa(i))))
		}
		return canon.Array(items...)
	}
	return m.slot(v, at, slots[path(at)])
}

// slot is what the schema says of a member.
type slot struct {
	form   *pattern.Pattern // what has this form is left as it is
	number bool             // so are numbers
	linked bool             // it is a name by which parts of a state refer to each other
	id     bool             // it is an id: nothing else can take its place
	free   bool             // nothing is looked for
}

var (
	isUUID    = slot{form: pattern.New(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`), id: true}
	isTime    = slot{form: pattern.New(`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$`)}
	isVersion = slot{form: pattern.New(`^\d{1,6}\.\d{1,6}\.\d{1,6}$`)}
	isWord    = slot{form: pattern.New(`^(?:SC-006|system|user|assistant|tool|session|task|long_term|pending|in_flight|awaiting_result|running|paused|completed|failed|awaiting_approval|awaiting_tool_result|migrating)$`)}
	isCount   = slot{number: true}
	isLink    = slot{linked: true}
	isOpen    = slot{}
	isSealed  = slot{free: true}
)

// slots are the members of a state (section 8.1).
var slots = map[string]slot{
	"sc_standard": isWord, "sc_version": isVersion, "_comment": isOpen,
	"state_id": isUUID, "agent_id": isUUID, "run_id": isUUID, "agent_version": isOpen, "checkpoint_at": isTime, "status": isWord, "iteration": isCount,
	"conversation": isOpen, "memory_snapshot": isOpen, "pending_tool_calls": isOpen, "subagent_states": isOpen, "variables": isOpen,

	"pipeline_position": isOpen, "pipeline_position/current_step": isLink, "pipeline_position/completed_steps": isLink,
	"pipeline_position/remaining_steps": isLink, "pipeline_position/current_subagent": isLink, "pipeline_position/parallel_slot": isCount,

	"conversation/*/role": isWord, "conversation/*/content": isOpen, "conversation/*/tool_call_id": isLink, "conversation/*/tool_name": isLink,
	"conversation/*/token_count": isCount, "conversation/*/timestamp": isTime,

	"memory_snapshot/*/scope": isWord, "memory_snapshot/*/key": isOpen, "memory_snapshot/*/content": isOpen, "memory_snapshot/*/backend": isOpen,
	"memory_snapshot/*/captured_at": isTime, "memory_snapshot/*/ttl_remaining_seconds": isCount,

	"pending_tool_calls/*/id": isLink, "pending_tool_calls/*/tool_name": isLink, "pending_tool_calls/*/arguments": isOpen, "pending_tool_calls/*/status": isWord,
	"pending_tool_calls/*/submitted_at": isTime, "pending_tool_calls/*/callback_url": isOpen,

	"subagent_states/*/alias": isLink, "subagent_states/*/agent_id": isUUID, "subagent_states/*/state_id": isUUID, "subagent_states/*/status": isWord,
	"subagent_states/*/output": isOpen,

	"approval_request": isOpen, "approval_request/trigger_description": isOpen, "approval_request/pending_action": isOpen,
	"approval_request/pending_action/tool_name": isLink, "approval_request/pending_action/arguments": isOpen,
	"approval_request/requested_at": isTime, "approval_request/timeout_at": isTime, "approval_request/approver_hint": isOpen,

	"error": isOpen, "error/code": isOpen, "error/message": isOpen, "error/step": isLink, "error/occurred_at": isTime, "error/retries_remaining": isCount, "error/stack_trace": isOpen,

	"provenance": isOpen, "provenance/source_platform": isOpen, "provenance/source_runtime_version": isOpen, "provenance/captured_by": isOpen,
	"provenance/target_platform": isOpen, "provenance/migration_token": isSealed, "provenance/checksum": isSealed,
}

// path is where a member stands, whichever item of a list it is of.
func path(at []string) string {
	if len(at) > 1 && listed(at[0]) {
		at = slices.Clone(at)
		at[1] = "*"
	}
	return strings.Join(at, "/")
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
