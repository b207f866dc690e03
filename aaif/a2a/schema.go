package a2a

import (
	_ "embed"
	"slices"
)

//go:embed schema/http.json
var schemas []byte

// Schemas returns an object with the JSON Schemas of requests, answers and cards, by name.
// They refer to each other as #/components/schemas/NAME, as a description of OpenAPI has
// them.
func Schemas() []byte { return slices.Clone(schemas) }
