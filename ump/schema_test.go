package ump_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func compile(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, raw json.RawMessage, value string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, raw).Validate(v)
}

func TestSchemas(t *testing.T) {
	f := &learner{fake{record: mustDecode(t, vaultNote), hits: []memory.Hit{{Record: mustDecode(t, vaultNote)}}}}
	for op, requests := range map[ump.Operation][]string{
		ump.OpCapabilities: {`{}`, `{"client":{"name":"x","ump":"0.1"}}`},
		ump.OpRecall:       {`{"query":"x"}`, `{"query":"x","limit":3,"filter":{"kind":["working"],"valid_at":"2026-06-04T10:00:00Z"},"budget":5}`},
		ump.OpRemember:     {`{"record":{"body":{"text":"x"}}}`, `{"record":` + vaultNote + `}`},
		ump.OpGet:          {`{"id":"urn:ump:a"}`, `{"id":"urn:ump:a","view":"origin"}`},
		ump.OpRevise:       {`{"id":"urn:ump:a","patch":{"body":{"text":"x"},"consent":{"exportable":false}}}`},
		ump.OpForget:       {`{"id":"urn:ump:a","reason":"outdated"}`, `{"id":"urn:ump:a","reason":"moved","hard":true}`},
		ump.OpFeedback:     {`{"id":"urn:ump:a","outcome":"ignored"}`},
	} {
		for _, request := range requests {
			t.Run("UMP-4.1-4 "+string(op)+" fits its schemas", func(t *testing.T) {
				if err := validate(t, ump.RequestSchema(op), request); err != nil {
					t.Errorf("request %s: %v", request, err)
				}
				answer, err := call(f, op, request)
				if err != nil {
					t.Fatal(err)
				}
				if err := validate(t, ump.ResponseSchema(op), answer); err != nil {
					t.Errorf("answer %s: %v", answer, err)
				}
			})
		}
	}
	for op, answer := range map[ump.Operation]string{
		ump.OpRecall: `{"framed":"x","injected":["urn:ump:a"],"dropped":[{"id":"urn:ump:b","reason":"budget"}]}`, ump.OpForget: `{"result":"erased","pending":true}`,
	} {
		if err := validate(t, ump.ResponseSchema(op), answer); err != nil {
			t.Errorf("%s: answer %s: %v", op, answer, err)
		}
	}
	for op, answers := range map[ump.Operation][]string{
		ump.OpRecall: {`{}`, `{"framed":"x"}`, `{"framed":"x","injected":[],"dropped":[{"id":"urn:ump:b"}]}`}, ump.OpForget: {`{"result":"pending"}`, `{"pending":true}`},
	} {
		for _, answer := range answers {
			if validate(t, ump.ResponseSchema(op), answer) == nil {
				t.Errorf("%s: the schema allows the answer %s, which is never given", op, answer)
			}
		}
	}
	if err := validate(t, ump.RequestSchema(ump.OpRecall), `{"query":"x","format":"framed"}`); err != nil {
		t.Error(err)
	}
	for op, request := range map[ump.Operation]string{
		ump.OpRecall: `{}`, ump.OpRemember: `{"record":{}}`, ump.OpGet: `{}`, ump.OpRevise: `{"id":"urn:ump:a"}`, ump.OpForget: `{"id":"urn:ump:a"}`, ump.OpFeedback: `{"id":"urn:ump:a","outcome":"good"}`,
	} {
		if validate(t, ump.RequestSchema(op), request) == nil {
			t.Errorf("%s: the schema allows %s, which is refused", op, request)
		}
	}
	if ump.RequestSchema("consolidate") != nil || ump.ResponseSchema("record") != nil {
		t.Error("there is a schema of no operation")
	}
}

func TestSchemaNeeds(t *testing.T) {
	needs := func(op ump.Operation, pointer string) string {
		v, _ := parse(t, ump.RequestSchema(op)).At(pointer)
		return string(v.Append(nil))
	}
	t.Run("UMP-3.3-1 a model has to give a text and nothing else", func(t *testing.T) {
		for pointer, want := range map[string]string{"/required": `["record"]`, "/properties/record/required": `["body"]`, "/properties/record/properties/body/required": `["text"]`} {
			if got := needs(ump.OpRemember, pointer); got != want {
				t.Errorf("%s is %s, want %s", pointer, got, want)
			}
		}
	})
	t.Run("UMP-3.2-1 a model has to give a query and nothing else", func(t *testing.T) {
		if got := needs(ump.OpRecall, "/required"); got != `["query"]` {
			t.Errorf("required is %s", got)
		}
	})
	t.Run("UMP-2.1-1 the kinds are the five", func(t *testing.T) {
		if got := needs(ump.OpRemember, "/properties/record/properties/kind/enum"); got != `["semantic","episodic","procedural","working","identity"]` {
			t.Errorf("they are %s", got)
		}
	})
	t.Run("UMP-1-3 the record has the members of section 2", func(t *testing.T) {
		record, _ := parse(t, ump.ResponseSchema(ump.OpGet)).At("/properties/record/properties")
		got := slices.Sorted(maps.Keys(byName(record)))
		want := []string{"body", "consent", "id", "integrity", "kind", "lifecycle", "provenance", "relations", "scope", "superseded_by", "supersedes", "time", "ump"}
		if !slices.Equal(got, want) {
			t.Errorf("they are %v", got)
		}
	})
}

func byName(v canon.Value) map[string]canon.Value {
	m := map[string]canon.Value{}
	for _, member := range v.Members() {
		m[member.Name] = member.Value
	}
	return m
}
