package aaif

import (
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// lintSchemas reports invalid schemas of tools, input and output.
func lintSchemas(a Agent) []*codec.ParseError {
	found := slices.Concat(lintSchema(a.IO.Input, "4-18", "/agent/io/input_schema"), lintSchema(a.IO.Output, "4-18", "/agent/io/output_schema"))
	for i, t := range a.Tools {
		at := item("/agent/tools", i)
		found = append(found, lintSchema(t.Parameters, "4.4-4", at+"/parameters_schema")...)
		found = append(found, lintSchema(t.Output, "4.4-4", at+"/output_schema")...)
	}
	return found
}

// lintEndpoint reports an endpoint that does not fit the tool's protocol, and
// placeholders that no argument fills (AAIF-4.4-9).
func lintEndpoint(t Tool, pointer string) []*codec.ParseError {
	pointer += "/endpoint"
	switch {
	case t.Endpoint == "" || !slices.Contains([]Protocol{MCPTool, HTTPTool, OpenAPITool}, t.Protocol):
		return nil
	case !t.Resolvable():
		return []*codec.ParseError{warning(WrongForm, endpointRule(t.Protocol), pointer, "no address that a tool of protocol %s could be called at: %s", t.Protocol, addressForm(t.Protocol))}
	case t.Protocol != HTTPTool:
		return nil
	}
	known, ok := parameters(t.Parameters)
	if !ok {
		return nil
	}
	var found []*codec.ParseError
	there := map[string]bool{}
	for _, name := range known {
		there[name] = true
	}
	for _, name := range placeholderNames(t.Endpoint) {
		if !there[name] && len(found) < mostViolations {
			found = append(found, warning(Unresolved, "4.4-9", pointer, "{%s} is no parameter of the tool, so that nothing fills it%s", Shown(name), didYouMean(name, known, len(found))))
		}
		there[name] = true // reported once
	}
	return found
}

// lintAddress reports an HTTP address that cannot work, such as htps://. The schema
// reports what is no URI at all.
func lintAddress(text, rule, pointer string) []*codec.ParseError {
	u, err := url.Parse(text)
	web := []string{"https", "http"}
	if err != nil || u.Scheme == "" || u.Host != "" && slices.Contains(web, u.Scheme) {
		return nil
	}
	return []*codec.ParseError{warning(WrongForm, rule, pointer, "no address that could be asked: write https://, or http://%s", didYouMean(u.Scheme, web, 0))}
}

// addressForm says how to write the addresses of a protocol.
func addressForm(p Protocol) string {
	switch p {
	case MCPTool:
		return "write mcp://server/capability, ws://, https:// or stdio:"
	case OpenAPITool:
		return "write https://, or the path of a file"
	}
	return "write https://, with {names} of parameters in it"
}

// parameters returns the parameter names of a schema. ok is false if there may be others,
// behind references.
func parameters(schema canon.Value) (names []string, ok bool) {
	for _, more := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if schema.Has(more) {
			return nil, false
		}
	}
	for _, m := range schema.Get("properties").Members() {
		names = append(names, m.Name)
	}
	return names, true
}

// placeholderNames returns the names in the braces of an address.
func placeholderNames(endpoint string) []string {
	var names []string
	for {
		_, after, ok := strings.Cut(endpoint, "{")
		if !ok {
			return names
		}
		name, rest, _ := strings.Cut(after, "}")
		names, endpoint = append(names, name), rest
	}
}

// Arguments returns the names of a tool's arguments, by its schema. ok is false if there
// may be others: the schema names none, allows more, or refers to another schema.
func (t Tool) Arguments() (names []string, ok bool) { return memberNames(t.Parameters) }

// memberNames returns the member names of a schema's objects. ok is false if objects may
// have others. A list of properties is complete unless additionalProperties says
// otherwise.
func memberNames(schema canon.Value) (names []string, ok bool) {
	names, ok = parameters(schema)
	for _, more := range []string{"$recursiveRef", "dependencies"} {
		ok = ok && !schema.Has(more)
	}
	for _, more := range []string{"additionalProperties", "unevaluatedProperties"} {
		v := schema.Get(more)
		ok = ok && (v.Type() == canon.TypeUndefined || v.Type() == canon.TypeBool && !v.True())
	}
	return names, ok && (len(names) > 0 || schema.Has("properties") && schema.Has("additionalProperties"))
}
