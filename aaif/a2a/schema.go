package a2a

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed schema/http.json
var schemas []byte

// Schemas returns the JSON Schemas of requests, answers and cards, by name. They refer to
// each other as #/components/schemas/NAME, as a description of OpenAPI has them.
func Schemas() map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(schemas, &all); err != nil {
		panic(fmt.Sprintf("a2a: embedded schema: %v", err)) // impossible: the file is in the program
	}
	return all
}
