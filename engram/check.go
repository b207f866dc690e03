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
	// Warning marks a violation that leaves the document usable.
	Warning bool
}

// Validate returns what is wrong with an export, except what only the issuer's key can
// tell. With strict it applies the rules for writers. Without, it applies the rules for
// readers and reports broken rules for writers as warnings.
func Validate(raw []byte, strict bool) []Violation {
	v, err := canon.Parse(raw, ReadOptions{}.canon())
	if err != nil {
		return []Violation{brokenJSON(err)}
	}
	return check(v, strict)
}

// brokenJSON is the violation of a text that is not JSON.
func brokenJSON(err error) Violation {
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

// grade says for whom a violation is an error.
type grade int

const (
	writers grade = iota // an error for writers, a warning for readers
	readers              // an error for everybody
	nobody               // a warning for everybody
)

// checker collects violations.
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
	// must: the member is required. vital: a reader needs it. sound: a reader accepts an
	// absent member, but not a wrong one.
	must, vital, sound bool
	some               bool              // an empty value, or one that is not a string, is an error for everybody
	ok                 func(string) bool // checks a string; nil accepts any
	wrong              string            // the message when ok fails
}

// text is a rule about a required string that is not empty.
func text(name, rule string) member {
	return member{name: name, rule: rule, typ: canon.TypeString, must: true, ok: func(s string) bool { return s != "" }, wrong: "must not be empty"}
}

// value is a rule about a required string that may be empty.
func value(name, rule string) member {
	return member{name: name, rule: rule, typ: canon.TypeString, must: true}
}

// like is a rule about a required string of a certain form.
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

// vitalWhenPresent makes a wrong member an error for readers.
func (m member) vitalWhenPresent() member {
	m.sound = true
	return m
}

// needed makes an absent member an error for readers.
func (m member) needed() member {
	m.vital, m.sound = true, true
	return m
}

// known makes a member that says nothing an error for readers; its form does not matter.
func (m member) known() member {
	m.vital, m.some = true, true
	return m
}

// members checks an object by its rules.
func (c *checker) members(v canon.Value, rules []member, at ...string) {
	for i := range rules {
		rule := &rules[i]
		if g, message := rule.judge(v.Get(rule.name)); message != "" {
			c.report(g, rule.rule, rule.name+" "+message, append(at[:len(at):len(at)], rule.name)...)
		}
	}
}

// judge returns what is wrong with a member, and for whom.
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

// each visits the objects of an array, and reports items that are not objects.
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
