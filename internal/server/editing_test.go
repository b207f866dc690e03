package server_test

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// editing makes another value of one; the undefined value takes it away.
type editing func(canon.Value) canon.Value

// within edits what is at a path of members.
func within(edit editing, path ...string) editing {
	if len(path) == 0 {
		return edit
	}
	return func(v canon.Value) canon.Value {
		return v.With(path[0], within(edit, path[1:]...)(v.Get(path[0])))
	}
}

// each edits the items of a list.
func each(edit editing) editing {
	return func(list canon.Value) canon.Value {
		var items []canon.Value
		for _, item := range list.Items() {
			if item = edit(item); item.Type() != canon.TypeUndefined {
				items = append(items, item)
			}
		}
		return canon.Array(items...)
	}
}

// sets edits a member to a JSON text.
func sets(name, raw string) editing {
	item, err := canon.Parse([]byte(raw), canon.Options{})
	if err != nil {
		panic(err)
	}
	return func(v canon.Value) canon.Value { return v.With(name, item) }
}

func empty(canon.Value) canon.Value { return canon.Array() }

// where edits only the values of which that holds.
func where(holds func(canon.Value) bool, edit editing) editing {
	return func(v canon.Value) canon.Value {
		if holds(v) {
			return edit(v)
		}
		return v
	}
}

func drop(canon.Value) canon.Value { return canon.Value{} }

// is and begins hold for values with a member that is a text, or begins with one.
func is(name, text string) func(canon.Value) bool {
	return func(v canon.Value) bool { return v.Get(name).Text() == text }
}

func begins(name, text string) func(canon.Value) bool {
	return func(v canon.Value) bool { return strings.HasPrefix(v.Get(name).Text(), text) }
}

// both holds where both hold.
func both[T any](a, b func(T) bool) func(T) bool {
	return func(x T) bool { return a(x) && b(x) }
}

// missing holds for objects without a member.
func missing(name string) func(canon.Value) bool {
	return func(v canon.Value) bool { return v.Type() == canon.TypeObject && !v.Has(name) }
}
