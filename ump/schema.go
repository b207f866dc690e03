package ump

import (
	"embed"
	"encoding/json"
	"strings"
)

// schemas holds <operation>.request.json and <operation>.response.json, and
// record.json and warnings.json, which replace "RECORD" and "WARNINGS" in the
// responses.
//
//go:embed schema/*.json
var schemas embed.FS

// RequestSchema returns the JSON Schema of an operation's request (section 3), with
// descriptions for models. It is nil for an unknown operation. The caller may modify
// it.
func RequestSchema(op Operation) json.RawMessage { return schemaOf(string(op) + ".request") }

// ResponseSchema returns the JSON Schema of an operation's response. It is nil for an
// unknown operation. The caller may modify it.
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
