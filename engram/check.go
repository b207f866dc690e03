package engram

import (
	"errors"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// Violation is a rule that a document breaks.
type Violation struct {
	Pointer string // JSON Pointer
	Rule    string // requirement, such as "ENGRAM-3.2-1"
	Message string // for people; never repeats what the memory says
	// Warning: the document may be used all the same.
	Warning bool
}

// Validate says what is wrong with an export, apart from what only its issuer's key
// can tell: strict by the rules for what is written, else by those for what is read,
// of which the others remain as warnings.
func Validate(raw []byte, strict bool) []Violation {
	v, err := canon.Parse(raw, ReadOptions{}.canon())
	if err != nil {
		return []Violation{broken(err)}
	}
	return check(v, strict)
}

// broken is the violation of a text that is no JSON.
func broken(err error) Violation {
	out := Violation{Rule: "ENGRAM-3.8-3", Message: err.Error()}
	var c *canon.Error
	if errors.As(err, &c) {
		out.Pointer = c.Pointer
		if c.Kind == canon.DuplicateMember {
			out.Rule, out.Message = "ENGRAM-3.2-24", "duplicate key: "+out.Message
		}
	}
	return out
}

// grade says who cannot live with a violation.
type grade int

const (
	writers grade = iota // whoever writes; a reader is warned
	readers              // nobody
	nobody               // everybody can: it is a warning always
)

// checker gathers violations.
type checker struct {
	strict bool
	found  []Violation
}

func (c *checker) report(g grade, rule, message string, at ...string) {
	warning := g == nobody || g == writers && !c.strict
	c.found = append(c.found, Violation{Pointer: canon.Pointer(at...), Rule: rule, Message: message, Warning: warning})
}

// member is a rule about one member of an object.
type member struct {
	name, rule string
	typ        canon.Type
	// must: it has to be there. vital: a reader needs it. sound: a reader can live
	// without it, but not with a wrong one.
	must, vital, sound bool
	some               bool              // nobody can live with one that is empty or no string
	ok                 func(string) bool // of a string; nil: any
	wrong              string            // what ok wants
}

// text is a rule about a string that has to be there, with something in it.
func text(name, rule string) member {
	return member{name: name, rule: rule, typ: canon.TypeString, must: true, ok: func(s string) bool { return s != "" }, wrong: "must not be empty"}
}

// value is a rule about a string that has to be there and may be empty.
func value(name, rule string) member {
	return member{name: name, rule: rule, typ: canon.TypeString, must: true}
}

// like is a rule about a string that has to be there and have a form.
func like(name, rule string, ok func(string) bool, wrong string) member {
	return member{name: name, rule: rule, typ: canon.TypeString, must: true, ok: ok, wrong: wrong}
}

func word[S ~string](name, rule string, words ...S) member {
	ok, wrong := oneOf(words...)
	return like(name, rule, ok, wrong)
}

func when(name, rule string) member {
	return like(name, rule, isTime, "must be a time with a zone, such as 2026-04-20T10:00:00Z")
}

func id(name, rule string) member { return like(name, rule, IsID, "must be a UUIDv4") }

// optional lets a member be absent.
func (m member) optional() member {
	m.must = false
	return m
}

// checked makes a wrong member one that no reader can live with.
func (m member) checked() member {
	m.sound = true
	return m
}

// needed makes a member one that no reader can do without.
func (m member) needed() member {
	m.vital, m.sound = true, true
	return m
}

// known makes a member one that has to say something, if not in the right form.
func (m member) known() member {
	m.vital, m.some = true, true
	return m
}

// members checks an object by rules.
func (c *checker) members(v canon.Value, rules []member, at ...string) {
	for i := range rules {
		rule := &rules[i]
		if g, message := rule.judge(v.Get(rule.name)); message != "" {
			c.report(g, rule.rule, rule.name+" "+message, append(at[:len(at):len(at)], rule.name)...)
		}
	}
}

// judge says what is wrong with a member, and for whom.
func (m *member) judge(v canon.Value) (grade, string) {
	absent, wrong := writers, writers
	if m.vital {
		absent = readers
	}
	if m.sound || m.some && v.Text() == "" {
		wrong = readers
	}
	switch {
	case v.Type() == canon.TypeUndefined && m.must:
		return absent, "required"
	case v.Type() == canon.TypeUndefined:
		return 0, ""
	case v.Type() == canon.TypeNull:
		return absent, "must not be null"
	case v.Type() != m.typ:
		return wrong, "must be of type " + m.typ.String()
	case m.typ == canon.TypeString && m.ok != nil && !m.ok(v.Text()):
		return wrong, m.wrong
	}
	return 0, ""
}

// each calls back for the objects of an array, and reports what is none.
func (c *checker) each(list canon.Value, name, rule string, visit func(v canon.Value, at ...string)) {
	for i, item := range list.Items() {
		at := []string{name, strconv.Itoa(i)}
		if item.Type() != canon.TypeObject {
			c.report(readers, rule, "must be an object", at...)
			continue
		}
		visit(item, at...)
	}
}

// strings checks that an array holds strings.
func (c *checker) strings(list canon.Value, rule string, at ...string) {
	for i, item := range list.Items() {
		if item.Type() != canon.TypeString {
			c.report(writers, rule, "must be a string", append(at[:len(at):len(at)], strconv.Itoa(i))...)
		}
	}
}
