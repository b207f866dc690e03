package ump

import (
	"embed"
	"encoding/json"
	"strings"
)

// schemas holds <operation>.request.json and <operation>.response.json, and
// record.json and warnings.json, which stand in the responses wherever they say
// "RECORD" and "WARNINGS".
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
	schema := string(text)
	for _, shared := range []string{"record", "warnings"} {
		part, err := schemas.ReadFile("schema/" + shared + ".json")
		if err != nil {
			return nil
		}
		schema = strings.ReplaceAll(schema, `"`+strings.ToUpper(shared)+`"`, string(part))
	}
	return json.RawMessage(schema)
}
