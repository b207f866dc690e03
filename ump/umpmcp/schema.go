package umpmcp

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/canon"
)

// outputSchema returns the schema of a tool's structured content: the
// operation's response, or the error envelope. Hosts hold failed results against
// it too, so it has to admit both.
func outputSchema(response json.RawMessage) json.RawMessage {
	schema, err := canon.Parse(response, canon.Options{})
	if err != nil {
		panic("umpmcp: the response schema is not JSON: " + err.Error()) // a literal of ump
	}
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
	if required := schema.Get("required"); required.Len() > 0 {
		schema = schema.Without("required").With("anyOf", canon.Array(needs(required), needs(canon.Array(canon.String("error")))))
	}
	return schema.Append(nil)
}

func needs(names canon.Value) canon.Value {
	return canon.Object(canon.Member{Name: "required", Value: names})
}
