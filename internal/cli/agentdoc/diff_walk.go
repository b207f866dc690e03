package agentdoc

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// changesOf returns the differences of two trees in the order of the second, with removed
// members at their old places. It compares numbers by value, and ignores the order of
// members.
func changesOf(one, other canon.Value) []agentChange {
	var w differ
	w.walk(one, other, nil)
	return w.found
}

// differ collects changes.
type differ struct{ found []agentChange }

func (w *differ) add(change aaif.ChangeKind, at []string, one, other canon.Value) {
	w.found = append(w.found, agentChange{Pointer: canon.Pointer(at...), Change: change, A: RawValue(one), B: RawValue(other)})
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

// items compares lists. It matches named items by name, texts and numbers by value, and
// all others by place.
func (w *differ) items(one, other canon.Value, at []string) {
	mine, theirs := itemNames(one), itemNames(other)
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

// mostByName is the most items of a list that are matched by name.
const mostByName = 2000

// itemNames returns the names of a list's items, nil if they are not unique.
func itemNames(list canon.Value) []string {
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

// nameOf returns the identifying name of an item.
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

// joinedNames joins the texts of members to one name, "" if one is missing.
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
