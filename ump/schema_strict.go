package ump

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/canon"
)

// StrictSchema returns a schema of arguments in the form that OpenAI requires for
// "strict" functions: every object is closed, every property required, and optional
// properties may be null. Dispatch accepts such requests: null means a missing member.
// StrictSchema leaves out bounds of numbers. It returns a value that is not a JSON
// object unchanged.
func StrictSchema(schema json.RawMessage) json.RawMessage {
	v, err := canon.Parse(schema, canon.Options{})
	if err != nil || v.Type() != canon.TypeObject {
		return schema
	}
	return strict(v).Append(nil)
}

func strict(v canon.Value) canon.Value {
	v = v.Without("minimum").Without("maximum")
	if items := v.Get("items"); items.Type() == canon.TypeObject {
		v = v.With("items", strict(items))
	}
	if v.Get("type").Text() != "object" {
		return v
	}
	needed := map[string]bool{}
	for _, name := range v.Get("required").Items() {
		needed[name.Text()] = true
	}
	properties, names := canon.Object(), []canon.Value{}
	for _, m := range v.Get("properties").Members() {
		inner := strict(m.Value)
		if !needed[m.Name] {
			inner = nullable(inner)
		}
		properties, names = properties.With(m.Name, inner), append(names, canon.String(m.Name))
	}
	return v.With("properties", properties).With("required", canon.Array(names...)).With("additionalProperties", canon.Bool(false))
}

// nullable allows null beside a schema's type and enum.
func nullable(v canon.Value) canon.Value {
	if t := v.Get("type"); t.Type() == canon.TypeString {
		v = v.With("type", canon.Array(t, canon.String("null")))
	}
	if words := v.Get("enum"); words.Type() == canon.TypeArray {
		v = v.With("enum", words.WithItem(words.Len(), canon.Null()))
	}
	return v
}
