package umpmcp

import (
	"embed"
	"encoding/json"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/ump"
)

// flatSchemas holds <operation>.json: the arguments for models. Every session pays for
// each word of them. What other arguments mean is said in [flatNames] and [ump.RequestSchema].
//
//go:embed schema/*.json
var flatSchemas embed.FS

// inputSchema returns the schema of a tool's arguments in the spelling that is listed.
func (b *binding) inputSchema(op ump.Operation) json.RawMessage {
	schema := b.protocolSchema(op)
	if !b.options.Dotted {
		schema = flatSchema(op)
	}
	if b.options.Strict {
		return ump.StrictSchema(schema)
	}
	return schema
}

func flatSchema(op ump.Operation) json.RawMessage {
	text, err := flatSchemas.ReadFile("schema/" + string(op) + ".json")
	if err != nil {
		panic("umpmcp: an operation without a schema: " + err.Error()) // a file of this package
	}
	return text
}

// flatArguments returns the names of the arguments that are listed for models.
func flatArguments(operations []ump.Operation) map[ump.Operation][]string {
	listed := map[ump.Operation][]string{}
	for _, op := range operations {
		schema, err := canon.Parse(flatSchema(op), canon.Options{})
		if err != nil {
			panic("umpmcp: a schema is not JSON: " + err.Error()) // a file of this package
		}
		for _, m := range schema.Get("properties").Members() {
			listed[op] = append(listed[op], m.Name)
		}
	}
	return listed
}

// protocolSchema returns the schema of an operation's request, without what the
// service would refuse.
func (b *binding) protocolSchema(op ump.Operation) json.RawMessage {
	request := ump.RequestSchema(op)
	if _, ok := b.backend.(ump.Rehydrator); ok || op != ump.OpRecall {
		return request
	}
	schema, err := canon.Parse(request, canon.Options{})
	if err != nil {
		panic("umpmcp: the request schema is not JSON: " + err.Error()) // a literal of ump
	}
	return schema.With("properties", schema.Get("properties").Without("format")).Append(nil)
}

// outputSchema returns the schema of a tool's structured content: the
// operation's response, or the error envelope. Hosts hold failed results against
// it too, so it has to admit both. Of records it says what their members are, not
// what is in them: every session is sent this, and ump.ResponseSchema has it all.
func outputSchema(response json.RawMessage) json.RawMessage {
	schema, err := canon.Parse(response, canon.Options{})
	if err != nil {
		panic("umpmcp: the response schema is not JSON: " + err.Error()) // a literal of ump
	}
	schema = outlined(schema)
	text := canon.Object(canon.Member{Name: "type", Value: canon.String("string")})
	envelope := canon.Object(
		canon.Member{Name: "type", Value: canon.String("object")},
		canon.Member{Name: "properties", Value: canon.Object(
			canon.Member{Name: "code", Value: text}, canon.Member{Name: "message", Value: text})},
		canon.Member{Name: "required", Value: canon.Array(canon.String("code"), canon.String("message"))},
	)
	properties := schema.Get("properties")
	if properties.Type() != canon.TypeObject {
		properties = canon.Object()
	}
	schema = schema.With("properties", properties.With("error", envelope))
	failed := needs(canon.Array(canon.String("error")))
	if answers := schema.Get("anyOf"); answers.Len() > 0 {
		schema = schema.With("anyOf", canon.Array(append(slices.Clone(answers.Items()), failed)...))
	}
	if required := schema.Get("required"); required.Len() > 0 {
		schema = schema.Without("required").With("anyOf", canon.Array(needs(required), failed))
	}
	return schema.Append(nil)
}

// outlined returns a schema in which those of records go no deeper than their
// members.
func outlined(schema canon.Value) canon.Value {
	if items := schema.Get("items"); items.Type() == canon.TypeObject {
		schema = schema.With("items", outlined(items))
	}
	properties := schema.Get("properties")
	for _, m := range properties.Members() {
		if m.Name == "record" {
			m.Value = outline(m.Value)
		} else {
			m.Value = outlined(m.Value)
		}
		properties = properties.With(m.Name, m.Value)
	}
	if properties.Len() > 0 {
		schema = schema.With("properties", properties)
	}
	return schema
}

// outline keeps the types of a record's members.
func outline(record canon.Value) canon.Value {
	properties := record.Get("properties")
	for _, m := range properties.Members() {
		properties = properties.With(m.Name, canon.Object(canon.Member{Name: "type", Value: m.Value.Get("type")}))
	}
	return record.With("properties", properties)
}

func needs(names canon.Value) canon.Value {
	return canon.Object(canon.Member{Name: "required", Value: names})
}
