package assistants

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// piecesKey is a member of a summary: the number of pieces that follow it with the part of
// a definition. Without it the summary is all that the metadata hold.
const piecesKey = "x-aaif-pieces"

// The members of agent in a summary, as the specification's own converter names them.
const (
	theirProvider   = "model_provider"
	theirProviderID = "model_provider_id"
	theirFormat     = "response_format"
	theirTools      = "nonfunction_tools"
)

// summary returns what the specification's own converter reads of a definition beside the
// assistant's members, as much as fits in one piece beside [piecesKey].
func summary(d canon.Value) canon.Value {
	agent := d.Get("agent")
	model := agent.Get("model")
	s := canon.Object(member("sc_standard", canon.String(aaif.StandardID)))
	inner := func(v canon.Value, name string) canon.Value { return s.With("agent", s.Get("agent").With(name, v)) }
	add := func(with canon.Value) {
		if length(string(with.With(piecesKey, canon.Int(mostPieces)).Append(nil))) <= longest {
			s = with
		}
	}
	for _, name := range []string{"sc_version", "agent_id"} {
		add(s.With(name, d.Get(name)))
	}
	add(inner(model.Get("provider"), theirProvider))
	add(inner(model.Get("provider_id"), theirProviderID))
	if format := model.Get("response_format"); format.Text() != "text" {
		add(inner(format, theirFormat))
	}
	add(inner(agent.Get("goal"), "goal"))
	for _, t := range agent.Get("tools").Items() {
		if !isFunction(t) {
			had := s.Get("agent").Get(theirTools)
			add(inner(had.WithItem(had.Len(), t), theirTools))
		}
	}
	return s
}

// isSummary reports whether a part is a summary: it has members that no definition has, or
// no other members than a summary.
func isSummary(v canon.Value) bool {
	agent := v.Get("agent")
	theirs := func(name string) bool { return slices.Contains(theirMembers(), name) }
	switch {
	case v.Get("sc_standard").Text() != aaif.StandardID, agent.Has("model"), agent.Has("tools"):
		return false
	case slices.ContainsFunc(theirMembers(), agent.Has):
		return true
	}
	return !slices.ContainsFunc(agent.Members(), func(m canon.Member) bool { return m.Name != "goal" && !theirs(m.Name) }) &&
		!slices.ContainsFunc(v.Members(), func(m canon.Member) bool {
			return !slices.Contains([]string{"sc_standard", "sc_version", "agent_id", "agent"}, m.Name)
		})
}

func theirMembers() []string {
	return []string{theirProvider, theirProviderID, theirFormat, theirTools}
}

// fromSummary returns the part of a definition that a summary holds, with the members that
// a summary does not have. Another part stays as it is.
func fromSummary(v canon.Value) canon.Value {
	if !isSummary(v) {
		return v
	}
	from := v.Get("agent")
	said := func(v canon.Value) canon.Value {
		if v.Type() == canon.TypeNull {
			return canon.Value{}
		}
		return v
	}
	var agent canon.Value
	model := canon.Object(
		member("provider", said(from.Get(theirProvider))),
		member("provider_id", said(from.Get(theirProviderID))),
		member("response_format", said(from.Get(theirFormat))))
	agent = canon.Object(member("goal", said(from.Get("goal"))), member("tools", said(from.Get(theirTools))))
	if model.Len() > 0 {
		agent = agent.With("model", model)
	}
	part := canon.Object(
		member("sc_standard", v.Get("sc_standard")),
		member("sc_version", said(v.Get("sc_version"))),
		member("agent_id", said(v.Get("agent_id"))))
	return withOthers(part.With("agent", withOthers(agent, from, append(theirMembers(), "goal"))), v, []string{"sc_version", "agent_id"})
}

// withOthers adds the members of an object that it does not have, without some.
func withOthers(v, of canon.Value, without []string) canon.Value {
	for _, m := range of.Members() {
		if !v.Has(m.Name) && !slices.Contains(without, m.Name) {
			v = v.With(m.Name, m.Value)
		}
	}
	return v
}

// inSummary are the members of a definition that a part leaves out if a summary has them.
func inSummary() [][]string {
	return [][]string{{"sc_version"}, {"agent_id"}, {"agent", "goal"}, {"agent", "model", "provider"}, {"agent", "model", "provider_id"}}
}

