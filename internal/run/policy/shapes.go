package policy

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Shapes holds the input and the output of an agent to their schemas and formats (section
// 4). It is safe for concurrent use.
type Shapes struct {
	input, output *shape.Schema // nil: none is declared
	json          bool          // the output is JSON
}

// NewShapes returns the shapes of an agent. A schema that cannot be used gives an error
// with the code [aaif.SchemaUnusable]: such an agent cannot run, as nothing can be held to it.
func NewShapes(d aaif.Definition) (*Shapes, error) {
	s := &Shapes{json: wantsJSON(d.Agent)}
	for _, one := range []struct {
		schema canon.Value
		name   string
		to     **shape.Schema
	}{{d.Agent.IO.Input, "input_schema", &s.input}, {d.Agent.IO.Output, "output_schema", &s.output}} {
		if one.schema.Type() == canon.TypeUndefined {
			continue
		}
		compiled, err := shape.Compile(one.schema)
		if err != nil {
			return nil, fault(aaif.SchemaUnusable, "4-18", "/agent/io/"+one.name, "%s", err)
		}
		*one.to = compiled
	}
	return s, nil
}

// wantsJSON reports whether an agent answers in JSON.
func wantsJSON(a aaif.Agent) bool {
	return a.Model.ResponseFormat == "json" || a.Model.ResponseFormat == "json_schema" || a.IO.Format == "json" || a.IO.Format == "structured"
}

// CheckInput refuses an input that does not match io.input_schema, with the code
// [aaif.InputSchemaViolation] (AAIF-4-18). It is for before the first call of a model.
func (s *Shapes) CheckInput(input canon.Value) error {
	if s.input == nil {
		return nil
	}
	if found := s.input.Check(input); len(found) > 0 {
		return fault(aaif.InputSchemaViolation, "4-18", found[0].Pointer, "the input does not match io.input_schema: %s", shape.Text(found))
	}
	return nil
}

// CheckOutput returns what a model answered in the end, without a fence of Markdown around
// JSON. An answer that does not match io.output_schema or the format gives an error with the
// code [aaif.OutputSchemaViolation] (AAIF-4-14, AAIF-4-18). If the format is text and there is
// a schema, the text has to match it, as JSON or as a string.
func (s *Shapes) CheckOutput(text string) (string, error) {
	bare := unfenced(text)
	v, err := aaif.FromJSON([]byte(bare), aaif.ReadOptions{})
	switch {
	case err != nil && s.json:
		return "", fault(aaif.OutputSchemaViolation, "4-14", "", "the answer is no JSON")
	case err == nil && (s.json || s.output != nil):
		found := s.mismatches(v)
		if len(found) == 0 {
			return bare, nil
		}
		if s.json || len(s.mismatches(canon.String(text))) > 0 {
			return "", outputFault(found)
		}
	case s.output != nil:
		if found := s.mismatches(canon.String(text)); len(found) > 0 {
			return "", outputFault(found)
		}
	}
	return text, nil
}

func (s *Shapes) mismatches(v canon.Value) []shape.Mismatch {
	if s.output == nil {
		return nil
	}
	return s.output.Check(v)
}

func outputFault(found []shape.Mismatch) error {
	return fault(aaif.OutputSchemaViolation, "4-14", found[0].Pointer, "the answer does not match io.output_schema: %s", shape.Text(found))
}

// fence matches a fence of Markdown that holds JSON. Its closing line stands alone.
var fence = pattern.New("(?ms)^[ ]{0,3}```+[ \t]*(?:json|JSON)?[ \t]*\r?\n(.*?)\r?\n?^[ ]{0,3}```+[ \t]*$")

// unfenced returns the JSON in the one fence of an answer, or the answer itself. With
// several fences nobody knows which is meant.
func unfenced(text string) string {
	bare := strings.TrimSpace(text)
	if bare == "" || !strings.Contains(bare, "```") || bare[0] == '{' || bare[0] == '[' {
		return bare
	}
	found := fence.FindAllStringSubmatch(bare, 2)
	if len(found) != 1 {
		return bare
	}
	return strings.TrimSpace(found[0][1])
}
