package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// componentPath precedes the name of a schema in a reference.
const componentPath = "#/components/schemas/"

// definitionPath precedes the name of a definition within a schema.
const definitionPath = "#/$defs/"

func reference(name string) object { return object{"$ref": componentPath + name} }

// addSchemas adds schemas as components. The definitions within a schema become components
// of their own, with the name of the schema and their own.
func addSchemas(to object, schemas map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		var schema object
		if err := json.Unmarshal(schemas[name], &schema); err != nil {
			return fmt.Errorf("openapi: schema %s: %w", name, err)
		}
		own, _ := schema["$defs"].(object)
		delete(schema, "$defs")
		delete(schema, "$schema")
		delete(schema, "$id")
		to[name] = hoisted(schema, name)
		for part, definition := range own {
			to[name+Capitalised(part)] = hoisted(definition, name)
		}
	}
	return nil
}

// hoisted returns a part of a schema whose references are to components.
func hoisted(v any, schema string) any {
	switch v := v.(type) {
	case object:
		for name, inner := range v {
			if to, ok := inner.(string); ok && name == "$ref" {
				v[name] = hoistedReference(to, schema)
				continue
			}
			v[name] = hoisted(inner, schema)
		}
	case list:
		for i := range v {
			v[i] = hoisted(v[i], schema)
		}
	}
	return v
}

func hoistedReference(to, schema string) string {
	if to == "#" {
		return componentPath + schema
	}
	if part, ok := strings.CutPrefix(to, definitionPath); ok {
		return componentPath + schema + Capitalised(part)
	}
	return to
}

// Capitalised returns a name such as handoff_init as HandoffInit.
func Capitalised(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
