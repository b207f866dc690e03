package aaifsuite

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// newID returns a random id.
func (r *run) newID() (string, error) { return aaif.NewID(r.Random) }

// text returns an object from pairs of names and texts.
func text(pairs ...string) canon.Value {
	var members []canon.Member
	for i := 0; i+1 < len(pairs); i += 2 {
		members = append(members, canon.Member{Name: pairs[i], Value: canon.String(pairs[i+1])})
	}
	return canon.Object(members...)
}

// list returns an array of strings.
func list(items ...string) canon.Value {
	values := make([]canon.Value, len(items))
	for i, item := range items {
		values[i] = canon.String(item)
	}
	return canon.Array(values...)
}

// set sets a member below objects, and makes missing objects.
func set(v canon.Value, pointer string, to canon.Value) canon.Value {
	name, rest, more := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if v.Type() != canon.TypeObject {
		v = canon.Object()
	}
	if more {
		to = set(v.Get(name), rest, to)
	}
	return v.With(name, to)
}

// definition returns the smallest definition with a provenance, under an id.
func (r *run) definition(id string) canon.Value {
	v := text("sc_standard", "SC-006", "sc_version", "3.4.0", "agent_id", id)
	v = v.With("agent", text("name", "Conformance "+r.nonce, "goal", "Be taken in, and be looked at."))
	return v.With("provenance", text("authored_by", r.Issuer, "source_platform", r.Issuer))
}

// at gives a definition a safety level and required capabilities.
func at(v canon.Value, safety string, capabilities ...string) canon.Value {
	if safety != "" {
		v = set(v, "/agent/compliance/safety_level", canon.String(safety))
	}
	if len(capabilities) > 0 {
		v = set(v, "/agent/required_capabilities", list(capabilities...))
	}
	return v
}

// state returns a checkpoint of the agent without token and checksum. It has an item of each
// list, members that only this run knows, and ids of its own.
func (r *run) state() (canon.Value, error) {
	id, err := r.newID()
	if err != nil {
		return canon.Value{}, err
	}
	runID, err := r.newID()
	if err != nil {
		return canon.Value{}, err
	}
	r.serial++
	now := r.Now().UTC().Truncate(time.Second).Format(time.RFC3339)
	v := text("sc_standard", "SC-006", "sc_version", "3.0.0", "state_id", id, "agent_id", r.agentID, "run_id", runID, "checkpoint_at", now, "status", "paused")
	v = v.With("x-conformance", canon.Array(canon.Number(1.5), canon.Null(), text("of", r.nonce))).With("iteration", canon.Int(int64(r.serial)))
	v = v.With("pipeline_position", text("current_step", "book").With("completed_steps", list("read")).With("remaining_steps", list("send")))
	v = v.With("conversation", canon.Array(text("role", "system", "content", "Book every receipt once."), text("role", "user", "content", "Book number 1."),
		text("role", "assistant", "content", "Number 1 is booked.")))
	v = v.With("memory_snapshot", canon.Array(text("scope", "task", "key", "company", "content", "Acme Ltd")))
	v = v.With("pending_tool_calls", canon.Array(text("id", "call_2", "tool_name", "book_receipt", "status", "pending").With("arguments", text("receipt_id", "2"))))
	v = v.With("variables", text("count", "3"))
	return v.With("provenance", text("source_platform", r.Issuer)), nil
}
