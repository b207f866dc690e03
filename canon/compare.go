package canon

import "math"

// Equal reports whether a and b have the same canonical form: the order of
// members and the spelling of numbers do not matter.
func Equal(a, b Value) bool { return equal(a, b, equalNumbers) }

// Identical is Equal, except that integers beyond 2^53, which a canonical form
// rounds, must agree in every digit.
func Identical(a, b Value) bool { return equal(a, b, identicalNumbers) }

func equal(a, b Value, numbers func(a, b Value) bool) bool {
	if a.typ != b.typ || a.Len() != b.Len() {
		return false
	}
	switch a.typ {
	case TypeBool:
		return a.yes == b.yes
	case TypeNumber:
		return a.text == b.text || numbers(a, b)
	case TypeString:
		return a.text == b.text
	case TypeArray:
		for i := range a.kids.items {
			if !equal(a.kids.items[i], b.kids.items[i], numbers) {
				return false
			}
		}
	case TypeObject:
		return equalMembers(a.kids.members, b.kids.members, numbers)
	}
	return true
}

func equalMembers(a, b []Member, numbers func(a, b Value) bool) bool {
	at := indexed(b)
	for i := range a {
		j := i // most objects that are compared have one order
		if b[j].Name != a[i].Name {
			j = at.find(b, a[i].Name)
		}
		if j < 0 || !equal(a[i].Value, b[j].Value, numbers) {
			return false
		}
	}
	return true
}

func equalNumbers(a, b Value) bool { return a.Float() == b.Float() }

// identicalNumbers compares two spellings that differ. An integer beyond 2^53
// has one spelling only.
func identicalNumbers(a, b Value) bool {
	f := a.Float()
	return f == b.Float() && (math.Abs(f) < maxExact || !isInteger(a.text) && !isInteger(b.text))
}

// index finds members by name: by looking at each in a small object, by a map
// in a large one, so that no document makes a comparison quadratic.
type index struct {
	byName map[string]int // nil in a small object
}

const smallObject = 16

func newIndex(size int) index {
	if size <= smallObject {
		return index{}
	}
	return index{byName: make(map[string]int, size)}
}

func indexed(members []Member) index {
	x := newIndex(len(members))
	for i := range members {
		x.add(members[i].Name, i)
	}
	return x
}

func (x index) add(name string, i int) {
	if x.byName != nil {
		x.byName[name] = i
	}
}

// find returns the position of name in members, or -1.
func (x index) find(members []Member, name string) int {
	if x.byName != nil {
		if i, ok := x.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}
