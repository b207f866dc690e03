package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/openapi"
)

// object is a JSON object.
type object = map[string]any

// api is what the clients are made of.
type api struct {
	operations []operation
	shapes     []shape // in the order in which they were found

	schemas object
	known   map[string]bool
}

// operation becomes a method.
type operation struct {
	name, method, path, text string
	inPath                   string // the parameter of the path; empty: none
	query                    []member
	keyed                    bool // it takes an Idempotency-Key
	body                     kind // none: it has no body
	result                   kind
}

// shape becomes a type.
type shape struct {
	name, text string
	members    []member // of an object
	alias      kind     // of what is no object with members
}

// member is a member of an object, or a parameter.
type member struct {
	name, text string
	must       bool
	kind       kind
}

// kind is the type of a value.
type kind struct {
	form  form
	name  string   // of a shape
	words []string // of which it is one
	of    []kind   // of a list, or of which it is one
}

type form int

const (
	none form = iota
	anything
	text
	whole
	number
	truth
	null
	table // an object without known members
	list
	named
	words
	union
)

// read reads the operations of some names from a description.
func read(description []byte, names []string) (*api, error) {
	var d struct {
		Paths      map[string]map[string]object
		Components struct{ Schemas, Responses object }
	}
	if err := json.Unmarshal(description, &d); err != nil {
		return nil, err
	}
	a := &api{schemas: d.Components.Schemas, known: map[string]bool{}}
	found := map[string]operation{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for method, said := range d.Paths[path] {
			if name, _ := said["operationId"].(string); slices.Contains(names, name) {
				found[name] = operation{name: name, method: strings.ToUpper(method), path: path}
			}
		}
	}
	for _, name := range names {
		o, ok := found[name]
		if !ok {
			return nil, fmt.Errorf("there is no operation %s", name)
		}
		a.operations = append(a.operations, a.operation(o, d.Paths[o.path][strings.ToLower(o.method)]))
	}
	return a, nil
}

func (a *api) operation(o operation, said object) operation {
	o.text = stringOf(said["summary"]) + ". " + stringOf(said["description"])
	parameters, _ := said["parameters"].([]any)
	for _, p := range parameters {
		p := p.(object)
		name, _ := p["name"].(string)
		switch p["in"] {
		case "path":
			o.inPath = name
		case "header":
			o.keyed = o.keyed || name == "Idempotency-Key"
		case "query":
			if name != "engram_version" {
				o.query = append(o.query, member{name: name, text: stringOf(p["description"]), must: p["required"] == true, kind: a.kind(p["schema"], "")})
			}
		}
	}
	if body, ok := said["requestBody"].(object); ok {
		o.body = a.content(body)
	}
	responses := said["responses"].(object)
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		if strings.HasPrefix(status, "2") {
			o.result = a.content(responses[status].(object))
		}
	}
	return o
}

// content returns the kind of a body in JSON.
func (a *api) content(said object) kind {
	forms, _ := said["content"].(object)
	form, ok := forms["application/json"].(object)
	if !ok {
		return kind{form: anything}
	}
	return a.kind(form["schema"], "")
}

// kind returns the kind of a schema. Objects with members become shapes of their own, with
// the name of what they are in.
func (a *api) kind(schema any, in string) kind {
	said, _ := schema.(object)
	if to, ok := said["$ref"].(string); ok {
		name := strings.TrimPrefix(to, "#/components/schemas/")
		a.add(name, a.schemas[name])
		return kind{form: named, name: name}
	}
	if some, ok := said["enum"].([]any); ok {
		return wordsOf(some)
	}
	if fixed, ok := said["const"].(string); ok {
		return kind{form: words, words: []string{fixed}}
	}
	if said["properties"] != nil || said["allOf"] != nil {
		a.add(in, schema)
		return kind{form: named, name: in}
	}
	for _, either := range []string{"oneOf", "anyOf"} {
		if all, ok := said[either].([]any); ok && said["type"] == nil {
			k := kind{form: union}
			for i, one := range all {
				k.of = append(k.of, a.kind(one, fmt.Sprint(in, i+1)))
			}
			return k
		}
	}
	return a.typed(said, in)
}

func (a *api) typed(said object, in string) kind {
	simple := map[string]form{"string": text, "integer": whole, "number": number, "boolean": truth, "object": table, "null": null}
	switch types := said["type"].(type) {
	case []any:
		k := kind{form: union}
		for _, one := range types {
			k.of = append(k.of, a.typed(object{"type": one, "items": said["items"]}, in))
		}
		return k
	case string:
		if types == "array" {
			return kind{form: list, of: []kind{a.kind(said["items"], in+"Item")}}
		}
		return kind{form: simple[types]}
	}
	return kind{form: anything}
}

func wordsOf(some []any) kind {
	k, open := kind{form: words}, false
	for _, w := range some {
		if said, ok := w.(string); ok {
			k.words = append(k.words, said)
		} else {
			open = true
		}
	}
	if open {
		return kind{form: union, of: []kind{k, {form: null}}}
	}
	return k
}

// add adds the shape of a schema, once.
func (a *api) add(name string, schema any) {
	if a.known[name] {
		return
	}
	a.known[name] = true
	said, _ := schema.(object)
	s := shape{name: name, text: stringOf(said["description"])}
	if said["properties"] == nil && said["allOf"] == nil {
		s.alias = a.kind(schema, name)
	} else {
		s.members = a.members(said, name)
	}
	a.shapes = append(a.shapes, s)
}

// members returns the members of an object, with those of all its parts.
func (a *api) members(said object, in string) []member {
	var all []member
	parts, _ := said["allOf"].([]any)
	for _, part := range parts {
		inner, _ := part.(object)
		if to, ok := inner["$ref"].(string); ok {
			inner, _ = a.schemas[strings.TrimPrefix(to, "#/components/schemas/")].(object)
		}
		all = append(all, a.members(inner, in)...)
	}
	properties, _ := said["properties"].(object)
	required, _ := said["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[name].(object) // true: anything
		all = append(all, member{name: name, text: stringOf(inner["description"]), must: slices.Contains(required, any(name)),
			kind: a.kind(inner, in+openapi.Capitalised(name))})
	}
	return all
}

func stringOf(v any) string {
	said, _ := v.(string)
	return said
}
