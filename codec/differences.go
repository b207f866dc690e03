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

// NoPlace is the reason of a loss without a better one: the written format cannot express
// the data.
const NoPlace = "the format has no place for it"

// RoundTripLosses returns a loss for every member of a record that differs after the record
// was written and read again. A format that cannot express everything learns its losses in
// this way. Members have their names in UMP JSON. If nothing remains of an object or a
// list, the loss names the whole.
func RoundTripLosses(written, read memory.Record) []Loss {
	var losses []Loss
	for _, pointer := range Differences(written, read) {
		losses = append(losses, Loss{ID: written.ID, Pointer: pointer, Reason: NoPlace})
	}
	return losses
}

// RoundTripLossesWith is RoundTripLosses with better reasons, by pointer.
func RoundTripLossesWith(written, read memory.Record, reasons map[string]string) []Loss {
	losses := RoundTripLosses(written, read)
	for i, l := range losses {
		if reason, ok := reasons[l.Pointer]; ok {
			losses[i].Reason = reason
		}
	}
	return losses
}

// Differences returns the pointers of the members of a that are missing or different in b,
// and of the members that only b has, in order. It compares times as instants and JSON by
// its value. It does not compare the forms of records.
func Differences(a, b memory.Record) []string {
	a.Origin, a.Current, b.Origin, b.Current = nil, nil, nil, nil
	var c comparison
	c.objects(reflect.ValueOf(a), reflect.ValueOf(b))
	slices.Sort(c.found)
	return c.found
}

// comparison collects the places where two values differ.
type comparison struct {
	at    []step
	found []string
}

// step leads to a member of an object, or to an element of a list.
type step struct {
	in    reflect.Type // nil: a list
	index int
}

// differs records the present place.
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

// below compares the values one step down.
func (c *comparison) below(s step, a, b reflect.Value) {
	c.at = append(c.at, s)
	c.values(a, b)
	c.at = c.at[:len(c.at)-1]
}

// values compares two values. If only one is not empty, they differ as a whole.
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

// says reports whether a value is not empty. An optional number that is present is not
// empty, even if it is zero; the same holds for an optional object.
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

// MemberName returns the UMP JSON name of a field of the model: "ValidTo" is valid_to.
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
