package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// Answers say what tools answer in test cases: by the id of a case, or "*" for every other
// one, and by the name of a tool. An array is one answer for each call of the tool, the last
// of them for all later ones.
type Answers struct{ value canon.Value }

// ReadAnswers reads answers. Each has to be for a case and a tool that there are: nobody would
// notice a misspelled one.
func ReadAnswers(v canon.Value, d aaif.Definition) (Answers, error) {
	isCase := func(id string) bool {
		return id == everyCase || slices.ContainsFunc(d.Agent.Evaluation.Cases, func(c aaif.TestCase) bool { return c.ID == id })
	}
	isTool := func(name string) bool {
		return name == run.RemoteCall || slices.ContainsFunc(d.Agent.Tools, func(t aaif.Tool) bool {
			entry, _, _ := strings.Cut(name, "__")
			return t.Name == name || t.Name == entry
		})
	}
	if v.Type() != canon.TypeObject {
		return Answers{}, fmt.Errorf(`an object is wanted: {"CASE or *": {"TOOL": answer}}`)
	}
	for _, of := range v.Members() {
		if !isCase(of.Name) {
			return Answers{}, fmt.Errorf("there is no test case %q", of.Name)
		}
		if of.Value.Type() != canon.TypeObject {
			return Answers{}, fmt.Errorf("the answers for %q are no object", of.Name)
		}
		for _, m := range of.Value.Members() {
			if !isTool(m.Name) {
				return Answers{}, fmt.Errorf("the agent has no tool %q", m.Name)
			}
		}
	}
	return Answers{v}, nil
}

// everyCase stands for all cases without answers of their own.
const everyCase = "*"

// of returns the answer to a call of a tool, the n-th from 0; undefined: there is none.
func (a Answers) of(id, name string, n int) canon.Value {
	v := a.value.Get(id).Get(name)
	if v.Type() == canon.TypeUndefined {
		v = a.value.Get(everyCase).Get(name)
	}
	if list := v.Items(); v.Type() == canon.TypeArray && len(list) > 0 {
		v = list[min(n, len(list)-1)]
	}
	return v
}

// stub answers calls of tools in a test case: as it is told to, or with a value that the
// tool's output schema allows.
func (e *evaluation) stub(of tool.Offered, c tool.Call) (tool.Result, error) {
	e.mu.Lock()
	n := e.stubbed[of.Name]
	e.stubbed[of.Name]++
	e.mu.Unlock()
	v := e.opt.Answers.of(e.now, of.Name, n)
	if v.Type() == canon.TypeUndefined {
		v = sample(of.Output)
	}
	if v.Type() == canon.TypeString {
		return tool.Result{Text: v.Text(), Value: v}, nil
	}
	return tool.Result{Text: string(v.AppendCanonical(nil)), Value: v}, nil
}

// sample returns a value that a schema allows: the first of its own examples that does, else
// one that is made of its types.
func sample(schema canon.Value) canon.Value {
	if schema.Type() == canon.TypeUndefined {
		return canon.Object(canon.Member{Name: "ok", Value: canon.Bool(true)})
	}
	s, err := shape.Compile(schema)
	for _, v := range slices.Concat(given(schema), []canon.Value{made(schema, 0)}) {
		if err == nil && len(s.Check(v)) == 0 {
			return v
		}
	}
	return canon.Object()
}

// given returns the values that a schema names itself.
func given(schema canon.Value) []canon.Value {
	var all []canon.Value
	for _, name := range []string{"const", "default"} {
		if schema.Has(name) {
			all = append(all, schema.Get(name))
		}
	}
	return slices.Concat(all, schema.Get("examples").Items(), schema.Get("enum").Items())
}

// mostMade bounds how deep a value is made, and how many items a list gets. Within mostLists lists
// or objects, a list gets one item.
const (
	mostMade  = 8
	mostLists = 3
)

// made makes a value of the types of a schema.
func made(schema canon.Value, deep int) canon.Value {
	if all := given(schema); len(all) > 0 {
		return all[0]
	}
	for _, name := range []string{"oneOf", "anyOf", "allOf"} {
		if list := schema.Get(name).Items(); len(list) > 0 && !schema.Has("type") && deep < mostMade {
			return made(list[0], deep+1)
		}
	}
	kind := schema.Get("type")
	if list := kind.Items(); len(list) > 0 {
		kind = list[0]
	}
	switch kind.Text() {
	case "string":
		return canon.String(textFor(schema))
	case "integer", "number":
		if schema.Has("minimum") {
			return schema.Get("minimum")
		}
		return canon.Int(max(0, int64(schema.Get("exclusiveMinimum").Float())+1))
	case "boolean":
		return canon.Bool(true)
	case "null":
		return canon.Null()
	case "array":
		var items []canon.Value
		n := min(int(schema.Get("minItems").Float()), mostMade)
		if deep >= mostLists {
			n = min(n, 1)
		}
		if n > 0 {
			items = slices.Repeat([]canon.Value{made(schema.Get("items"), deep+1)}, n)
		}
		return canon.Array(items...)
	}
	var members []canon.Member
	for _, m := range schema.Get("properties").Members() {
		if deep < mostMade {
			members = append(members, canon.Member{Name: m.Name, Value: made(m.Value, deep+1)})
		}
	}
	return canon.Object(members...)
}

// textFor returns a text for a schema of texts.
func textFor(schema canon.Value) string {
	switch schema.Get("format").Text() {
	case "date-time":
		return "2026-01-01T00:00:00Z"
	case "date":
		return "2026-01-01"
	case "email":
		return "someone@example.org"
	case "uri":
		return "https://example.org/"
	case "uuid":
		return "00000000-0000-4000-8000-000000000000"
	}
	text := "sample"
	for len(text) < min(int(schema.Get("minLength").Float()), 10_000) {
		text += " sample"
	}
	if most := int(schema.Get("maxLength").Float()); most > 0 && most < len(text) {
		text = text[:most]
	}
	return text
}
