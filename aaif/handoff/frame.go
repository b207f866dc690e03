package handoff

import (
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// MediaType is the media type of a stream of frames. It has no parameters (AAIF-13.1-1).
const MediaType = "application/x-aaif-handoff+ndjson"

//go:embed schema/handoff-frame.schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of a frame.
func Schema() []byte { return slices.Clone(schema) }

// Type is the type of a frame (AAIF-8.3-2).
type Type string

// The eight types. Init comes first and once, complete or error last.
const (
	Init          Type = "handoff_init"     // the token, and the state without its lists
	ContextChunk  Type = "context_chunk"    // some messages of the conversation
	MemoryItem    Type = "memory_item"      // one item of memory_snapshot
	PipelineState Type = "pipeline_state"   // position, variables, iteration
	PendingTool   Type = "pending_tool"     // one of pending_tool_calls
	SubagentRef   Type = "subagent_ref"     // one of subagent_states
	Complete      Type = "handoff_complete" // the checksum of the whole state
	Error         Type = "handoff_error"    // the sender gives up
)

// field is a member of a frame.
type field struct {
	name string
	kind canon.Type
	must bool
	// absent means that the frame needs the member and the state does not: without it, the
	// frame lists the member as absent.
	absent bool
}

// Additional members that make a frame exact: absent lists required members that the
// state does not have, and extensions holds members that the frame has no place for.
const (
	absentMember    = "absent"
	extensionMember = "extensions"
)

// fields returns the members of frames of a type, nil for an unknown type.
func fields(t Type) []field {
	const text, object, list, number = canon.TypeString, canon.TypeObject, canon.TypeArray, canon.TypeNumber
	switch t {
	case Init:
		return []field{{"state_id", text, true, false}, {"agent_id", text, true, false}, {"run_id", text, true, true}, {"source_platform", text, true, true},
			{"migration_token", text, true, false}, {"sc_version", text, false, false}, {"agent_version", text, false, false}, {"checkpoint_at", text, false, false},
			{"status", text, false, false}, {"source_runtime_version", text, false, false}, {"captured_by", text, false, false},
			{"target_platform", text, false, false}, {"approval_request", object, false, false}, {"error", object, false, false}, {"counts", object, false, false}}
	case ContextChunk:
		return []field{{"index", number, true, false}, {"messages", list, true, false}}
	case MemoryItem:
		return []field{{"scope", text, true, false}, {"key", text, true, false}, {"content", text, true, false}, {"backend", text, false, false},
			{"captured_at", text, false, false}, {"ttl_remaining_seconds", number, false, false}}
	case PipelineState:
		return []field{{"pipeline_position", object, true, true}, {"variables", object, true, true}, {"iteration", number, true, true}}
	case PendingTool:
		return []field{{"id", text, true, false}, {"tool_name", text, true, false}, {"arguments", object, true, false}, {"status", text, true, true},
			{"submitted_at", text, false, false}, {"callback_url", text, false, false}}
	case SubagentRef:
		return []field{{"alias", text, true, false}, {"agent_id", text, true, false}, {"state_id", text, true, true}, {"status", text, false, false},
			{"output", canon.TypeUndefined, false, false}} // any type
	case Complete:
		return []field{{"checksum", text, true, false}}
	case Error:
		return []field{{"code", text, true, false}, {"message", text, true, false}}
	}
	return nil
}

// mayBeExact reports whether frames of a type may have a member that makes them exact.
func mayBeExact(t Type, member string) bool {
	switch member {
	case absentMember:
		return slices.ContainsFunc(fields(t), func(f field) bool { return f.absent })
	case extensionMember:
		return t == Init || t == MemoryItem || t == PendingTool || t == SubagentRef
	}
	return false
}

// checkFrame refuses a frame that does not follow its type (AAIF-U.S-1). where is its
// line.
func checkFrame(v canon.Value, where string) error {
	t := Type(v.Get("type").Text())
	list := fields(t)
	switch {
	case v.Type() != canon.TypeObject || v.Get("type").Type() != canon.TypeString:
		return refusal(aaif.BadFrame, "8.3-1", where, "no object with a type")
	case list == nil:
		return refusal(aaif.UnknownType, "8.3-2", where, "a frame of a type that is none of the eight")
	}
	for _, f := range list {
		if err := f.check(v, where); err != nil {
			return err
		}
	}
	for _, m := range v.Members() {
		known := m.Name == "type" || slices.ContainsFunc(list, func(f field) bool { return f.name == m.Name })
		if !known && !mayBeExact(t, m.Name) {
			return refusal(aaif.BadFrame, "8.3-2", where+" "+canon.Pointer(m.Name), "a member that frames of this type do not have")
		}
	}
	return checkExact(v, t, where)
}

func (f field) check(v canon.Value, where string) error {
	m, where := v.Get(f.name), where+" "+canon.Pointer(f.name)
	n := m.Float()
	switch {
	case !v.Has(f.name) && !f.must:
		return nil
	case !v.Has(f.name):
		return refusal(aaif.BadFrame, "U.S-1", where, "required")
	case f.kind != canon.TypeUndefined && m.Type() != f.kind:
		return refusal(aaif.BadFrame, "U.S-1", where, fmt.Sprintf("is of type %s; wanted: %s", m.Type(), f.kind))
	case f.kind == canon.TypeNumber && (n != math.Trunc(n) || f.name != "ttl_remaining_seconds" && n < 0):
		return refusal(aaif.BadFrame, "U.S-1", where, "is no whole number, or less than 0")
	case f.name == "messages":
		return checkMessages(m, where)
	case f.name == "counts":
		return checkCounts(m, where)
	}
	return nil
}

func checkMessages(list canon.Value, where string) error {
	for i, m := range list.Items() {
		if m.Get("role").Type() != canon.TypeString || m.Get("content").Type() != canon.TypeString {
			return refusal(aaif.BadFrame, "8.3-4", fmt.Sprintf("%s/%d", where, i), "no message with a role and a content")
		}
	}
	return nil
}

func checkCounts(v canon.Value, where string) error {
	for _, m := range v.Members() {
		n := m.Value.Float()
		if !slices.ContainsFunc(lists(), func(l list) bool { return l.count == m.Name }) || m.Value.Type() != canon.TypeNumber || n < 0 || n != math.Trunc(n) {
			return refusal(aaif.BadFrame, "8.3-11", where+canon.Pointer(m.Name), "no count of a list")
		}
	}
	return nil
}

// checkExact checks the members that make a frame exact.
func checkExact(v canon.Value, t Type, where string) error {
	absent, more := v.Get(absentMember), v.Get(extensionMember)
	if v.Has(absentMember) && absent.Type() != canon.TypeArray || v.Has(extensionMember) && more.Type() != canon.TypeObject {
		return refusal(aaif.BadFrame, "8.3-11", where, "absent is no list, or extensions no object")
	}
	for i, name := range absent.Items() {
		if !slices.ContainsFunc(fields(t), func(f field) bool { return f.absent && f.name == name.Text() }) {
			return refusal(aaif.BadFrame, "8.3-11", fmt.Sprintf("%s /%s/%d", where, absentMember, i), "nothing that a state may do without")
		}
	}
	for _, m := range more.Members() {
		if !isFree(t, m) {
			return refusal(aaif.BadFrame, "8.3-11", where+" "+canon.Pointer(extensionMember, m.Name), "a member that has its place elsewhere")
		}
	}
	return nil
}

// refusal returns a refusal. Its path is the line and a pointer into it.
func refusal(code aaif.Code, rule, where, text string) *codec.ParseError {
	return aaif.Violation("aaif", code, rule, where, "%s", text)
}
