package condition

import (
	"sync"

	"github.com/satchel-memory/satchel/canon"
)

// Payload is the input of conditions: an object, prepared once for any number of
// conditions. It is safe for concurrent use.
type Payload struct {
	data map[string]any // string, float64, bool, nil, []any, map[string]any; read-only
	size int            // steps of one pass over it
	cel  func() *activation
}

// NewPayload prepares an object. It refuses any other value, and one beyond the limits,
// with an [*Error]. The zero Payload is an empty object.
func NewPayload(v canon.Value, limits Limits) (Payload, error) {
	if v.Type() != canon.TypeObject {
		return Payload{}, failure(Shape, "", "a payload is an object, not %s", article(v.Type()))
	}
	limits = limits.filled()
	b := builder{bytes: limits.Payload, values: limits.Values}
	data, ok := b.build(v, limits.Depth)
	if !ok {
		return Payload{}, failure(Limit, "", "the payload is too large, has too many values or is nested too deep")
	}
	p := Payload{data: data.(map[string]any), size: limits.Values - b.values + (limits.Payload-b.bytes)/stepBytes}
	p.cel = sync.OnceValue(func() *activation { return newActivation(p.data) })
	return p, nil
}

// builder converts trees for the libraries, within the limits.
type builder struct{ bytes, values int }

func (b *builder) take(size int) bool {
	b.bytes -= size
	b.values--
	return b.bytes >= 0 && b.values >= 0
}

func (b *builder) build(v canon.Value, depth int) (any, bool) {
	switch v.Type() {
	case canon.TypeString:
		return v.Text(), b.take(len(v.Text()))
	case canon.TypeNumber:
		return v.Float(), b.take(8)
	case canon.TypeBool:
		return v.True(), b.take(8)
	case canon.TypeArray:
		return b.array(v, depth)
	case canon.TypeObject:
		return b.object(v, depth)
	}
	return nil, b.take(8)
}

func (b *builder) array(v canon.Value, depth int) (any, bool) {
	if depth <= 0 || !b.take(8) || v.Len() > b.values {
		return nil, false
	}
	list := make([]any, 0, v.Len())
	for _, item := range v.Items() {
		built, ok := b.build(item, depth-1)
		if !ok {
			return nil, false
		}
		list = append(list, built)
	}
	return list, true
}

func (b *builder) object(v canon.Value, depth int) (any, bool) {
	if depth <= 0 || !b.take(8) || v.Len() > b.values {
		return nil, false
	}
	object := make(map[string]any, v.Len())
	for _, m := range v.Members() {
		b.bytes -= len(m.Name)
		built, ok := b.build(m.Value, depth-1)
		if !ok {
			return nil, false
		}
		object[m.Name] = built
	}
	return object, true
}

// object returns the payload in the form for the libraries.
func (p Payload) object() map[string]any {
	if p.data == nil {
		return map[string]any{}
	}
	return p.data
}

// activation returns the payload in the form for CEL.
func (p Payload) activation() *activation {
	if p.cel == nil {
		return newActivation(nil)
	}
	return p.cel()
}
