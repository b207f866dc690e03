// Package settings reads the tables that an owner writes in JSON, strictly: a slip in them
// shows only when it does harm.
package settings

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/internet"
)

// Table reads a document. Its methods read a member of an object at a JSON Pointer, which
// may be absent unless they say otherwise, and keep the first error.
type Table struct {
	Name string // of the document, for errors
	Rule string // id of the requirement that a faulty document breaks
	Err  error  // the first, a [*codec.ParseError]; nil: none
}

// Fail keeps an error, unless there is one.
func (t *Table) Fail(pointer, text string) {
	if t.Err == nil {
		t.Err = &codec.ParseError{Format: t.Name, Path: pointer, Rule: t.Rule, Err: errors.New(text)}
	}
}

// Only refuses unknown members, and what is no object.
func (t *Table) Only(v canon.Value, at string, names ...string) {
	if v.Type() != canon.TypeObject {
		t.Fail(at, "is no object")
	}
	for _, m := range v.Members() {
		if !slices.Contains(names, m.Name) {
			t.Fail(at+canon.Pointer(m.Name), "is not known; there are "+strings.Join(names, ", "))
		}
	}
}

// List yields the items of a list with their pointers, up to the first error.
func (t *Table) List(v canon.Value, name string) func(func(string, canon.Value) bool) {
	list := t.member(v, "", name, canon.TypeArray, "is no list")
	return func(yield func(string, canon.Value) bool) {
		for i, item := range list.Items() {
			if t.Err != nil || !yield("/"+name+"/"+strconv.Itoa(i), item) {
				return
			}
		}
	}
}

// member returns a member, which is of a type or absent.
func (t *Table) member(v canon.Value, at, name string, of canon.Type, otherwise string) canon.Value {
	m := v.Get(name)
	if m.Type() != of && m.Type() != canon.TypeUndefined {
		t.Fail(at+canon.Pointer(name), otherwise)
	}
	return m
}

// Text reads a text.
func (t *Table) Text(v canon.Value, at, name string) string {
	return t.member(v, at, name, canon.TypeString, "is no text").Text()
}

// Need reads a text that has to be there.
func (t *Table) Need(v canon.Value, at, name string) string {
	text := t.Text(v, at, name)
	if text == "" {
		t.Fail(at+canon.Pointer(name), "is missing")
	}
	return text
}

// Flag reads true or false.
func (t *Table) Flag(v canon.Value, at, name string) bool {
	return t.member(v, at, name, canon.TypeBool, "is neither true nor false").True()
}

// Number returns a number of at least 0, nil if there is none.
func (t *Table) Number(v canon.Value, at, name string) *float64 {
	const wanted = "is no number from 0 on"
	m := t.member(v, at, name, canon.TypeNumber, wanted)
	if m.Type() == canon.TypeUndefined {
		return nil
	}
	n := m.Float()
	if n < 0 || n > math.MaxInt32 {
		t.Fail(at+canon.Pointer(name), wanted)
	}
	return &n
}

// Texts reads a list of texts, which may be empty ones.
func (t *Table) Texts(v canon.Value, at, name string) []string {
	var all []string
	for i, item := range t.member(v, at, name, canon.TypeArray, "is no list of texts").Items() {
		if item.Type() != canon.TypeString {
			t.Fail(place(at, name, i), "is no text")
		}
		all = append(all, item.Text())
	}
	return all
}

// Names reads a list of texts, none of which is empty.
func (t *Table) Names(v canon.Value, at, name string) []string {
	all := t.Texts(v, at, name)
	if i := slices.Index(all, ""); i >= 0 {
		t.Fail(place(at, name, i), "is no text")
	}
	return all
}

// NeedNames is Names of a list that has to be there and is not empty.
func (t *Table) NeedNames(v canon.Value, at, name string) []string {
	all := t.Names(v, at, name)
	if len(all) == 0 {
		t.Fail(at+canon.Pointer(name), "is missing or empty")
	}
	return all
}

// Hosts reads names and addresses of hosts, in the form of [internet.PlainHost], and the
// words that may stand beside them, such as *. It refuses other texts that are no host, such
// as those with a scheme, a port or a path, which would never match. nil: there is no list.
func (t *Table) Hosts(v canon.Value, at, name string, words ...string) []string {
	all := t.Texts(v, at, name)
	if all == nil && v.Has(name) {
		all = []string{}
	}
	for i, host := range all {
		ported := strings.Contains(host, ":") && strings.Count(host, ":") < 2
		if !slices.Contains(words, host) && (host == "" || host == "*" || ported || strings.ContainsAny(host, "/@ ")) {
			t.Fail(place(at, name, i), "is no host: write it without scheme, port and path")
		}
		all[i] = internet.PlainHost(host)
	}
	return all
}

// Unique refuses an item of a list that is listed twice.
func (t *Table) Unique(at string, n int, name func(int) string) {
	seen := map[string]bool{}
	for i := range n {
		if seen[name(i)] {
			t.Fail(at+"/"+strconv.Itoa(i), "is listed twice")
		}
		seen[name(i)] = true
	}
}

// place returns the pointer to an item of a list.
func place(at, name string, i int) string { return at + canon.Pointer(name, strconv.Itoa(i)) }
