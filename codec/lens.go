package codec

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// Reconcile applies an edit to source. before renders source as it was; after renders the
// record as it is now. Reconcile finds the difference between them and makes the same
// change in source. All other parts of source keep their spelling. Residue returns by this
// rule (map again and compare): a visible edit wins, and data that nobody could see
// survives.
//
// Members that are equal in before and after keep source's spelling, and stay absent if
// source leaves them out. Members that only source has stay. Changed members take after's
// value, removed members go, and new members come last. New elements at the end of an array
// are appended to source's array. If source and before hold an array alike, elements that
// after still has keep source's spelling, also when others moved or went; elements edited
// in place are reconciled unless the array shrank. Any other array is replaced whole.
//
// It returns the changed source and the JSON Pointers of the changes. Without changes the
// result is source itself.
func Reconcile(source, before, after canon.Value) (canon.Value, []string) {
	var l lens
	return l.value(source, before, after), l.changed
}

// lens collects the pointers of changes on a walk through three trees.
type lens struct {
	path    []string // where the walk is, in source
	changed []string
}

func (l *lens) value(source, before, after canon.Value) canon.Value {
	switch {
	case canon.Identical(before, after), canon.Identical(source, after):
		return source
	case all(canon.TypeObject, source, after) && (before.Type() == canon.TypeObject || before.Type() == canon.TypeUndefined):
		return l.object(source, before, after) // before may have left it out: then all of it is source's own
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
	index []int  // position in the old array, by position in the new one; -1: a new element
	used  []bool // by position in the old array: it has a match
}

// align matches identical elements, first those in the same place.
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
