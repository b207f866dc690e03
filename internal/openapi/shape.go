package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// row is a member of an object, or a parameter.
type row struct {
	Name, Where, Text string
	Must              bool
	Type              kind
}

// kind says what a value is: a text, and perhaps the shape that it has.
type kind struct {
	Text  string // such as "list of", "one of a, b", "text"
	Shape string // the name of a shape; empty: the text says all
}

// kindOf returns what values of a schema are.
func (p *Pages) kindOf(schema any) kind {
	said, ok := schema.(object)
	if !ok {
		return kind{Text: "anything"}
	}
	if to, ok := strings.CutPrefix(text(said["$ref"]), componentPath); ok {
		return kind{Shape: to}
	}
	if words, ok := said["enum"].(list); ok {
		return kind{Text: "one of " + joined(words, ", ")}
	}
	if fixed, ok := said["const"]; ok {
		return kind{Text: fmt.Sprint(fixed)}
	}
	for _, either := range []string{"oneOf", "anyOf"} {
		if all, ok := said[either].(list); ok && said["properties"] == nil {
			return p.either(all)
		}
	}
	return p.typed(said)
}

// either returns what values of several schemas are.
func (p *Pages) either(all list) kind {
	var words []string
	for _, one := range all {
		k := p.kindOf(one)
		words = append(words, strings.TrimSpace(k.Text+" "+k.Shape))
	}
	return kind{Text: strings.Join(words, " or ")}
}

func (p *Pages) typed(said object) kind {
	names := map[string]string{"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "object", "null": "null"}
	switch types := said["type"].(type) {
	case list:
		var words []string
		for _, one := range types {
			words = append(words, names[text(one)])
		}
		return kind{Text: strings.Join(words, " or ")}
	case string:
		if types != "array" {
			return kind{Text: names[types] + bounds(said)}
		}
		inner := p.kindOf(said["items"])
		return kind{Text: strings.TrimSpace("list of " + inner.Text), Shape: inner.Shape}
	}
	if _, ok := said["allOf"]; ok {
		return kind{Text: "object"}
	}
	return kind{Text: "anything"}
}

// bounds says within what a value lies.
func bounds(said object) string {
	least, most := said["minLength"], said["maxLength"]
	if least != nil && most != nil {
		return fmt.Sprintf(", %v to %v characters", least, most)
	}
	var words string
	for _, b := range []struct{ name, word string }{{"minimum", " from %v"}, {"maximum", " to %v"}, {"minLength", ", at least %v characters"}, {"maxLength", ", at most %v characters"}} {
		if n, ok := said[b.name]; ok {
			words += fmt.Sprintf(b.word, n)
		}
	}
	return words
}

// rows returns the members of objects of a schema, those of nested objects with a path.
func (p *Pages) rows(schema any) []row {
	said, _ := schema.(object)
	if to, ok := strings.CutPrefix(text(said["$ref"]), componentPath); ok {
		said, _ = p.schemas[to].(object)
	}
	return p.members(said, "")
}

func (p *Pages) members(said object, before string) []row {
	var all []row
	parts, _ := said["allOf"].(list)
	for _, part := range parts {
		inner, _ := part.(object)
		if to, ok := strings.CutPrefix(text(inner["$ref"]), componentPath); ok {
			inner, _ = p.schemas[to].(object)
		}
		all = append(all, p.members(inner, before)...)
	}
	properties, _ := said["properties"].(object)
	required, _ := said["required"].(list)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[name].(object)
		all = append(all, row{Name: before + name, Text: text(inner["description"]), Must: slices.Contains(required, any(name)), Type: p.kindOf(inner)})
		if inner["properties"] != nil {
			all = append(all, p.members(inner, before+name+".")...)
		}
		if items, ok := inner["items"].(object); ok && items["properties"] != nil {
			all = append(all, p.members(items, before+name+"[].")...)
		}
	}
	return all
}

func joined(words list, by string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = fmt.Sprint(w)
	}
	return strings.Join(all, by)
}
