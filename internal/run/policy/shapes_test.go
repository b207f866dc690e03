package policy_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

const receipt = `{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"}}}`

func TestInput(t *testing.T) {
	s, err := policy.NewShapes(agent(t, `"io":{"input_schema":`+receipt+`}`))
	if err != nil {
		t.Fatal(err)
	}
	for input, code := range map[string]aaif.Code{
		`{"amount":3}`:   "",
		`{"amount":"3"}`: aaif.InputSchemaViolation,
		`{}`:             aaif.InputSchemaViolation,
		`"amount"`:       aaif.InputSchemaViolation,
	} {
		t.Run("AAIF-4-18 "+input, func(t *testing.T) {
			if err := s.CheckInput(value(t, input)); aaif.CodeOf(err) != code {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-4-18 without a schema every input will do", func(t *testing.T) {
		s, err := policy.NewShapes(agent(t, ""))
		if err != nil || s.CheckInput(value(t, `[]`)) != nil {
			t.Error("refused", err)
		}
	})
	for _, schema := range []string{`{"type":"objekt"}`, `{"$ref":"https://example.com/s.json"}`, `{"$ref":"file:///etc/passwd"}`, `"text"`, `{"pattern":"(?=a)"}`} {
		t.Run("AAIF-4-18 a schema that cannot be used: "+schema, func(t *testing.T) {
			if _, err := policy.NewShapes(agent(t, `"io":{"input_schema":`+schema+`}`)); aaif.CodeOf(err) != aaif.SchemaUnusable {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOutput(t *testing.T) {
	const bad = aaif.OutputSchemaViolation
	for _, c := range []struct {
		members, text string
		code          aaif.Code
		want          string
	}{
		{`"model":{"response_format":"text"}`, "Hello", "", "Hello"},
		{`"model":{"response_format":"markdown"}`, "```json\n{}\n```", "", "```json\n{}\n```"},
		{`"model":{"response_format":"json"}`, `{"a":1}`, "", `{"a":1}`},
		{`"model":{"response_format":"json"}`, "```json\n{\"a\":1}\n```", "", `{"a":1}`},
		{`"model":{"response_format":"json"}`, "Here it is:\n\n```json\n{\"a\":1}\n```\nBye", "", `{"a":1}`},
		{`"model":{"response_format":"json"}`, "```\n[1]\n```", "", `[1]`},
		{`"model":{"response_format":"json"}`, "```json\n1\n```\n```json\n2\n```", bad, ""},
		{`"model":{"response_format":"json"}`, "{\"a\":\"```json\\n2\\n```\"}", "", "{\"a\":\"```json\\n2\\n```\"}"},
		{`"model":{"response_format":"json"}`, "Hello", bad, ""},
		{`"model":{"response_format":"json"}`, `{"a":1,"a":2}`, bad, ""},
		{`"io":{"format":"json"}`, "Hello", bad, ""},
		{`"io":{"format":"structured"}`, "Hello", bad, ""},
		{`"io":{"format":"markdown"}`, "Hello", "", "Hello"},
		{`"model":{"response_format":"json_schema"},"io":{"output_schema":` + receipt + `}`, `{"amount":1.5}`, "", `{"amount":1.5}`},
		{`"model":{"response_format":"json_schema"},"io":{"output_schema":` + receipt + `}`, `{"amount":"1.5"}`, bad, ""},
		{`"model":{"response_format":"json_schema"},"io":{"output_schema":` + receipt + `}`, `about 1.5`, bad, ""},
		{`"model":{"response_format":"json_schema"}`, `{"amount":1.5}`, "", `{"amount":1.5}`},
		{`"io":{"output_schema":` + receipt + `}`, "```json\n{\"amount\":2}\n```", "", `{"amount":2}`},
		{`"io":{"output_schema":` + receipt + `}`, "about 2", bad, ""},
		{`"io":{"output_schema":{"type":"string","maxLength":5}}`, "42", "", "42"},
		{`"io":{"output_schema":{"type":"string","maxLength":5}}`, "longer", bad, ""},
	} {
		t.Run("AAIF-4-14 "+c.members+" "+c.text, func(t *testing.T) {
			s, err := policy.NewShapes(agent(t, c.members))
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.CheckOutput(c.text)
			if aaif.CodeOf(err) != c.code {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				want(t, "answer", got, c.want)
			}
		})
	}
}
