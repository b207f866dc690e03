package codec

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Checker reads one item of a document and collects its faults.
type Checker struct {
	*JSONReader
	Item
	found *[]*ParseError
}

// Object returns the checker of a member that is an object. ok is false for null and for an
// absent member; any other value is also a fault.
func (c *Checker) Object(rule, member string) (inner *Checker, ok bool) {
	v := c.Value.Get(member)
	if v.Type() == canon.TypeUndefined || v.Type() == canon.TypeNull {
		return nil, false
	}
	inner = c.inside("/"+member, v)
	return inner, inner.IsObject(rule)
}

// Objects returns the checkers of the items of a list of objects. An item of another type
// is a fault.
func (c *Checker) Objects(rule, member string) []*Checker {
	var all []*Checker
	for i, v := range c.list(rule, member) {
		if inner := c.inside("/"+member+"/"+strconv.Itoa(i), v); inner.IsObject(rule) {
			all = append(all, inner)
		}
	}
	return all
}

func (c *Checker) inside(pointer string, v canon.Value) *Checker {
	return &Checker{JSONReader: c.JSONReader, Item: Item{Pointer: c.Pointer + pointer, Value: v}, found: c.found}
}

// Fault adds a fault at a pointer, which starts at the item.
func (c *Checker) Fault(rule, pointer string, err error) {
	*c.found = append(*c.found, c.Rules.Violation(rule, c.Pointer+pointer, err))
}

// Faulty reports whether the item has a fault so far. With Options.Mend it is then left out,
// and nothing of it may be kept.
func (c *Checker) Faulty() bool { return len(*c.found) > 0 }

// Drop records a loss: the reader leaves out a part of the item, or the item.
func (c *Checker) Drop(pointer, reason string) { c.Lose(c.Pointer+pointer, reason) }

// IsObject reports whether the item is an object; any other value is a fault.
func (c *Checker) IsObject(rule string) bool {
	if c.Value.Type() != canon.TypeObject {
		c.Fault(rule, "", fmt.Errorf("%s found where an object is wanted", c.Value.Type()))
		return false
	}
	if c.Value.Len() > c.Options.Limits.Items {
		c.Fault(c.Rules.Limit, "", fmt.Errorf("more than %d members; raise the limit", c.Options.Limits.Items))
		return false
	}
	return true
}

// Known makes members with other names a fault, when validation is strict.
func (c *Checker) Known(rule string, names ...string) {
	for _, m := range c.Value.Members() {
		if c.Options.Strict && !slices.Contains(names, m.Name) {
			c.Fault(rule, canon.Pointer(m.Name), errors.New("unknown member; it is kept as residue"))
		}
	}
}

// Name reads a string that names something: of bounded length, or null, or absent.
func (c *Checker) Name(rule, member string) string {
	return c.word(rule, "/"+member, c.Value.Get(member), c.Options.Limits.Name)
}

// Prose is Name for a string that may be as long as a text.
func (c *Checker) Prose(rule, member string) string {
	return c.word(rule, "/"+member, c.Value.Get(member), c.Options.Limits.Text)
}

// Text is Prose for a string that must be present; it may be blank.
func (c *Checker) Text(rule, member string) string {
	c.there(rule, member)
	return c.Prose(rule, member)
}

// Required is Name for a string that must be present and not blank.
func (c *Checker) Required(rule, member string) string {
	c.there(rule, member)
	s := c.Name(rule, member)
	if c.Value.Get(member).Type() == canon.TypeString && strings.TrimSpace(s) == "" {
		c.Fault(rule, "/"+member, errors.New("blank; name it, or remove it"))
	}
	return s
}

func (c *Checker) there(rule, member string) {
	if v := c.Value.Get(member); v.Type() == canon.TypeUndefined || v.Type() == canon.TypeNull {
		c.Fault(rule, "/"+member, errors.New("missing; a string is wanted"))
	}
}

func (c *Checker) word(rule, pointer string, s canon.Value, most int) string {
	switch {
	case s.Type() == canon.TypeUndefined || s.Type() == canon.TypeNull:
	case s.Type() != canon.TypeString:
		c.Fault(rule, pointer, fmt.Errorf("%s found where a string is wanted", s.Type()))
	case len(s.Text()) > most:
		c.Fault(c.Rules.Limit, pointer, fmt.Errorf("longer than %d bytes; shorten it, or raise the limit", most))
	}
	return s.Text()
}

