package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// watched skips a test where processes cannot be seen.
func watched(t testing.TB) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("there is no /proc")
	}
}

// runs reports whether a process works with a file: its path is among the arguments.
func runs(file string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		raw, _ := os.ReadFile(name)
		if strings.Contains(string(raw), file) {
			return true
		}
	}
	return false
}

func function(t testing.TB, role faketool.Role) (tool.Operator, string, aaif.Tool) {
	file := t.TempDir() + "/written"
	o := operator()
	o.Functions = []tool.Function{{Name: "stamp", Program: tool.Program{Command: faketool.Command(role, file), Dir: t.TempDir(), Env: []string{"ZONE"}}}}
	return o, file, aaif.Tool{Name: "stamp", Description: "d", Timeout: 1}
}

func TestFunction(t *testing.T) {
	t.Parallel()
	t.Run("AAIF-4.4-4 a function gets its arguments, its folder and its variables", func(t *testing.T) {
		o, file, entry := function(t, faketool.Function)
		entry.Parameters = tree(t, `{"type":"object","properties":{"b":{"type":"integer"}},"x-order":["z","a"]}`)
		entry.Timeout = 10
		var asked []string
		set := open(t, tool.Options{Operator: o, Env: func(name string) (string, bool) {
			asked = append(asked, name)
			return "UTC", true
		}}, entry)
		offer := only(t, set)
		if string(offer.Parameters.Append(nil)) != string(entry.Parameters.Append(nil)) || !offer.Nature.Bound || offer.Nature.ReadOnly {
			t.Errorf("offered %+v", offer)
		}
		r, err := call(t, set, "stamp", `{"b":2}`)
		if err != nil || r.IsError {
			t.Fatalf("got %+v, %v", r, err)
		}
		if r.Value.Get("args").Get("b").Float() != 2 || string(r.Value.Get("env").Append(nil)) != `["ZONE=UTC","SATCHEL_IDEMPOTENCY_KEY=k1"]` ||
			!strings.HasPrefix(filepath.Base(filepath.Dir(r.Value.Get("dir").Text())), "TestFunction") {
			t.Errorf("got %s", r.Text)
		}
		if got := faketool.Written(file); len(got) != 1 || got[0] != "function k1" {
			t.Errorf("written %q", got)
		}
		if len(asked) != 1 {
			t.Errorf("read %q of the environment", asked)
		}
	})
	t.Run("AAIF-4.4-5 a function that nobody registered", func(t *testing.T) {
		wantMissing(t, open(t, tool.Options{Operator: operator()}, aaif.Tool{Name: "stamp"}), aaif.ToolUnbound)
	})
	for _, c := range []struct {
		role    faketool.Role
		code    aaif.Code
		outcome tool.Outcome
	}{
		{faketool.FunctionFails, "", ""},
		{faketool.FunctionHangs, tool.Timeout, tool.Unknown},
		{faketool.FunctionDies, tool.OutcomeUnknown, tool.Unknown},
		{faketool.FunctionFlood, outputInvalid, tool.Unknown},
	} {
		t.Run("AAIF-4.4-26 one call of "+string(c.role), func(t *testing.T) {
			o, file, entry := function(t, c.role)
			if c.role != faketool.FunctionHangs {
				entry.Timeout = 20
			}
			r, err := call(t, open(t, tool.Options{Operator: o}, entry), "stamp", `{}`)
			if c.code != "" {
				wantError(t, err, c.code, c.outcome)
			} else if err != nil || !r.IsError || !strings.Contains(r.Text, "ends with 3: no such account") {
				t.Errorf("got %+v, %v", r, err)
			}
			if got := faketool.Written(file); len(got) != 1 {
				t.Errorf("written %q", got)
			}
			within(t, 5*time.Second, "nothing is left running", func() bool { return !runs(file) })
		})
	}
	t.Run("AAIF-4.4-26 a program that is not there", func(t *testing.T) {
		o, _, entry := function(t, faketool.Function)
		o.Functions[0].Command = []string{"/nowhere/stamp"}
		_, err := call(t, open(t, tool.Options{Operator: o}, entry), "stamp", `{}`)
		wantError(t, err, tool.Unreachable, tool.NotSent)
	})
	t.Run("AAIF-4.9-13 what the operator says of a function", func(t *testing.T) {
		o, _, entry := function(t, faketool.Function)
		o.Functions[0].ReadOnly, o.Functions[0].Idempotent = true, true
		if got := only(t, open(t, tool.Options{Operator: o}, entry)).Nature; !got.ReadOnly || !got.Idempotent {
			t.Errorf("got %+v", got)
		}
	})
}

func TestGrants(t *testing.T) {
	fake, at := served(t)
	for name, c := range map[string]struct {
		grants  []tool.Grant
		granted bool
	}{
		"none":                {nil, false},
		"of the agent":        {[]tool.Grant{{Agent: "a1", Tools: []string{"note"}}}, true},
		"of every agent":      {[]tool.Grant{{Agent: "*", Tools: []string{"note"}}}, true},
		"of every tool":       {[]tool.Grant{{Agent: "a1", Tools: []string{"*"}}}, true},
		"of another agent":    {[]tool.Grant{{Agent: "a2", Tools: []string{"*"}}}, false},
		"of another tool":     {[]tool.Grant{{Agent: "a1", Tools: []string{"not"}}}, false},
		"that leads there":    {[]tool.Grant{{Agent: "a1", Tools: []string{"note"}, Endpoints: map[string]string{"note": at + "/call/note"}}}, true},
		"that led elsewhere":  {[]tool.Grant{{Agent: "a1", Tools: []string{"note"}, Endpoints: map[string]string{"note": at + "/call/other"}}}, false},
		"of a tool in an MCP": {[]tool.Grant{{Agent: "a1", Tools: []string{"desk__write"}}}, false},
	} {
		t.Run("AAIF-12-2 a grant "+name, func(t *testing.T) {
			before := len(fake.Requests("note"))
			o := operator()
			o.Grants = c.grants
			set := open(t, tool.Options{Operator: o, Agent: "a1"}, httpTool(at+"/call/note"))
			_, err := call(t, set, "note", `{}`)
			if c.granted {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantMissing(t, set, NotGranted)
			wantError(t, err, NotGranted, tool.NotSent)
			if len(fake.Requests("note")) != before {
				t.Error("the tool was called")
			}
		})
	}
	t.Run("AAIF-12-2 no server is contacted, and no process started, without a grant", func(t *testing.T) {
		o, file := stdio(t, faketool.MCP)
		o.Grants = nil
		before := len(fake.Requests("mcp"))
		set := open(t, tool.Options{Operator: o, Agent: "a1"}, mcpTool(at+"/mcp"), mcpTool("mcp://desk"))
		for _, offer := range set.Offered() {
			if offer.Missing == nil || offer.Missing.Code != NotGranted {
				t.Errorf("got %+v", offer)
			}
		}
		if len(fake.Requests("mcp")) != before || runs(file) {
			t.Error("a server was contacted")
		}
	})
	t.Run("AAIF-12-2 one tool of a server", func(t *testing.T) {
		o := operator()
		o.Grants = []tool.Grant{{Agent: "a1", Tools: []string{"desk__read"}}}
		set := open(t, tool.Options{Operator: o, Agent: "a1"}, mcpTool(at+"/mcp"))
		if got := names(set); got != "desk__read" {
			t.Errorf("got %s", got)
		}
	})
}
