package agentdoc

import (
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// unusableSchemas warns of the schemas of a definition that no run of Satchel can use, such as
// one that refers to another document, and says what follows.
func unusableSchemas(d aaif.Definition) (found []*codec.ParseError) {
	try := func(pointer, rule string, schema canon.Value, effect string) {
		if schema.Type() == canon.TypeUndefined {
			return
		}
		if _, err := shape.Compile(schema); err != nil {
			p := aaif.Violation("aaif", aaif.SchemaUnusable, rule, pointer, "%v; a run of Satchel %s", err, effect)
			p.Warning = true
			found = append(found, p)
		}
	}
	const lacks = "does without the tool"
	for i, t := range d.Agent.Tools {
		at := fmt.Sprintf("/agent/tools/%d/", i)
		try(at+"parameters_schema", "4.4-28", t.Parameters, lacks)
		effect := "does not hold answers to it"
		if d.Agent.Compliance.Safety.IsStrict() {
			effect = lacks
		}
		try(at+"output_schema", "4.4-28", t.Output, effect)
	}
	try("/agent/io/input_schema", "4-18", d.Agent.IO.Input, "does not start")
	try("/agent/io/output_schema", "4-18", d.Agent.IO.Output, "does not start")
	return found
}
