package privacy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

// masker applies a finder to a state: to its texts, its numbers, and the member names
// that the format does not define.
type masker struct {
	find   finder
	counts redact.Counts
	// isNamedSecret reports whether the name of a member makes its text a secret; nil: it
	// never does.
	isNamedSecret func(name, text string) bool
	// checkIDs searches ids for secrets, too: a secret may have the form of an id.
	checkIDs bool
	found    bool              // there was a hit
	where    string            // the first place of a hit; "" is the whole document
	inName   bool              // the first hit was in the name of a member
	id       string            // the first id that has a hit; nothing can replace an id
	links    map[string]string // the replacements of the names by which parts of a state refer to each other
	apart    redact.Numbering  // keeps those replacements unique
}

func newMasker(find finder) *masker {
	return &masker{find: find, counts: redact.Counts{}, links: map[string]string{}, apart: redact.NewNumbering()}
}

// whole masks a state.
func (m *masker) whole(state canon.Value) canon.Value {
	reserveTokens(m.apart, state)
	return m.state(state, nil)
}

// state masks a part of a state whose members the format defines.
func (m *masker) state(v canon.Value, at []string) canon.Value {
	switch {
	case v.Type() == canon.TypeObject && isKnownObject(at):
		members, apart := make([]canon.Member, 0, v.Len()), memberNumbering(v)
		for _, member := range v.Members() {
			inside := append(at[:len(at):len(at)], member.Name)
			if _, known := memberRules[path(inside)]; !known {
				member.Name = m.name(member.Name, at, apart)
				inside[len(at)] = member.Name
			}
			member.Value = m.state(member.Value, inside)
			members = append(members, member)
		}
		return canon.Object(members...)
	case v.Type() == canon.TypeArray && len(at) == 1 && isObjectList(at[0]):
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			items = append(items, m.state(inner, append(at[:len(at):len(at)], strconv.Itoa(i))))
		}
		return canon.Array(items...)
	}
	return m.member(v, at, memberRules[path(at)])
}

// memberRule says how the value of a member is masked.
type memberRule struct {
	form   *pattern.Pattern // a text of this form stays as it is
	number bool             // a number stays as it is
	linked bool             // a name by which parts of a state refer to each other
	id     bool             // an id, which nothing can replace
	free   bool             // never searched
}

var (
	isUUID    = memberRule{form: pattern.New(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`), id: true}
	isTime    = memberRule{form: pattern.New(`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$`)}
	isVersion = memberRule{form: pattern.New(`^\d{1,6}\.\d{1,6}\.\d{1,6}$`)}
	isWord    = memberRule{form: pattern.New(`^(?:SC-006|system|user|assistant|tool|session|task|long_term|pending|in_flight|awaiting_result|running|paused|completed|failed|awaiting_approval|awaiting_tool_result|migrating)$`)}
	isCount   = memberRule{number: true}
	isLink    = memberRule{linked: true}
	isOpen    = memberRule{}
	isSealed  = memberRule{free: true}
)

// memberRules holds the rule of every member of a state (section 8.1).
var memberRules = map[string]memberRule{
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

// path returns the key of a member in memberRules: every item of a list has the same.
func path(at []string) string {
	if len(at) > 1 && isObjectList(at[0]) {
		at = slices.Clone(at)
		at[1] = "*"
	}
	return strings.Join(at, "/")
}

// isObjectList reports whether a member of a state is a list of objects that the format
// defines.
func isObjectList(name string) bool {
	return slices.Contains([]string{"conversation", "memory_snapshot", "pending_tool_calls", "subagent_states"}, name)
}

// isKnownObject reports whether the format defines the object at a path.
func isKnownObject(at []string) bool {
	switch len(at) {
	case 0:
		return true
	case 1:
		return slices.Contains([]string{"pipeline_position", "approval_request", "error", "provenance"}, at[0])
	case 2:
		return isObjectList(at[0]) || at[0] == "approval_request" && at[1] == "pending_action"
	}
	return false
}
