package agent

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// changesOf returns what two trees hold differently, in the order of the second; what is
// gone comes where it stood. Numbers are compared by value, members whatever their order.
func changesOf(one, other canon.Value) []agentChange {
	var w differ
	w.walk(one, other, nil)
	return w.found
}

// differ collects changes.
type differ struct{ found []agentChange }

func (w *differ) add(change aaif.How, at []string, one, other canon.Value) {
	w.found = append(w.found, agentChange{Pointer: canon.Pointer(at...), Change: change, A: rawValue(one), B: rawValue(other)})
}

func (w *differ) walk(one, other canon.Value, at []string) {
	switch {
	case canon.Identical(one, other):
	case one.Type() == canon.TypeObject && other.Type() == canon.TypeObject:
		w.members(one, other, at)
	case one.Type() == canon.TypeArray && other.Type() == canon.TypeArray:
		w.items(one, other, at)
	default:
		w.add(aaif.Changed, at, one, other)
	}
}

func (w *differ) members(one, other canon.Value, at []string) {
	mine, theirs := membersOf(one), membersOf(other)
	for _, m := range one.Members() {
		inner := append(slices.Clone(at), m.Name)
		v, there := theirs[m.Name]
		if !there {
			w.add(aaif.Removed, inner, m.Value, canon.Value{})
			continue
		}
		w.walk(m.Value, v, inner)
	}
	for _, m := range other.Members() {
		if _, there := mine[m.Name]; !there {
			w.add(aaif.Added, append(slices.Clone(at), m.Name), canon.Value{}, m.Value)
		}
	}
}

// membersOf returns the members of an object by their names.
func membersOf(object canon.Value) map[string]canon.Value {
	all := make(map[string]canon.Value, object.Len())
	for _, m := range object.Members() {
		all[m.Name] = m.Value
	}
	return all
}

// items compares lists: what has a name is held against what has the same, texts and
// numbers against what is equal, all else against what stands at the same place.
func (w *differ) items(one, other canon.Value, at []string) {
	mine, theirs := named(one), named(other)
	if mine == nil || theirs == nil {
		w.places(one, other, at)
		return
	}
	var kept, places []int
	for i, name := range mine {
		j := slices.Index(theirs, name)
		if j < 0 {
			w.add(aaif.Removed, append(slices.Clone(at), strconv.Itoa(i)), one.Items()[i], canon.Value{})
			continue
		}
		kept, places = append(kept, i), append(places, j)
		w.walk(one.Items()[i], other.Items()[j], append(slices.Clone(at), strconv.Itoa(j)))
	}
	for j, name := range theirs {
		if !slices.Contains(mine, name) {
			w.add(aaif.Added, append(slices.Clone(at), strconv.Itoa(j)), canon.Value{}, other.Items()[j])
		}
	}
	for n, j := range slices.Sorted(slices.Values(places)) {
		if places[n] != j {
			w.add(aaif.Moved, append(slices.Clone(at), strconv.Itoa(places[n])), one.Items()[kept[n]], other.Items()[places[n]])
		}
	}
}

func (w *differ) places(one, other canon.Value, at []string) {
	mine, theirs := one.Items(), other.Items()
	for i := range max(len(mine), len(theirs)) {
		inner := append(slices.Clone(at), strconv.Itoa(i))
		switch {
		case i >= len(theirs):
			w.add(aaif.Removed, inner, mine[i], canon.Value{})
		case i >= len(mine):
			w.add(aaif.Added, inner, canon.Value{}, theirs[i])
		default:
			w.walk(mine[i], theirs[i], inner)
		}
	}
}

// mostByName bounds how long lists may be whose items are held against each other by name.
const mostByName = 2000

// named returns the names of the items of a list, and nil where they do not tell them
// apart.
func named(list canon.Value) []string {
	if list.Len() > mostByName {
		return nil
	}
	names := make([]string, 0, list.Len())
	seen := map[string]bool{}
	for _, v := range list.Items() {
		name := nameOf(v)
		if name == "" || seen[name] {
			return nil
		}
		seen[name] = true
		names = append(names, name)
	}
	return names
}

// nameOf returns what an item of a list is known by.
func nameOf(v canon.Value) string {
	switch v.Type() {
	case canon.TypeString, canon.TypeNumber:
		return string(v.AppendCanonical(nil))
	case canon.TypeObject:
		for _, by := range [][]string{{"name"}, {"alias"}, {"ref"}, {"id"}, {"target_agent"}, {"scope", "key"}, {"provider", "model"}, {"type", "value"}, {"type", "event_name"}, {"type", "schedule"}} {
			if name := joinedNames(v, by); name != "" {
				return name
			}
		}
	}
	return ""
}

// joinedNames returns the texts of members as one name, and "" where one is missing.
func joinedNames(v canon.Value, members []string) string {
	var name []byte
	for _, m := range members {
		if v.Get(m).Type() != canon.TypeString {
			return ""
		}
		name = v.Get(m).AppendCanonical(name)
	}
	return string(name)
}
