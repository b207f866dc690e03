package engram

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed schema/http.json
var exchangeSchemas []byte

// Schemas returns the JSON Schemas of everything that the API exchanges (section 3.9), by
// name. They refer to each other as #/components/schemas/NAME, as a description of OpenAPI
// has them; a definition of EngramContext has the name EngramContext and its own.
func Schemas() map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(exchangeSchemas, &all); err != nil {
		panic(fmt.Sprintf("engram: embedded schema: %v", err)) // impossible: the file is in the program
	}
	all["EngramContext"] = Schema(StrictWrite)
	return all
}