// list reads a list of bounded length. null and an absent member give an empty list.
func (c *Checker) list(rule, member string) []canon.Value {
	list := c.Value.Get(member)
	switch {
	case list.Type() == canon.TypeUndefined || list.Type() == canon.TypeNull:
		return nil
	case list.Type() != canon.TypeArray:
		c.Fault(rule, "/"+member, fmt.Errorf("%s found where a list is wanted", list.Type()))
		return nil
	case list.Len() > c.Options.Limits.Items:
		c.Fault(c.Rules.Limit, "/"+member, fmt.Errorf("more than %d; raise the limit", c.Options.Limits.Items))
		return nil
	}
	return list.Items()
}

// Names reads a list of names.
func (c *Checker) Names(rule, member string) []string {
	var names []string
	for i, v := range c.list(rule, member) {
		pointer := "/" + member + "/" + strconv.Itoa(i)
		if name := c.word(rule, pointer, v, c.Options.Limits.Name); v.Type() == canon.TypeString {
			names = append(names, name)
		} else if v.Type() == canon.TypeNull {
			c.Fault(rule, pointer, errors.New("null found where a string is wanted"))
		}
	}
	return names
}

// Instant reads a member that is a text, like the function of that name, or a number, see
// since1970. null and an absent member give the zero time.
func (c *Checker) Instant(rule, member string) time.Time {
	s := c.Value.Get(member)
	if s.Type() == canon.TypeUndefined || s.Type() == canon.TypeNull {
		return time.Time{}
	}
	t, ok := Instant(s.Text())
	if s.Type() == canon.TypeNumber {
		t, ok = since1970(s.Float())
	}
	if !ok {
		c.Fault(rule, "/"+member, errors.New("is not a date and time such as 2026-11-20T18:31:00Z"))
	}
	return t
}

// Latest returns the latest of several instants.
func Latest(at time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(at) {
			at = other
		}
	}
	return at
}

// Instant reads a date and time and reports whether s is one. It accepts RFC 3339, a blank
// instead of the T, and a time without an offset, which means UTC; a day alone, which means
// its beginning in UTC; the form of HTTP; and a count since 1970, see since1970.
func Instant(s string) (t time.Time, ok bool) {
	at := strings.Replace(s, " ", "T", 1)
	if t, ok = memory.ParseInstant(at); ok {
		return t, true
	}
	if t, ok = memory.ParseInstant(at + "Z"); ok {
		return t, true
	}
	for _, layout := range [...]string{time.DateOnly, time.RFC1123, time.RFC1123Z} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return t.UTC(), true
		}
	}
	if count, err := strconv.ParseFloat(s, 64); err == nil && strings.Trim(s, "0123456789.") == "" {
		return since1970(count)
	}
	return time.Time{}, false
}

// since1970 reads a time as a count of seconds, milliseconds or microseconds since 1970. The
// size of the number tells which, since only times of the years 1973 to 5138 count.
func since1970(count float64) (t time.Time, ok bool) {
	const least, most = 1e8, 1e11
	switch {
	case count < least:
		return time.Time{}, false
	case count < most:
	case count < most*1e3:
		count /= 1e3
	case count < most*1e6:
		count /= 1e6
	default:
		return time.Time{}, false
	}
	return Seconds(count), true
}

// Seconds returns the time so many seconds after the beginning of 1970, to the microsecond.
func Seconds(count float64) time.Time {
	whole := math.Floor(count)
	return time.Unix(int64(whole), int64(math.Round((count-whole)*1e6))*1000).UTC()
}

// Date returns the date of the item, or of the document if the item has none. An item that
// neither dates is a fault.
func (c *Checker) Date(t time.Time) time.Time {
	if !t.IsZero() {
		return t
	}
	if c.when.IsZero() {
		c.Fault(c.Owned, "", errUndated)
	}
	return c.when
}

// TextSet is a set of texts, such as the references of all records of a document. It holds
// 128 bits of a digest for each, however long the text is.
type TextSet map[[16]byte]struct{}

// Add adds a text, and reports whether it is new.
func (s TextSet) Add(text string) bool {
	sum := sha256.Sum256([]byte(text))
	key := [16]byte(sum[:16])
	if _, again := s[key]; again {
		return false
	}
	s[key] = struct{}{}
	return true
}
