package canon

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Type says what a Value is.
type Type uint8

// The types of JSON, and the type of the zero Value.
const (
	TypeUndefined Type = iota // there is no value
	TypeNull
	TypeBool
	TypeNumber
	TypeString
	TypeArray
	TypeObject
)

// String names the type as JSON does.
func (t Type) String() string {
	names := [...]string{"undefined", "null", "boolean", "number", "string", "array", "object"}
	if int(t) < len(names) {
		return names[t]
	}
	return "type " + strconv.Itoa(int(t))
}

// Value is an immutable JSON tree that keeps the order of members and the
// spelling of numbers. Every Value but the zero one is valid JSON. Values are
// compared with [Equal], and are safe for concurrent use.
type Value struct {
	_    [0]func() // == would compare pointers
	typ  Type
	yes  bool
	text string // of a string; spelling of a number
	kids *children
}

type children struct {
	items   []Value
	members []Member
}

// Member is a name and its value in an object.
type Member struct {
	Name  string
	Value Value
}

// Null returns the JSON null.
func Null() Value { return Value{typ: TypeNull} }

// Bool returns true or false.
func Bool(b bool) Value { return Value{typ: TypeBool, yes: b} }

// String returns a string. Bytes that are not UTF-8 become U+FFFD.
func String(s string) Value { return Value{typ: TypeString, text: valid(s)} }

// valid replaces bytes that are not UTF-8. Nearly every text has none, which
// utf8.ValidString sees fastest.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Number returns f in its canonical spelling. NaN and the infinities, which
// JSON cannot say, become null, as in ECMAScript.
func Number(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Null()
	}
	return Value{typ: TypeNumber, text: string(appendFloat(nil, f))}
}

// Int returns n with all its digits. Beyond 2^53 its canonical form is that of
// the nearest double.
func Int(n int64) Value { return Value{typ: TypeNumber, text: strconv.FormatInt(n, 10)} }

// Array returns an array of items. An undefined item becomes null.
func Array(items ...Value) Value {
	kept := slices.Clone(items)
	for i := range kept {
		if kept[i].typ == TypeUndefined {
			kept[i] = Null()
		}
	}
	return arrayOf(kept)
}

// arrayOf makes an array of items that are known to be in order.
func arrayOf(items []Value) Value {
	return Value{typ: TypeArray, kids: &children{items: items}}
}

// Object returns an object of members in this order. Members with an undefined
// value are left out; of two with one name, the later takes the earlier's place.
func Object(members ...Member) Value {
	kept := make([]Member, 0, len(members))
	at := newIndex(len(members))
	for _, m := range members {
		if m.Value.typ == TypeUndefined {
			continue
		}
		m.Name = valid(m.Name)
		if i := at.find(kept, m.Name); i >= 0 {
			kept[i].Value = m.Value
			continue
		}
		at.add(m.Name, len(kept))
		kept = append(kept, m)
	}
	return objectOf(kept)
}

// objectOf makes an object of members that are known to be in order.
func objectOf(members []Member) Value {
	return Value{typ: TypeObject, kids: &children{members: members}}
}

// Type returns what v is.
func (v Value) Type() Type { return v.typ }

// Text returns the text of a string, and "" of anything else.
func (v Value) Text() string {
	if v.typ != TypeString {
		return ""
	}
	return v.text
}

// Spelling returns a number as it was written, and "" of anything else.
func (v Value) Spelling() string {
	if v.typ != TypeNumber {
		return ""
	}
	return v.text
}

// Float returns the double nearest to a number, and 0 of anything else.
func (v Value) Float() float64 {
	f, _ := strconv.ParseFloat(v.Spelling(), 64) // checked when the value was made
	return f
}

// True reports whether v is the JSON true.
func (v Value) True() bool { return v.typ == TypeBool && v.yes }

// Items returns the items of an array. The caller must not modify them.
func (v Value) Items() []Value {
	if v.typ != TypeArray {
		return nil
	}
	return v.kids.items[:len(v.kids.items):len(v.kids.items)]
}

// Members returns the members of an object in their order. The caller must not
// modify them.
func (v Value) Members() []Member {
	if v.typ != TypeObject {
		return nil
	}
	return v.kids.members[:len(v.kids.members):len(v.kids.members)]
}

// Len returns how many items an array or members an object has.
func (v Value) Len() int {
	if v.kids == nil {
		return 0
	}
	return len(v.kids.items) + len(v.kids.members)
}

// Get returns the member called name, or the undefined Value.
func (v Value) Get(name string) Value {
	if i := v.indexOf(name); i >= 0 {
		return v.kids.members[i].Value
	}
	return Value{}
}

// Has reports whether v is an object with a member called name.
func (v Value) Has(name string) bool { return v.indexOf(name) >= 0 }

// indexOf returns the position of the member called name, or -1.
func (v Value) indexOf(name string) int {
	members := v.Members()
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}
