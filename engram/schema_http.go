package engram

import (
	_ "embed"
	"slices"
)

//go:embed schema/http.json
var exchangeSchemas []byte

// Schemas returns an object with the JSON Schemas of everything that the API exchanges
// (section 3.9) besides contexts, by name. They refer to each other as
// #/components/schemas/NAME, as a description of OpenAPI has them, and to that of contexts
// as EngramContext; a definition in it has the name EngramContext and its own.
func Schemas() []byte { return slices.Clone(exchangeSchemas) }
