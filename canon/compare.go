package canon

// Equal reports whether a and b have the same canonical form: the order of
// members and the spelling of numbers do not matter.
func Equal(a, b Value) bool {
	if a.typ != b.typ || a.Len() != b.Len() {
		return false
	}
	switch a.typ {
	case TypeBool:
		return a.yes == b.yes
	case TypeNumber:
		return a.text == b.text || a.Float() == b.Float()
	case TypeString:
		return a.text == b.text
	case TypeArray:
		for i := range a.kids.items {
			if !Equal(a.kids.items[i], b.kids.items[i]) {
				return false
			}
		}
	case TypeObject:
		return equalMembers(a.kids.members, b.kids.members)
	}
	return true
}

func equalMembers(a, b []Member) bool {
	at := indexed(b)
	for i := range a {
		j := i // most objects that are compared have one order
		if b[j].Name != a[i].Name {
			j = at.find(b, a[i].Name)
		}
		if j < 0 || !Equal(a[i].Value, b[j].Value) {
			return false
		}
	}
	return true
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
