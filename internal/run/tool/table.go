package tool

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// table reads the operator's document, and keeps its first error.
type table struct{ err error }

func (t *table) fail(pointer, text string) {
	if t.err == nil {
		t.err = &codec.ParseError{Format: "table of tools", Path: pointer, Rule: "AAIF-12-2", Err: errors.New(text)}
	}
}

// only refuses unknown members.
func (t *table) only(v canon.Value, at string, names ...string) {
	if v.Type() != canon.TypeObject {
		t.fail(at, "is no object")
	}
	for _, m := range v.Members() {
		if !slices.Contains(names, m.Name) {
			t.fail(at+canon.Pointer(m.Name), "is not known; there are "+strings.Join(names, ", "))
		}
	}
}

// list yields the items of a list with their pointers.
func (t *table) list(v canon.Value, name string) func(func(string, canon.Value) bool) {
	list := v.Get(name)
	if list.Type() != canon.TypeArray && list.Type() != canon.TypeUndefined {
		t.fail("/"+name, "is no list")
	}
	return func(yield func(string, canon.Value) bool) {
		for i, item := range list.Items() {
			if t.err != nil || !yield("/"+name+"/"+strconv.Itoa(i), item) {
				return
			}
		}
	}
}

func (t *table) text(v canon.Value, at, name string) string {
	if m := v.Get(name); m.Type() != canon.TypeString && m.Type() != canon.TypeUndefined {
		t.fail(at+"/"+name, "is no text")
	}
	return v.Get(name).Text()
}

func (t *table) need(v canon.Value, at, name string) string {
	text := t.text(v, at, name)
	if text == "" {
		t.fail(at+"/"+name, "is missing")
	}
	return text
}

func (t *table) flag(v canon.Value, at, name string) bool {
	if m := v.Get(name); m.Type() != canon.TypeBool && m.Type() != canon.TypeUndefined {
		t.fail(at+"/"+name, "is neither true nor false")
	}
	return v.Get(name).True()
}

func (t *table) texts(v canon.Value, at, name string) []string {
	list := v.Get(name)
	if list.Type() != canon.TypeArray && list.Type() != canon.TypeUndefined {
		t.fail(at+"/"+name, "is no list of texts")
	}
	var all []string
	for i, item := range list.Items() {
		if item.Type() != canon.TypeString {
			t.fail(at+"/"+name+"/"+strconv.Itoa(i), "is no text")
		}
		all = append(all, item.Text())
	}
	return all
}

// names reads a list that is not empty.
func (t *table) names(v canon.Value, at, name string) []string {
	all := t.texts(v, at, name)
	if len(all) == 0 || slices.Contains(all[:1], "") {
		t.fail(at+canon.Pointer(name), "is missing or empty")
	}
	return all
}

// hosts reads names of hosts. It refuses texts with a scheme, a port or a path, which
// would never match.
func (t *table) hosts(v canon.Value, at, name string) []string {
	list := []string{}
	for i, host := range t.texts(v, at, name) {
		if host == "" || strings.ContainsAny(host, "/@ ") || strings.Contains(host, ":") && strings.Count(host, ":") < 2 || host == Anything && name == "egress" {
			t.fail(at+"/"+name+"/"+strconv.Itoa(i), "is no host: write it without scheme, port and path")
		}
		list = append(list, plainHost(host))
	}
	return list
}

// unique refuses what is listed twice.
func (t *table) unique(at string, n int, name func(int) string) {
	seen := map[string]bool{}
	for i := range n {
		if seen[name(i)] {
			t.fail(at+"/"+strconv.Itoa(i), "is listed twice")
		}
		seen[name(i)] = true
	}
}
