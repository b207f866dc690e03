package umpmcp

import (
	"embed"
	"encoding/json"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/ump"
)

// flatSchemas holds <operation>.json: the arguments for models. Every session pays for
// each word. [flatNames] and [ump.RequestSchema] describe the other arguments.
//
//go:embed schema/*.json
var flatSchemas embed.FS

// inputSchema returns the schema of a tool's arguments in the listed spelling.
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

// flatArguments returns the names of the listed arguments for models.
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

// protocolSchema returns the schema of an operation's request, without arguments that the
// service refuses.
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

// outputSchema returns the schema of a tool's structured content: the operation's
// response, or the error envelope, because hosts also validate failed results. It lists
// the members of records without their contents, because every session receives it;
// ump.ResponseSchema has the whole schema.
func outputSchema(response json.RawMessage) json.RawMessage {
	schema, err := canon.Parse(response, canon.Options{})
	if err != nil {
		panic("umpmcp: the response schema is not JSON: " + err.Error()) // a literal of ump
	}
	schema = outlineRecords(schema)
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
	failed := requires(canon.Array(canon.String("error")))
	if answers := schema.Get("anyOf"); answers.Len() > 0 {
		schema = schema.With("anyOf", canon.Array(append(slices.Clone(answers.Items()), failed)...))
	}
	if required := schema.Get("required"); required.Len() > 0 {
		schema = schema.Without("required").With("anyOf", canon.Array(requires(required), failed))
	}
	return schema.Append(nil)
}

// outlineRecords reduces the schemas of records to their members.
func outlineRecords(schema canon.Value) canon.Value {
	if items := schema.Get("items"); items.Type() == canon.TypeObject {
		schema = schema.With("items", outlineRecords(items))
	}
	properties := schema.Get("properties")
	for _, m := range properties.Members() {
		if m.Name == "record" {
			m.Value = outline(m.Value)
		} else {
			m.Value = outlineRecords(m.Value)
		}
		properties = properties.With(m.Name, m.Value)
	}
	if properties.Len() > 0 {
		schema = schema.With("properties", properties)
	}
	return schema
}

// outline reduces the schema of a record to the types of its members.
func outline(record canon.Value) canon.Value {
	properties := record.Get("properties")
	for _, m := range properties.Members() {
		properties = properties.With(m.Name, canon.Object(canon.Member{Name: "type", Value: m.Value.Get("type")}))
	}
	return record.With("properties", properties)
}

func requires(names canon.Value) canon.Value {
	return canon.Object(canon.Member{Name: "required", Value: names})
}
