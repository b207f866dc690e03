package aaif

import "github.com/satchel-memory/satchel/canon"

// contextMember is the JSON-LD context of a document. plainContext keeps that context in
// a plain document, where the only additional members are extensions
// (AAIF-U.context.jsonld-1).
const (
	contextMember = "@context"
	plainContext  = "x-context"
)

// Vocabulary is the namespace of the member names.
const Vocabulary = "https://schemacommons.org/SC-006/vocab#"

// Context returns the JSON-LD context of documents: names are terms of [Vocabulary], ids
// are identifiers, times are times, and open values are JSON.
func Context() canon.Value {
	const xsd, schema = "http://www.w3.org/2001/XMLSchema#", "https://schema.org/"
	text := func(s string) canon.Value { return canon.String(s) }
	typed := func(id, typ string) canon.Value {
		return canon.Object(canon.Member{Name: "@id", Value: text(id)}, canon.Member{Name: "@type", Value: text(typ)})
	}
	members := []canon.Member{
		{Name: "@version", Value: canon.Number(1.1)},
		{Name: "@vocab", Value: text(Vocabulary)},
		{Name: "name", Value: text(schema + "name")},
		{Name: "description", Value: text(schema + "description")},
		{Name: "license", Value: text(schema + "license")},
	}
	for _, name := range []string{"created_at", "updated_at", "checkpoint_at", "captured_at", "submitted_at", "generated_at"} {
		members = append(members, canon.Member{Name: name, Value: typed(Vocabulary+name, xsd+"dateTime")})
	}
	for _, name := range []string{"parameters_schema", "output_schema", "input_schema", "extended", "arguments", "variables", "expr", "input", "expected_output", "output"} {
		members = append(members, canon.Member{Name: name, Value: typed(Vocabulary+name, "@json")})
	}
	return canon.Object(members...)
}

// ToJSONLD returns a document in JSON-LD. Its first member is the context that the
// document was read with, or [Context].
func ToJSONLD(v canon.Value) canon.Value {
	context := v.Get(plainContext)
	if context.Type() == canon.TypeUndefined {
		context = Context()
	}
	members := []canon.Member{{Name: contextMember, Value: context}}
	for _, m := range v.Members() {
		if m.Name != plainContext {
			members = append(members, m)
		}
	}
	return canon.Object(members...)
}

// FromJSONLD returns the plain document of one in JSON-LD. The context changes no
// content; a context other than [Context] is kept as an extension.
func FromJSONLD(v canon.Value) canon.Value {
	context := v.Get(contextMember)
	v = v.Without(contextMember)
	if context.Type() == canon.TypeUndefined || canon.Equal(context, Context()) {
		return v
	}
	return v.With(plainContext, context)
}
