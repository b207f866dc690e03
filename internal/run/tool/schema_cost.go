package tool

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// The limits of judging a value.
const (
	mostSteps = 2_000_000
	mostPairs = 500_000 // of schemas and values that are counted
)

// affordable reports whether a value can be judged within [mostSteps]. Schemas come from
// strangers, and a few references that double at every level take more steps than any
// machine has time for. It counts the steps by pairs of a schema and a value, each pair
// once.
func (s *schema) affordable(v canon.Value) bool {
	if !s.refers { // every part of the schema meets every value once at most
		return true
	}
	c := &costs{root: s.source, known: map[string]int{}, busy: map[string]bool{}}
	return c.of("", s.source, "", v) <= mostSteps
}

// costs holds the numbers of steps of pairs.
type costs struct {
	root  canon.Value
	known map[string]int
	busy  map[string]bool // pairs that are being counted: their references lead in a circle
	pairs int
}

// of returns the steps of judging the value at place by the schema at where.
func (c *costs) of(where string, schema canon.Value, place string, v canon.Value) int {
	key := where + "\x00" + place
	if n, ok := c.known[key]; ok {
		return n
	}
	if c.pairs++; c.pairs > mostPairs {
		return mostSteps + 1
	}
	if c.busy[key] {
		return 1
	}
	c.busy[key] = true
	n := 1
	add := func(steps int) { n = min(n+steps, mostSteps+1) }
	for _, m := range schema.Members() {
		at := where + canon.Pointer(m.Name)
		switch m.Name {
		case "$ref", "$dynamicRef", "$recursiveRef":
			add(c.reference(m.Value.Text(), place, v))
		case "allOf", "anyOf", "oneOf":
			for i, item := range m.Value.Items() {
				add(c.of(at+"/"+strconv.Itoa(i), item, place, v))
			}
		case "not", "if", "then", "else", "extends":
			add(c.of(at, m.Value, place, v))
		case "dependentSchemas", "dependencies":
			for _, inner := range m.Value.Members() {
				add(c.of(at+canon.Pointer(inner.Name), inner.Value, place, v))
			}
		case "properties":
			for _, inner := range m.Value.Members() {
				if v.Has(inner.Name) {
					add(c.of(at+canon.Pointer(inner.Name), inner.Value, place+canon.Pointer(inner.Name), v.Get(inner.Name)))
				}
			}
		case "patternProperties", "prefixItems":
			for _, inner := range m.Value.Members() {
				add(c.children(at+canon.Pointer(inner.Name), inner.Value, place, v))
			}
			for i, inner := range m.Value.Items() {
				add(c.children(at+"/"+strconv.Itoa(i), inner, place, v))
			}
		case "items":
			for i, inner := range m.Value.Items() {
				add(c.children(at+"/"+strconv.Itoa(i), inner, place, v))
			}
			add(c.children(at, m.Value, place, v))
		case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "contains":
			add(c.children(at, m.Value, place, v))
		case "propertyNames":
			add(v.Len())
		}
	}
	delete(c.busy, key)
	c.known[key] = n
	return n
}

// children returns the steps of judging every item and member of a value.
func (c *costs) children(where string, schema canon.Value, place string, v canon.Value) int {
	n := 0
	for i, item := range v.Items() {
		n = min(n+c.of(where, schema, place+"/"+strconv.Itoa(i), item), mostSteps+1)
	}
	for _, m := range v.Members() {
		n = min(n+c.of(where, schema, place+canon.Pointer(m.Name), m.Value), mostSteps+1)
	}
	return n
}

// reference returns the steps of a reference. One that does not lead to a place by a
// pointer counts as one to the whole schema.
func (c *costs) reference(ref, place string, v canon.Value) int {
	pointer, ok := strings.CutPrefix(ref, "#")
	if target, found := c.root.At(pointer); ok && found {
		return c.of(pointer, target, place, v)
	}
	return c.of("", c.root, place, v)
}
