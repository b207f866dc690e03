package handoff

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// state joins all frames to the state, and verifies its checksum (AAIF-8.3-9). A sender
// may count 0 for a list that its state does not have, or omit the count of an empty
// list. The checksum tells which lists without items the state has.
func (t *receiver) state() (canon.Value, error) {
	v, none, err := t.rebuild()
	if err != nil {
		return canon.Value{}, err
	}
	if err = aaif.VerifyChecksum(v); err == nil {
		return v, nil
	}
	for there := range 1 << len(none) {
		other := v
		for i, member := range none {
			if other = other.Without(member); there>>i&1 == 1 {
				other = other.With(member, canon.Array())
			}
		}
		if aaif.VerifyChecksum(other) == nil {
			return other, nil
		}
	}
	return canon.Value{}, err
}

// rebuild joins all frames to the state, and names its lists without items.
func (t *receiver) rebuild() (v canon.Value, none []string, err error) {
	members := []canon.Member{text("sc_standard", "SC-006")}
	var from []canon.Member
	for _, m := range presentMembers(t.init) {
		switch {
		case slices.Contains(envelopeMembers, m.Name):
			members = append(members, m)
		case slices.Contains(provenanceMembers, m.Name):
			from = append(from, m)
		}
	}
	if t.pipeline.Type() != canon.TypeUndefined {
		members = append(members, presentMembers(t.pipeline)...)
	}
	for _, l := range lists() {
		items, err := t.list(l)
		if err != nil {
			return canon.Value{}, nil, err
		}
		if len(items) == 0 {
			none = append(none, l.member)
		}
		if t.init.Get("counts").Has(l.count) || len(items) > 0 {
			members = append(members, canon.Member{Name: l.member, Value: canon.Array(items...)})
		}
	}
	for _, m := range t.init.Get(extensionMember).Members() {
		if m.Name == "provenance" {
			from = append(from, m.Value.Members()...)
			continue
		}
		members = append(members, m)
	}
	from = append(from, text("checksum", t.sum))
	return canon.Object(append(members, canon.Member{Name: "provenance", Value: canon.Object(from...)})...), none, nil
}

// list returns the items of a list in order of arrival.
func (t *receiver) list(l list) ([]canon.Value, error) {
	var items []canon.Value
	for i, line := range t.raw[l.frame] {
		v, err := aaif.FromJSON(line, aaif.ReadOptions{Bytes: int64(t.Line), Depth: t.Depth, Values: t.Values})
		if err != nil {
			return nil, err // impossible: it was read before
		}
		t.raw[l.frame][i] = nil
		if l.frame == ContextChunk {
			items = append(items, v.Get("messages").Items()...)
		} else {
			items = append(items, item(v))
		}
	}
	if n := t.init.Get("counts").Get(l.count); n.Type() != canon.TypeUndefined && n.Float() != float64(len(items)) {
		return nil, refusal(aaif.ProtocolError, "8.3-11", "line 1 /counts/"+l.count, "another number of items came")
	}
	return items, nil
}

// count returns the number of values in a value.
func count(v canon.Value) int {
	n := 1
	for _, inner := range v.Items() {
		n += count(inner)
	}
	for _, m := range v.Members() {
		n += count(m.Value)
	}
	return n
}

// lineError says why a line is no frame, and where.
func lineError(err error, where string) error {
	p, ok := errors.AsType[*codec.ParseError](err)
	if !ok {
		return err
	}
	if p.Path != "" {
		where += " " + p.Path
	}
	code, rule := aaif.CodeOf(err), "8.3-1"
	switch code {
	case aaif.NotJSON:
		code = aaif.BadFrame
	case aaif.TooLarge:
		rule = "8.3-12"
	}
	return refusal(code, rule, where, p.Err.Error())
}
