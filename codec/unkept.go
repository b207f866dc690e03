package codec

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// NoPlace is the reason of losses for which there is no other: the format that is written
// cannot say this.
const NoPlace = "the format has no place for it"

// Unkept returns a loss for every member of a record that is not the same in what
// becomes of it: written, and read again. It is how a format that cannot say everything
// knows what it did not say. Members are named as in UMP JSON; an object, or a list, of
// which nothing is left is named as a whole.
func Unkept(written, read memory.Record) []Loss {
	var losses []Loss
	for _, pointer := range Differences(written, read) {
		losses = append(losses, Loss{ID: written.ID, Pointer: pointer, Reason: NoPlace})
	}
	return losses
}

// UnkeptAs is Unkept with reasons that tell more, by the pointers of what they are for.
func UnkeptAs(written, read memory.Record, reasons map[string]string) []Loss {
	losses := Unkept(written, read)
	for i, l := range losses {
		if reason, ok := reasons[l.Pointer]; ok {
			losses[i].Reason = reason
		}
	}
	return losses
}

// Differences returns the pointers of the members of a that are not, or not the same, in
// b, and of those that only b has, in order. Times are compared as instants and JSON by
// what it says; the forms of records are not compared.
func Differences(a, b memory.Record) []string {
	a.Origin, a.Current, b.Origin, b.Current = nil, nil, nil, nil
	var c comparison
	c.objects(reflect.ValueOf(a), reflect.ValueOf(b))
	slices.Sort(c.found)
	return c.found
}

// comparison gathers where two values differ.
type comparison struct {
	at    []step
	found []string
}

// step leads to a member of an object, or to an element of a list.
type step struct {
	in    reflect.Type // nil: a list
	index int
}

// differs notes where the comparison is.
func (c *comparison) differs() {
	var pointer strings.Builder
	for _, s := range c.at {
		pointer.WriteByte('/')
		if s.in == nil {
			pointer.WriteString(strconv.Itoa(s.index))
		} else {
			pointer.WriteString(MemberName(s.in.Field(s.index).Name))
		}
	}
	c.found = append(c.found, pointer.String())
}

// below compares what a step leads to.
func (c *comparison) below(s step, a, b reflect.Value) {
	c.at = append(c.at, s)
	c.values(a, b)
	c.at = c.at[:len(c.at)-1]
}

// values compares two values. Where only one says anything, they differ as a whole.
func (c *comparison) values(a, b reflect.Value) {
	some, other := says(a), says(b)
	switch {
	case !some && !other:
	case some != other:
		c.differs()
	case a.Kind() == reflect.Pointer:
		c.values(a.Elem(), b.Elem())
	case isScalar(a):
		if !equal(a, b) {
			c.differs()
		}
	case a.Kind() == reflect.Struct:
		c.objects(a, b)
	default:
		c.lists(a, b)
	}
}

func (c *comparison) objects(a, b reflect.Value) {
	for i := range a.NumField() {
		c.below(step{a.Type(), i}, a.Field(i), b.Field(i))
	}
}

func (c *comparison) lists(a, b reflect.Value) {
	for i := range max(a.Len(), b.Len()) {
		if i < a.Len() && i < b.Len() {
			c.below(step{index: i}, a.Index(i), b.Index(i))
			continue
		}
		c.at = append(c.at, step{index: i})
		c.differs()
		c.at = c.at[:len(c.at)-1]
	}
}

// isScalar reports whether a value has no members.
func isScalar(v reflect.Value) bool {
	switch v.Interface().(type) {
	case time.Time, json.RawMessage:
		return true
	}
	return v.Kind() != reflect.Struct && v.Kind() != reflect.Slice && v.Kind() != reflect.Pointer
}

// says reports whether a value says anything. An optional number does even where it is
// zero, and so does an optional object that is there.
func says(v reflect.Value) bool {
	if at, ok := v.Interface().(time.Time); ok {
		return !at.IsZero()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil()
	case reflect.Slice:
		return v.Len() > 0
	case reflect.Struct:
		for i := range v.NumField() {
			if says(v.Field(i)) {
				return true
			}
		}
		return false
	}
	return !v.IsZero()
}

// equal compares two scalars.
func equal(a, b reflect.Value) bool {
	switch x := a.Interface().(type) {
	case time.Time:
		return x.Equal(b.Interface().(time.Time))
	case json.RawMessage:
		y := b.Interface().(json.RawMessage)
		return bytes.Equal(x, y) || plain(x) == plain(y)
	}
	return a.Equal(b)
}

// plain spells JSON so that the same values give the same text.
func plain(raw []byte) string {
	text, err := canon.Canonical(raw, canon.Options{Inexact: true})
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// MemberName returns what a field of the model is called in UMP JSON: "ValidTo" is valid_to.
func MemberName(field string) string {
	switch field {
	case "Version":
		return "ump"
	case "ID":
		return "id"
	}
	var b strings.Builder
	for i, c := range field {
		if 'A' <= c && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
