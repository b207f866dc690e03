package assistants

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// hiddenTools returns what the assistant does not show of a definition's tools: the name
// and the differences of a visible tool, and all of any other. It returns nothing if all
// are visible unchanged, unless names is set.
func hiddenTools(tools, seen canon.Value, names bool) canon.Value {
	if canon.Identical(tools, seen) && tools.Type() == seen.Type() && !names {
		return canon.Value{}
	}
	byName := map[string]canon.Value{}
	for _, t := range seen.Items() {
		byName[t.Get("name").Text()] = t
	}
	list := make([]canon.Value, 0, tools.Len())
	for _, t := range tools.Items() {
		name := t.Get("name").Text()
		if was, ok := byName[name]; ok && isFunction(t) && canon.Equal(was.Get("description"), t.Get("description")) {
			t = without(t, was).With("name", t.Get("name"))
			delete(byName, name)
		}
		list = append(list, t)
	}
	if tools.Type() == canon.TypeUndefined {
		return canon.Value{}
	}
	return canon.Array(list...)
}

// tools takes the assistant's tools and the carried ones, in the definition's order. A
// tool that is carried by name only belongs to the assistant, and is gone if the
// assistant no longer has it.
func (r *reader) tools() {
	list := r.root.Get("tools")
	var shown []exchange.Place
	for _, t := range list.Items() {
		switch kind := t.Get("type"); {
		case kind.Peek() == "function" && t.Get("function").Get("name").Peek() != "":
			kind.Skip()
			shown = append(shown, t.Get("function"))
		case kind.Peek() == "code_interpreter" || kind.Peek() == "file_search" || kind.Peek() == "retrieval":
			t.Lose("a tool of OpenAI's own, which is not mapped to anything")
		}
	}
	had := r.draft.Get("agent", "tools")
	r.draft.Remove("agent", "tools")
	if r.theirs {
		r.theirTools(shown, had)
		return
	}
	if had.Type() != canon.TypeUndefined && (had.Len() == 0 || had.Type() != canon.TypeArray) {
		r.draft.Set(had, "agent", "tools")
	}
	byName := map[string]int{}
	for i, p := range slices.Backward(shown) {
		byName[p.Get("name").Peek()] = i
	}
	used := map[int]bool{}
	for _, t := range had.Items() {
		if t.Has("description") || !isFunction(t) {
			r.draft.AddTool(t)
			continue
		}
		if i, ok := byName[t.Get("name").Text()]; ok && !used[i] {
			used[i] = true
			r.draft.Function(shown[i], t.Without("name").Without("description").Members()...)
		} else if !ok {
			r.noteGone(t)
		}
	}
	for i, p := range shown {
		if !used[i] {
			r.draft.Function(p)
		}
	}
}

// theirTools takes the functions of an assistant, and then the other tools that a summary
// carries.
func (r *reader) theirTools(shown []exchange.Place, others canon.Value) {
	for _, p := range shown {
		r.draft.Function(p, member("protocol", canon.String(string(aaif.FunctionTool))))
	}
	for _, t := range others.Items() {
		r.draft.AddTool(t)
	}
}
