package condition

import (
	"maps"
	"slices"
	"sync"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// celMembers turns the members of a payload into CEL values, once for all expressions.
// Numbers become doubles, as in CEL's JSON.
func celMembers(members map[string]any) map[string]any {
	out := make(map[string]any, len(members))
	for name, v := range members {
		out[name] = celValue(v)
	}
	return out
}

func celValue(v any) ref.Val {
	switch v := v.(type) {
	case []any:
		items := make([]ref.Val, len(v))
		for i, item := range v {
			items[i] = celValue(item)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, items)
	case map[string]any:
		return newObject(celMembers(v))
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// object is a map whose members come in the order of their names.
type object struct {
	traits.Mapper
	names []string
}

func newObject(members map[string]any) object {
	return object{types.NewStringInterfaceMap(types.DefaultTypeAdapter, members), slices.Sorted(maps.Keys(members))}
}

// Iterator implements [traits.Iterable].
func (o object) Iterator() traits.Iterator {
	return &keyIterator{keys: o.names}
}

// keyIterator iterates over names.
type keyIterator struct {
	ref.Val // never set
	keys    []string
}

// HasNext implements [traits.Iterator].
func (k *keyIterator) HasNext() ref.Val { return types.Bool(len(k.keys) > 0) }

// Next implements [traits.Iterator].
func (k *keyIterator) Next() ref.Val {
	if len(k.keys) == 0 {
		return nil
	}
	key := k.keys[0]
	k.keys = k.keys[1:]
	return types.String(key)
}

// activation gives an expression the members of a payload by name. If no member is called
// input, that name means the payload itself (AAIF-5-21).
type activation struct {
	members map[string]any
	whole   func() ref.Val
}

func newActivation(data map[string]any) *activation {
	members := celMembers(data)
	return &activation{members, sync.OnceValue(func() ref.Val { return newObject(members) })}
}

// ResolveName implements [interpreter.Activation].
func (a *activation) ResolveName(name string) (any, bool) {
	if v, ok := a.members[name]; ok {
		return v, true
	}
	if name != wholePayload {
		return nil, false
	}
	return a.whole(), true
}

// Parent implements [interpreter.Activation].
func (a *activation) Parent() interpreter.Activation { return nil }

// wholePayload is CEL's name of the payload.
const wholePayload = "input"
