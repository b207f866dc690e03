package ump_test

import (
	"encoding/json"
	"testing"

	"github.com/satchel-memory/satchel/ump"
)

func TestStrictSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":1}},"required":["a"]}`: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}},"required":["a","b"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`:                                        `{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}},"required":["a"]}`: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":["string","null"]}},` +
			`"required":["b"],"additionalProperties":false}}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","properties":{}}`: `{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
		`[]`:                                `[]`,
		`{`:                                 `{`,
	} {
		if got := ump.StrictSchema(json.RawMessage(schema)); string(got) != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", schema, got, want)
		}
	}
}
