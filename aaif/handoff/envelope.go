package handoff

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// list is a list of a state that is sent item by item.
type list struct {
	member string // its name in the state
	count  string // its name in counts of the first frame
	frame  Type
}

// lists returns the lists in the order of sending.
func lists() []list {
	return []list{
		{"conversation", "messages", ContextChunk},
		{"memory_snapshot", "memory", MemoryItem},
		{"pending_tool_calls", "pending", PendingTool},
		{"subagent_states", "subagents", SubagentRef},
	}
}

// The members of a state, and of its provenance, that the first frame holds under their
// own names.
var (
	envelopeMembers   = []string{"state_id", "agent_id", "run_id", "sc_version", "agent_version", "checkpoint_at", "status", "approval_request", "error"}
	provenanceMembers = []string{"source_platform", "source_runtime_version", "captured_by", "target_platform", "migration_token"}
)

// hasPlace reports whether frames have a place for a member of a state.
func hasPlace(name string) bool {
	return name == "sc_standard" || slices.Contains(envelopeMembers, name) ||
		slices.ContainsFunc(fields(PipelineState), func(f field) bool { return f.name == name }) ||
		slices.ContainsFunc(lists(), func(l list) bool { return l.member == name })
}

// isFree reports whether frames of a type have no place for a member, so that it travels
// among their extensions. In the extensions of the first frame, provenance holds the
// additional members of the state's provenance.
func isFree(t Type, m canon.Member) bool {
	if t != Init {
		return !slices.ContainsFunc(fields(t), func(f field) bool { return f.name == m.Name })
	}
	if m.Name != "provenance" {
		return !hasPlace(m.Name)
	}
	return m.Value.Type() == canon.TypeObject && !slices.ContainsFunc(m.Value.Members(), func(m canon.Member) bool {
		return m.Name == "checksum" || slices.Contains(provenanceMembers, m.Name)
	})
}

// envelope returns the first frame of a state.
func envelope(state canon.Value) canon.Value {
	from := state.Get("provenance")
	counts := canon.Object()
	for _, l := range lists() {
		if state.Has(l.member) {
			counts = counts.With(l.count, canon.Int(int64(state.Get(l.member).Len())))
		}
	}
	said := []canon.Member{{Name: "counts", Value: counts}}
	for _, name := range envelopeMembers {
		said = append(said, canon.Member{Name: name, Value: state.Get(name)})
	}
	for _, name := range provenanceMembers {
		said = append(said, canon.Member{Name: name, Value: from.Get(name)})
	}
	return frame(Init, canon.Object(said...), rest(state))
}

// rest returns the members of a state that no frame has a place for.
func rest(state canon.Value) canon.Value {
	var more, from []canon.Member
	for _, m := range state.Members() {
		if m.Name != "provenance" && !hasPlace(m.Name) {
			more = append(more, m)
		}
	}
	for _, m := range state.Get("provenance").Members() {
		if m.Name != "checksum" && !slices.Contains(provenanceMembers, m.Name) {
			from = append(from, m)
		}
	}
	if len(from) > 0 {
		more = append(more, canon.Member{Name: "provenance", Value: canon.Object(from...)})
	}
	return canon.Object(more...)
}

// itemFrame returns the frame of an item of a list, or of the members of a pipeline.
func itemFrame(t Type, item canon.Value) canon.Value {
	var more []canon.Member
	for _, m := range item.Members() {
		if isFree(t, m) {
			more = append(more, m)
		}
	}
	return frame(t, item, canon.Object(more...))
}

// frame returns a frame of a type with the members of an object, placeholders for
// required members that are missing, and more as extensions.
func frame(t Type, said, more canon.Value) canon.Value {
	members := []canon.Member{{Name: "type", Value: canon.String(string(t))}}
	absent := canon.Array()
	for _, f := range fields(t) {
		v := said.Get(f.name)
		if f.absent && !said.Has(f.name) {
			v = placeholder(t, f)
			absent = absent.WithItem(absent.Len(), canon.String(f.name))
		}
		members = append(members, canon.Member{Name: f.name, Value: v})
	}
	if absent.Len() > 0 {
		members = append(members, canon.Member{Name: absentMember, Value: absent})
	}
	if more.Len() > 0 {
		members = append(members, canon.Member{Name: extensionMember, Value: more})
	}
	return canon.Object(members...)
}

// placeholder returns the value for a missing member. A call without a status may have
// been sent.
func placeholder(t Type, f field) canon.Value {
	switch {
	case f.kind == canon.TypeObject:
		return canon.Object()
	case f.kind == canon.TypeNumber:
		return canon.Int(0)
	case t == PendingTool:
		return canon.String("in_flight")
	}
	return canon.String("")
}

// presentMembers returns the members of the state in a frame, without the absent ones.
func presentMembers(v canon.Value) []canon.Member {
	absent := map[string]bool{}
	for _, name := range v.Get(absentMember).Items() {
		absent[name.Text()] = true
	}
	var members []canon.Member
	for _, f := range fields(Type(v.Get("type").Text())) {
		if v.Has(f.name) && !absent[f.name] {
			members = append(members, canon.Member{Name: f.name, Value: v.Get(f.name)})
		}
	}
	return members
}

// item returns the item of a frame: the reverse of itemFrame.
func item(v canon.Value) canon.Value {
	return canon.Object(append(presentMembers(v), v.Get(extensionMember).Members()...)...)
}
