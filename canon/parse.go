package canon

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse checks data like [Check] and returns it as a tree. The tree shares one
// copy of data's text. With Options.Mend it is [Mend].
func Parse(data []byte, opt Options) (Value, error) {
	if opt.Mend {
		v, _, err := Mend(data, opt)
		return v, err
	}
	if err := Check(data, opt); err != nil {
		return Value{}, err
	}
	return ParseChecked(data), nil
}

// ParseChecked is [Parse] for data that has passed [Check] before, byte for byte. For other data
// it may panic.
func ParseChecked(data []byte) Value {
	p := parser{text: string(data)}
	p.members = make([]Member, 0, min(len(data)/8, 2*smallObject)) // spares most records the growth of the stack
	return p.value()
}

// parser builds a tree from text that Check has passed, so it never looks for errors. It
// collects children on two stacks and copies them out when their number is known.
type parser struct {
	text    string
	i       int
	items   []Value
	members []Member
}

// next skips characters that carry no meaning in a valid text, and returns the first byte
// of the next value, name or closing bracket.
func (p *parser) next() byte {
	for {
		switch c := p.text[p.i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			p.i++
		default:
			return c
		}
	}
}

func (p *parser) value() Value {
	switch p.next() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return Value{typ: TypeString, text: p.str()}
	case 'n':
		p.i += len("null")
		return Null()
	case 't':
		p.i += len("true")
		return Bool(true)
	case 'f':
		p.i += len("false")
		return Bool(false)
	}
	return p.number()
}

func (p *parser) object() Value {
	base := len(p.members)
	p.i++
	for p.next() != '}' {
		name := p.str()
		p.members = append(p.members, Member{name, p.value()})
	}
	p.i++
	members := make([]Member, len(p.members)-base)
	copy(members, p.members[base:])
	p.members = p.members[:base]
	return objectOf(members)
}

func (p *parser) array() Value {
	base := len(p.items)
	p.i++
	for p.next() != ']' {
		p.items = append(p.items, p.value())
	}
	p.i++
	items := make([]Value, len(p.items)-base)
	copy(items, p.items[base:])
	p.items = p.items[:base]
	return arrayOf(items)
}

func (p *parser) number() Value {
	start := p.i
	for p.i < len(p.text) && strings.IndexByte("+-.eE0123456789", p.text[p.i]) >= 0 {
		p.i++
	}
	return Value{typ: TypeNumber, text: p.text[start:p.i]}
}

// str reads the string that starts at the cursor.
func (p *parser) str() string {
	start := p.i
	escaped := false
	p.i++
	for quote := -1; ; {
		if quote < p.i { // it was an escaped one
			quote = p.i + strings.IndexByte(p.text[p.i:], '"')
		}
		escape := strings.IndexByte(p.text[p.i:quote], '\\')
		if escape < 0 {
			p.i = quote + 1
			break
		}
		escaped = true
		p.i += escape + 2
	}
	if !escaped {
		return p.text[start+1 : p.i-1]
	}
	out, _ := jsontext.AppendUnquote(nil, p.text[start:p.i]) // checked
	return string(out)
}
