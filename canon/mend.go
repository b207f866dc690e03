package canon

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Mended counts what was mended in a text.
type Mended struct {
	Strings int // in which halves of surrogate pairs, or bytes that are no UTF-8, became U+FFFD
	Numbers int // that became strings: no double holds them, or none with all their digits
	Members int // that were left out, because a later one of the same object has their name
	First   Places
}

// Places are the JSON Pointers of the first of each that was mended.
type Places struct{ Strings, Numbers, Members string }

// Add adds what was mended elsewhere.
func (m *Mended) Add(more Mended) {
	first(&m.First.Strings, m.Strings, more.First.Strings)
	first(&m.First.Numbers, m.Numbers, more.First.Numbers)
	first(&m.First.Members, m.Members, more.First.Members)
	m.Strings += more.Strings
	m.Numbers += more.Numbers
	m.Members += more.Members
}

// first takes a place over if there was none before.
func first(place *string, before int, more string) {
	if before == 0 {
		*place = more
	}
}

// below moves the places of what was mended in a value to where that stands.
func (m Mended) below(pointer string) Mended {
	at := func(place string, n int) string {
		if n == 0 {
			return ""
		}
		return pointer + place
	}
	m.First = Places{at(m.First.Strings, m.Strings), at(m.First.Numbers, m.Numbers), at(m.First.Members, m.Members)}
	return m
}

// Mend is [Parse] of a text by somebody who writes JSON less strictly. What is no JSON,
// too deep or too large is refused all the same.
func Mend(data []byte, opt Options) (Value, Mended, error) {
	opt.Mend = false
	v, err := Parse(data, opt)
	if err == nil {
		return v, Mended{}, nil
	}
	return mend(data, opt.filled(), err)
}

// mendable reports whether what is wrong with a text first may be mended.
func mendable(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Kind != Syntax && refused.Kind != TooDeep && refused.Kind != TooLarge
}

// mend is Mend of a text that is refused otherwise, with limits that are filled in.
func mend(data []byte, opt Options, refused error) (Value, Mended, error) {
	if !mendable(refused) {
		return Value{}, Mended{}, refused
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	m := mender{d: d, opt: opt}
	v, err := m.value()
	if err == nil && len(bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")) > 0 {
		err = trailing(d, data)
	}
	switch err.(type) {
	case nil:
		return v, m.Mended, nil
	case *Error:
		return Value{}, Mended{}, err
	}
	return Value{}, Mended{}, fromJSONText(err, data, opt)
}

// mender builds a tree, token by token.
type mender struct {
	Mended
	d   *jsontext.Decoder
	opt Options
}

// value reads the next value.
func (m *mender) value() (Value, error) {
	switch m.d.PeekKind() {
	case '{', '[':
		return m.nested()
	case '"':
		s, err := m.str()
		return Value{typ: TypeString, text: s}, err
	}
	raw, err := m.d.ReadValue()
	if err != nil {
		return Value{}, err
	}
	switch raw.Kind() {
	case 'n':
		return Null(), nil
	case 't', 'f':
		return Bool(raw.Kind() == 't'), nil
	}
	if checkNumber(raw, m.opt.Inexact) != 0 {
		m.Add(Mended{Numbers: 1, First: Places{Numbers: string(m.d.StackPointer())}})
		return String(string(raw)), nil
	}
	return Value{typ: TypeNumber, text: string(raw)}, nil
}

// str reads a string.
func (m *mender) str() (string, error) {
	raw, err := m.d.ReadValue()
	if err != nil {
		return "", err
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		m.Add(Mended{Strings: 1, First: Places{Strings: string(m.d.StackPointer())}}) // the text has U+FFFD there
	}
	return string(text), nil
}

// nested reads an array or an object.
func (m *mender) nested() (Value, error) {
	open, err := m.d.ReadToken()
	if err != nil {
		return Value{}, err
	}
	object := open.Kind() == '{'
	if m.d.StackDepth() > m.opt.Depth {
		return Value{}, &Error{Kind: TooDeep, Pointer: string(m.d.StackPointer()), Offset: m.d.InputOffset() - 1}
	}
	var items []Value
	var members []Member
	seen := map[string]bool{}
	for kind := m.d.PeekKind(); kind != ']' && kind != '}'; kind = m.d.PeekKind() {
		name := ""
		if object {
			if kind != '"' {
				_, err := m.d.ReadValue() // which says what is wrong
				return Value{}, err
			}
			if name, err = m.str(); err != nil {
				return Value{}, err
			}
			if seen[name] {
				m.Add(Mended{Members: 1, First: Places{Members: string(m.d.StackPointer())}})
			}
			seen[name] = true
		}
		v, err := m.value()
		if err != nil {
			return Value{}, err
		}
		if object {
			members = append(members, Member{name, v})
		} else {
			items = append(items, v)
		}
	}
	if _, err := m.d.ReadToken(); err != nil || !object {
		return arrayOf(items), err
	}
	return Object(members...), nil
}
