package aaif

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// validate reports the violations of a schema.
func (s *compiledSchema) validate(v canon.Value) []*codec.ParseError {
	var invalid *jsonschema.ValidationError
	if !errors.As(s.schema.Validate(v.Plain(canon.Double)), &invalid) {
		return nil
	}
	var found []*codec.ParseError
	s.collect(invalid, &found)
	return found
}

// collect collects the innermost errors.
func (s *compiledSchema) collect(e *jsonschema.ValidationError, found *[]*codec.ParseError) {
	for _, cause := range e.Causes {
		s.collect(cause, found)
	}
	if len(e.Causes) > 0 || len(*found) > mostViolations {
		return
	}
	at := canon.Pointer(e.InstanceLocation...)
	_, where, _ := strings.Cut(e.SchemaURL, "#")
	where = strings.ReplaceAll(where, "%5E", "^")
	report := func(pointer, rule, text string) {
		code := SchemaViolation
		if f, ok := e.ErrorKind.(*kind.Format); ok {
			code = formatCode(f.Want)
		}
		*found = append(*found, fault(code, strings.TrimPrefix(rule, "AAIF-"), pointer, "%s", text))
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			report(under(at, name), s.ruleOf(where, name), "required")
		}
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		for _, name := range k.Properties[:min(len(k.Properties), mostViolations+1)] {
			report(under(at, name), "AAIF-4-3", s.unknownMember(at, where, name, len(*found)))
		}
	case *kind.UniqueItems:
		report(item(at, k.Duplicates[1]), s.rules[where], "there is such an item already")
	default:
		report(at, s.rules[where], s.text(e.ErrorKind, where, len(*found)))
	}
}

// ruleOf returns the requirement of a member that is missing.
func (s *compiledSchema) ruleOf(where, member string) string {
	if rule, ok := s.rules[where+"/properties"+canon.Pointer(member)]; ok {
		return rule
	}
	return s.rules[where]
}

// text describes a violation without repeating the value.
func (s *compiledSchema) text(k jsonschema.ErrorKind, where string, already int) string {
	schema, _ := s.source.At(where)
	limit := func(keyword string) string { return schema.Get(keyword).Spelling() }
	switch k := k.(type) {
	case *kind.Type:
		text := "is of type " + k.Got + "; wanted: " + strings.Join(k.Want, " or ")
		if slices.Contains(k.Want, "object") {
			text += s.object(where, already)
		}
		return text
	case *kind.Enum:
		got, _ := k.Got.(string)
		known := texts(schema.Get("enum"))
		return "is none of " + strings.Join(known, ", ") + didYouMean(got, known, 0) + enumHint(where)
	case *kind.Const:
		return "must be " + schema.Get("const").Text()
	case *kind.Pattern:
		return "does not have the form " + k.Want
	case *kind.MinLength:
		return "must not be empty"
	case *kind.MinItems:
		return "has no items; wanted: " + limit("minItems") + " or more"
	case *kind.MaxItems:
		return "has more than " + limit("maxItems") + " items"
	case *kind.Minimum:
		return "is less than " + limit("minimum")
	case *kind.Maximum:
		return "is more than " + limit("maximum")
	case *kind.Format:
		return "is no " + k.Want
	}
	return "is not what the schema has at " + where
}

// texts returns the strings of a list.
func texts(list canon.Value) []string {
	all := make([]string, list.Len())
	for i, word := range list.Items() {
		all[i] = word.Text()
	}
	return all
}

// enumHint says how to write a value that neither an enumeration nor a registry has
// (AAIF-10-5).
func enumHint(where string) string {
	switch strings.TrimPrefix(where, "/$defs/") {
	case "provider":
		return `; write "custom", and what it is as provider_id`
	case "vault_provider", "backend":
		return `; write "custom", or say it in a member of the document that begins with x-`
	case "protocol", "lang":
		return "; what is not registered goes into a member of the document that begins with x-"
	}
	return ""
}
