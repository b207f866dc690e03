package ump

import (
	"embed"
	"encoding/json"
	"strings"
)

// schemas holds <operation>.request.json and <operation>.response.json, and
// record.json, which stands in the responses wherever they say "RECORD".
//
//go:embed schema/*.json
var schemas embed.FS

// RequestSchema returns the JSON Schema of an operation's request (section 3),
// worded for a model that has to fill it in. It is nil for an operation there
// is none for. The caller may modify it.
func RequestSchema(op Operation) json.RawMessage { return schemaOf(string(op) + ".request") }

// ResponseSchema returns the JSON Schema of an operation's response. It is nil
// for an operation there is none for. The caller may modify it.
func ResponseSchema(op Operation) json.RawMessage { return schemaOf(string(op) + ".response") }

func schemaOf(name string) json.RawMessage {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		return nil
	}
	record, err := schemas.ReadFile("schema/record.json")
	if err != nil {
		return nil
	}
	return json.RawMessage(strings.ReplaceAll(string(text), `"RECORD"`, string(record)))
}