// withoutSummary returns a part without what a summary has. Of its tools, name and protocol
// stay.
func withoutSummary(part, summary canon.Value) canon.Value {
	for _, names := range inSummary() {
		if at(summary, names...).Type() != canon.TypeUndefined {
			part = put(part, canon.Value{}, names)
		}
	}
	return eachTool(part, func(t canon.Value) canon.Value {
		if has(at(summary, "agent", "tools"), t) {
			return canon.Object(member("name", t.Get("name")), member("protocol", t.Get("protocol")))
		}
		return t
	})
}

// withSummary puts back what [withoutSummary] took.
func withSummary(part, summary canon.Value) canon.Value {
	for _, names := range inSummary() {
		if at(part, names...).Type() == canon.TypeUndefined {
			part = put(part, at(summary, names...), names)
		}
	}
	return eachTool(part, func(t canon.Value) canon.Value {
		for _, whole := range at(summary, "agent", "tools").Items() {
			if !t.Has("description") && !isFunction(t) && canon.Equal(t.Get("name"), whole.Get("name")) && canon.Equal(t.Get("protocol"), whole.Get("protocol")) {
				return whole
			}
		}
		return t
	})
}

func at(v canon.Value, names ...string) canon.Value {
	for _, name := range names {
		v = v.Get(name)
	}
	return v
}

// put sets the member at a path. An undefined value removes it, and every object on the way
// that is then empty.
func put(into, v canon.Value, names []string) canon.Value {
	if len(names) > 1 {
		if !into.Has(names[0]) && v.Type() == canon.TypeUndefined {
			return into
		}
		if v = put(into.Get(names[0]), v, names[1:]); v.Len() == 0 {
			v = canon.Value{}
		}
	}
	if v.Type() == canon.TypeUndefined {
		return into.Without(names[0])
	}
	return into.With(names[0], v)
}

// eachTool changes the tools of a part.
func eachTool(part canon.Value, change func(canon.Value) canon.Value) canon.Value {
	tools := at(part, "agent", "tools")
	if tools.Type() != canon.TypeArray {
		return part
	}
	list := make([]canon.Value, tools.Len())
	for i, t := range tools.Items() {
		list[i] = change(t)
	}
	return part.With("agent", part.Get("agent").With("tools", canon.Array(list...)))
}

// nothingCarried returns metadata that carry a definition without members.
func nothingCarried() canon.Value {
	least := canon.Object(member("sc_standard", canon.String(aaif.StandardID)))
	all, _ := metadata(least, least)
	return all
}

// enough reports whether an assistant with a summary is all of a definition, and whether
// an edit of the assistant would be noticed as with the definition's part.
func enough(v, assistant, summary canon.Value, o exchange.Options) (bool, error) {
	if v.Get("provenance").Get("signature").Text() != "" {
		return false, nil
	}
	meta, _ := metadata(summary, canon.Value{})
	back, _, err := From(assistant.With("metadata", meta), o)
	if err != nil {
		return false, err
	}
	return canon.Identical(v, back.Document()) && rest(v, back.Document()).Len() == 1, nil
}

// lossUnread ends the reason of members that a summary has no room for.
const lossUnread = "; the specification's own converter does not read it, as x-aaif has no room for it"

// unread marks the carried members that the specification's own converter would read in a
// summary, if they were in it.
func unread(carried []codec.Loss, v, summary canon.Value) []codec.Loss {
	for i, l := range carried {
		value, _ := v.At(l.Pointer)
		gone := false
		switch names := strings.Split(strings.TrimPrefix(l.Pointer, "/"), "/"); {
		case slices.Contains([]string{"/agent/goal", "/agent/model/provider", "/agent/model/provider_id"}, l.Pointer):
			gone = at(summary, names...).Type() == canon.TypeUndefined
		case l.Pointer == "/agent/tools":
			gone = slices.ContainsFunc(value.Items(), func(t canon.Value) bool { return isUnread(t, summary) })
		case len(names) == 3 && names[1] == "tools":
			gone = isUnread(value, summary)
		}
		if gone {
			carried[i].Reason += lossUnread
		}
	}
	return carried
}

// isUnread reports whether a tool is no function, and not in a summary.
func isUnread(tool, summary canon.Value) bool {
	return !isFunction(tool) && !has(at(summary, "agent", "tools"), tool)
}

func has(list, v canon.Value) bool {
	return slices.ContainsFunc(list.Items(), func(item canon.Value) bool { return canon.Identical(item, v) })
}
