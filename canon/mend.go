package canon

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Repairs counts what [Mend] changed in a text.
type Repairs struct {
	Strings int // with halves of surrogate pairs or invalid UTF-8, which became U+FFFD
	Numbers int // that became strings, because no double holds them or keeps all their digits
	Members int // that were dropped, because a later member of the same object has their name
	First   RepairPlaces
}

// RepairPlaces holds the JSON Pointer of the first repair of each kind.
type RepairPlaces struct{ Strings, Numbers, Members string }

// add adds the repairs of another value.
func (m *Repairs) add(more Repairs) {
	first(&m.First.Strings, m.Strings, more.First.Strings)
	first(&m.First.Numbers, m.Numbers, more.First.Numbers)
	first(&m.First.Members, m.Members, more.First.Members)
	m.Strings += more.Strings
	m.Numbers += more.Numbers
	m.Members += more.Members
}

// first sets a place unless it is set already.
func first(place *string, before int, more string) {
	if before == 0 {
		*place = more
	}
}

// below moves the places of repairs in a value to where the value stands.
func (m Repairs) below(pointer string) Repairs {
	at := func(place string, n int) string {
		if n == 0 {
			return ""
		}
		return pointer + place
	}
	m.First = RepairPlaces{at(m.First.Strings, m.Strings), at(m.First.Numbers, m.Numbers), at(m.First.Members, m.Members)}
	return m
}

// Mend is [Parse] for a text that is written less strictly. It still refuses a text that is
// not JSON, too deep or too large.
func Mend(data []byte, opt Options) (Value, Repairs, error) {
	opt.Mend = false
	v, err := Parse(data, opt)
	if err == nil {
		return v, Repairs{}, nil
	}
	return mend(data, opt.filled(), err)
}

// mendable reports whether Mend can repair the first fault of a text.
func mendable(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Kind != Syntax && refused.Kind != TooDeep && refused.Kind != TooLarge
}

// mend is Mend for a text that is otherwise refused, with filled-in limits.
func mend(data []byte, opt Options, refused error) (Value, Repairs, error) {
	if !mendable(refused) {
		return Value{}, Repairs{}, refused
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	m := mender{d: d, opt: opt}
	v, err := m.value()
	if err == nil && len(bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")) > 0 {
		err = trailing(d, data)
	}
	switch err.(type) {
	case nil:
		return v, m.Repairs, nil
	case *Error:
		return Value{}, Repairs{}, err
	}
	return Value{}, Repairs{}, fromJSONText(err, data, opt)
}

// mender builds a tree, token by token.
type mender struct {
	Repairs
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
		m.add(Repairs{Numbers: 1, First: RepairPlaces{Numbers: string(m.d.StackPointer())}})
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
		m.add(Repairs{Strings: 1, First: RepairPlaces{Strings: string(m.d.StackPointer())}}) // jsontext has put U+FFFD there
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
				_, err := m.d.ReadValue() // whose error says what is wrong
				return Value{}, err
			}
			if name, err = m.str(); err != nil {
				return Value{}, err
			}
			if seen[name] {
				m.add(Repairs{Members: 1, First: RepairPlaces{Members: string(m.d.StackPointer())}})
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
