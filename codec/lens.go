package codec

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// Reconcile puts what was edited into source: what differs between before, the
// rendering of what source said, and after, the rendering of what is to be said
// now. Everything else of source stays as it is spelled there. This is the rule
// by which residue comes back (re-map and compare): an edit that can be seen
// wins, what nobody could see survives.
//
// Members equal in before and after keep source's spelling, and stay absent
// where source leaves them out; members that only source has stay; changed ones
// take after's value; removed ones go; new ones come last. Of arrays: new
// elements at the end are appended to source's; in arrays that source and
// before hold alike, elements that after still has keep source's spelling, also
// when others moved or went, and elements edited in their place are reconciled
// unless the array shrank; any other array is replaced whole.
//
// It returns what source has become and the JSON Pointers of what was put in or
// taken out; without any, the result is source itself.
func Reconcile(source, before, after canon.Value) (canon.Value, []string) {
	var l lens
	return l.value(source, before, after), l.changed
}

// lens gathers the pointers of what changes on a walk through three trees.
type lens struct {
	path    []string // where the walk is, in source
	changed []string
}

func (l *lens) value(source, before, after canon.Value) canon.Value {
	switch {
	case canon.Identical(before, after), canon.Identical(source, after):
		return source
	case all(canon.TypeObject, source, after) && (before.Type() == canon.TypeObject || before.Type() == canon.TypeUndefined):
		return l.object(source, before, after) // before may have hidden it: then all of it is source's own
	case all(canon.TypeArray, source, before, after):
		return l.array(source, before, after)
	}
	l.note()
	return after
}

func all(t canon.Type, values ...canon.Value) bool {
	return !slices.ContainsFunc(values, func(v canon.Value) bool { return v.Type() != t })
}

// note records the present place as changed.
func (l *lens) note() { l.changed = append(l.changed, canon.Pointer(l.path...)) }

// within runs step one level down.
func (l *lens) within(name string, step func()) {
	l.path = append(l.path, name)
	step()
	l.path = l.path[:len(l.path)-1]
}

func (l *lens) object(source, before, after canon.Value) canon.Value {
	was, is, has := byName(before), byName(after), byName(source)
	members := make([]canon.Member, 0, source.Len()+1)
	for _, m := range source.Members() {
		old, shown := was[m.Name]
		now, stays := is[m.Name]
		l.within(m.Name, func() {
			if stays {
				m.Value = l.value(m.Value, old, now)
			}
			if shown && !stays {
				l.note()
				return
			}
			members = append(members, m)
		})
	}
	for _, m := range after.Members() {
		if _, ok := has[m.Name]; ok || canon.Identical(was[m.Name], m.Value) {
			continue
		}
		l.within(m.Name, l.note)
		members = append(members, m)
	}
	return canon.Object(members...)
}

func (l *lens) array(source, before, after canon.Value) canon.Value {
	kept, was, is := source.Items(), before.Items(), after.Items()
	if len(is) >= len(was) && slices.EqualFunc(was, is[:len(was)], canon.Identical) {
		added := is[len(was):]
		for i := range added {
			l.within(strconv.Itoa(len(kept)+i), l.note)
		}
		return canon.Array(slices.Concat(kept, added)...)
	}
	if len(kept) != len(was) {
		l.note()
		return after
	}
	from := align(was, is)
	if len(is) != len(was) || from.moved() {
		l.note()
	}
	inPlace := len(is) == len(was) || len(is) > len(was) && !from.moved()
	made := slices.Clone(is)
	for i := range made {
		switch {
		case from.index[i] >= 0:
			made[i] = kept[from.index[i]]
		case inPlace && i < len(was) && !from.used[i]:
			l.within(strconv.Itoa(i), func() { made[i] = l.value(kept[i], was[i], is[i]) })
		}
	}
	return canon.Array(made...)
}

// alignment says which element of one array each element of another was.
type alignment struct {
	index []int  // by position in the new array; -1: it was none
	used  []bool // by position in the old array
}

// align matches elements that are identical, first those that kept their place.
func align(was, is []canon.Value) alignment {
	from := alignment{index: make([]int, len(is)), used: make([]bool, len(was))}
	for i := range is {
		from.index[i] = -1
		if i < len(was) && canon.Identical(was[i], is[i]) {
			from.index[i], from.used[i] = i, true
		}
	}
	free := map[string][]int{}
	for i, v := range was {
		if !from.used[i] {
			key := string(v.AppendCanonical(nil))
			free[key] = append(free[key], i)
		}
	}
	for i, v := range is {
		if from.index[i] >= 0 {
			continue
		}
		key := string(v.AppendCanonical(nil))
		if c := free[key]; len(c) > 0 && canon.Identical(was[c[0]], v) {
			from.index[i], from.used[c[0]], free[key] = c[0], true, c[1:]
		}
	}
	return from
}

// moved reports whether an element has changed its place.
func (a alignment) moved() bool {
	for i, from := range a.index {
		if from >= 0 && from != i {
			return true
		}
	}
	return false
}

func byName(v canon.Value) map[string]canon.Value {
	members := make(map[string]canon.Value, v.Len())
	for _, m := range v.Members() {
		members[m.Name] = m.Value
	}
	return members
}
