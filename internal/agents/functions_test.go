package agents_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

// tools are tools of an agent, each "protocol name", or "name" for one without a protocol.
func tools(named ...string) string {
	var list []string
	for _, n := range named {
		protocol, name, ok := strings.Cut(n, " ")
		if !ok {
			protocol, name = "", n
		}
		members := `"name":` + quoted(name) + `,"description":"d","endpoint":"https://t.example/x"`
		if protocol != "" {
			members += `,"protocol":` + quoted(protocol)
		}
		list = append(list, `{`+members+`}`)
	}
	return `"tools":[` + strings.Join(list, ",") + `]`
}

func TestUnboundFunctions(t *testing.T) {
	books := func(o *agents.Options) { o.Functions = []string{"book"} }
	for _, c := range []struct {
		name, tools string
		off         []string
	}{
		{"that is registered", tools("function book"), nil},
		{"that is not", tools("book", "function pay"), []string{"pay"}},
		{"without a protocol", tools("pay"), []string{"pay"}},
		{"in another case", tools("function Book"), []string{"Book"}},
		{"that is none: other protocols need none", tools("http pay", "openapi refund"), nil},
	} {
		for level, strict := range map[string]bool{"minimal": false, "standard": false, "strict": true, "regulated": true} {
			t.Run("AAIF-4.4-5 a function "+c.name+", at "+level, func(t *testing.T) {
				h := open(t, running(), books)
				raw := signedBy(t, h.key, definition(c.tools, `"compliance":{"safety_level":"`+level+`"}`))
				refused := strict && c.off != nil
				if refused {
					if err := h.refuses(raw, aaif.ToolUnbound); !isKeepable(err) {
						t.Errorf("got %v", err)
					}
				}
				r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{Keep: refused})
				if err != nil || len(saying(r, "[AAIF-4.4-5]")) != len(c.off) {
					t.Fatalf("got %q, %v", r.Warnings, err)
				}
				for _, name := range c.off {
					if slices.Contains(r.Disabled, "tool.function("+name+")") == strict {
						t.Errorf("off are %q", r.Disabled)
					}
				}
				one, err := h.Agent(context.Background(), h.owner(), agentID, 0)
				if err != nil || (len(one.CannotRun) > 0) != refused || len(r.Kept.CannotRun) != len(one.CannotRun) {
					t.Errorf("cannot run for want of %q, %v", one.CannotRun, err)
				}
			})
		}
	}
	t.Run("AAIF-4.4-5 where no functions are called at all it is said once", func(t *testing.T) {
		r := open(t).taken(definition(tools("book", "pay")))
		if len(saying(r, "TOOL_UNBOUND")) > 0 || len(saying(r, "[AAIF-4.4-5]")) > 0 || len(saying(r, "tool.function")) != 1 {
			t.Errorf("got %q", r.Warnings)
		}
	})
}

// TestHeldToMore tells whom an agent holds to more than their own definitions do.
func TestHeldToMore(t *testing.T) {
	for name, c := range map[string]struct{ parent, child, want string }{
		"parent EU, child global": {`"data_residency":"EU"`, `"data_residency":"global"`, "data_residency EU"},
		"parent EU, child EU":     {`"data_residency":"EU"`, `"data_residency":"EU"`, ""},
		"parent lax, child EU":    {`"safety_level":"minimal"`, `"data_residency":"EU","audit_log":true`, ""},
		"a log, and a level":      {`"audit_log":true,"safety_level":"standard"`, `"safety_level":"minimal"`, "safety_level standard, audit_log"},
	} {
		t.Run("AAIF-4.3-26 "+name, func(t *testing.T) {
			h := open(t, running())
			h.taken(under(referring(2), c.child))
			found := saying(h.taken(under(referring(1, numbered(2)), c.parent)), "[AAIF-4.3-26]")
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("told %q", found)
			case c.want != "" && (len(found) != 1 || !strings.Contains(found[0], "("+c.want+")")):
				t.Errorf("told %q, want %s", found, c.want)
			}
		})
	}
}

// TestFresh: the service calls Fresh for each request, and so follows a change of the tables.
func TestFresh(t *testing.T) {
	var there []string
	fails := false
	h := open(t, running(), func(o *agents.Options) {
		o.Fresh = func(o *agents.Options) error {
			if fails {
				return errors.New("the table cannot be read")
			}
			o.Functions, o.Running.Capabilities.Tool.MCP = there, len(there) > 0
			return nil
		}
	})
	raw := signedBy(t, h.key, definition(tools("function pay", "mcp shelf"), `"compliance":{"safety_level":"strict"}`))
	h.refuses(raw, aaif.UnsatisfiedCapabilities)
	there = []string{"pay"}
	h.taken(raw)
	cannotRun := func() int {
		one, err := h.Agent(context.Background(), h.owner(), agentID, 0)
		list, err2 := h.Agents(context.Background(), h.owner(), "", 0)
		if err != nil || err2 != nil || len(list) != 1 || len(list[0].CannotRun) != len(one.CannotRun) {
			t.Fatal(one.CannotRun, list, err, err2)
		}
		return len(one.CannotRun)
	}
	if n := cannotRun(); n != 0 {
		t.Errorf("AAIF-4.4-5: %d reasons, and the function is there", n)
	}
	there = nil
	if n := cannotRun(); n != 2 {
		t.Errorf("AAIF-4.4-5: %d reasons, and the function is gone", n)
	}
	if m, err := h.Manifest(context.Background()); err != nil || m.Platform.Capabilities.Tool.MCP {
		t.Errorf("AAIF-7-15: %+v, %v", m.Platform.Capabilities.Tool, err)
	}
	fails = true
	if _, err := h.Agent(context.Background(), h.owner(), agentID, 0); err == nil {
		t.Error("nobody hears that the table cannot be read")
	}
}
