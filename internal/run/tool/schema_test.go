package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

func TestSchemas(t *testing.T) {
	fake, at := served(t)
	const schema = `{"type":"object","properties":{"n":{"type":"integer","maximum":10},"who":{"enum":["a","b"]},"deep":{"type":"array","items":{"type":"object","required":["id"]}}},"required":["n"],"additionalProperties":false}`
	for name, c := range map[string]struct{ args, place string }{
		"what fits":             {`{"n":1,"who":"a","deep":[{"id":1}]}`, ""},
		"a wrong type":          {`{"n":"1"}`, "/n"},
		"too much":              {`{"n":11}`, "/n"},
		"a missing member":      {`{}`, "n"},
		"an unknown member":     {`{"n":1,"m":2}`, "m"},
		"an unknown word":       {`{"n":1,"who":"c"}`, "/who"},
		"something deep inside": {`{"n":1,"deep":[{"id":1},{}]}`, "/deep/1"},
	} {
		t.Run("AAIF-4.4-28 arguments with "+name, func(t *testing.T) {
			entry := httpTool(at + "/call/note")
			entry.Parameters = tree(t, schema)
			set := open(t, tool.Options{Operator: operator()}, entry)
			before := fake.Counts()["note"].Calls
			err := set.Check("note", tree(t, c.args))
			_, called := call(t, set, "note", c.args)
			if c.place == "" {
				if err != nil || called != nil {
					t.Errorf("got %v, %v", err, called)
				}
				return
			}
			for _, err := range []error{err, called} {
				wantError(t, err, tool.ArgsInvalid, tool.NotSent)
				if e := failure(t, err); !strings.Contains(e.Text, c.place) || e.Tool != "note" {
					t.Errorf("got %v", err)
				}
			}
			if fake.Counts()["note"].Calls != before {
				t.Error("the tool was called")
			}
		})
	}
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprint("AAIF-4.4-28 a result that violates its schema, strict ", strict), func(t *testing.T) {
			entry := httpTool(at + "/call/note")
			entry.Output = tree(t, `{"type":"object","required":["total"]}`)
			set := open(t, tool.Options{Operator: operator(), Strict: strict}, entry)
			r, err := call(t, set, "note", `{}`)
			if strict {
				wantError(t, err, outputInvalid, tool.Answered)
			} else if err != nil || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], string(outputInvalid)) || r.Text == "" {
				t.Errorf("got %+v, %v", r, err)
			}
			fake.SetFault("note", faketool.Fault{Kind: faketool.AnswerAlways, Answer: `{"total":1}`})
			defer fake.SetFault("note", faketool.Fault{})
			if r, err := call(t, set, "note", `{}`); err != nil || len(r.Warnings) > 0 {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	t.Run("AAIF-4.4-28 a tool that is not there", func(t *testing.T) {
		wantError(t, open(t, tool.Options{Operator: operator()}).Check("note", tree(t, `{}`)), aaif.ToolUnbound, tool.NotSent)
	})
}

func TestHostileSchemas(t *testing.T) {
	doubling := `{"$defs":{`
	for i := range 60 {
		doubling += fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling += `"a60":{}},"$ref":"#/$defs/a0"}`
	within := `{"$defs":{"a":{"properties":{"x":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}},"$ref":"#/$defs/a"}`
	tree60 := strings.Repeat(`{"x":`, 50) + "1" + strings.Repeat("}", 50)
	for name, c := range map[string]struct {
		schema, args string
		missing      bool
	}{
		"references that double":            {doubling, `{}`, false},
		"references that double with depth": {within, tree60, false},
		"a schema at an address":            {`{"$ref":"https://desk.example/schema.json"}`, `{}`, true},
		"a schema in a file":                {`{"$ref":"file:///etc/passwd"}`, `{}`, true},
		"no schema":                         {`{"type":7}`, `{}`, true},
		"a long schema":                     {`{"description":"` + strings.Repeat("x", 200_000) + `"}`, `{}`, true},
	} {
		t.Run("AAIF-4.4-28 "+name, func(t *testing.T) {
			_, at := served(t)
			entry := httpTool(at + "/call/note")
			entry.Parameters = tree(t, c.schema)
			begin := time.Now()
			set := open(t, tool.Options{Operator: operator()}, entry)
			if c.missing {
				wantMissing(t, set, schemaUnusable)
			} else {
				wantError(t, set.Check("note", tree(t, c.args)), tool.ArgsInvalid, tool.NotSent)
			}
			if took := time.Since(begin); took > time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprint("AAIF-4.4-28 an output_schema that lies elsewhere, strict ", strict), func(t *testing.T) {
			_, at := served(t)
			entry := httpTool(at + "/call/note")
			entry.Output = tree(t, `{"type":"array","items":{"$ref":"https://desk.example/schema.json"}}`)
			set := open(t, tool.Options{Operator: operator(), Strict: strict}, entry)
			if strict {
				wantMissing(t, set, schemaUnusable)
				return
			}
			if o := only(t, set); o.Missing != nil || len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "not held to output_schema") {
				t.Errorf("got %v and %v", o.Missing, o.Warnings)
			}
			if r, err := call(t, set, "note", `{}`); err != nil || r.IsError {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	t.Run("AAIF-4.4-28 a schema that is recursive, as they are", func(t *testing.T) {
		_, at := served(t)
		entry := httpTool(at + "/call/note")
		entry.Parameters = tree(t, `{"$defs":{"node":{"type":"object","properties":{"left":{"$ref":"#/$defs/node"},"right":{"$ref":"#/$defs/node"},"n":{"type":"integer"}},"additionalProperties":false}},"$ref":"#/$defs/node"}`)
		set := open(t, tool.Options{Operator: operator()}, entry)
		node := `{"n":1}`
		for range 10 {
			node = `{"left":` + node + `,"right":` + node + `}`
		}
		if err := set.Check("note", tree(t, node)); err != nil {
			t.Error(err)
		}
		wantError(t, set.Check("note", tree(t, `{"left":{"right":{"n":"1"}}}`)), tool.ArgsInvalid, tool.NotSent)
	})
	t.Run("AAIF-4.4-28 arguments that are too long", func(t *testing.T) {
		_, at := served(t)
		set := open(t, tool.Options{Operator: operator()}, httpTool(at+"/call/note"))
		wantError(t, set.Check("note", tree(t, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`)), tool.ArgsInvalid, tool.NotSent)
	})
}
