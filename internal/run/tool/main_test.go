package tool_test

import (
	"context"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// The codes, as the requirements spell them.
const (
	outputInvalid    aaif.Code = "TOOL_OUTPUT_INVALID"
	NotGranted       aaif.Code = "TOOL_NOT_GRANTED"
	secretUnresolved aaif.Code = "TOOL_SECRET_UNRESOLVED"
	envDenied        aaif.Code = "ENV_DENIED"
	egressDenied     aaif.Code = "EGRESS_DENIED"
	commandDenied    aaif.Code = "COMMAND_DENIED"
	serverUnknown    aaif.Code = "MCP_SERVER_UNKNOWN"
	rateLimited      aaif.Code = "RATE_LIMITED"
	schemaDrift      aaif.Code = "SCHEMA_DRIFT"
	schemaUnusable   aaif.Code = "TOOL_SCHEMA_UNUSABLE"
)

func TestMain(m *testing.M) {
	faketool.Child()
	os.Exit(m.Run())
}

func tree(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(raw), canon.Options{})
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// served returns a fake server and its address.
func served(t testing.TB) (*faketool.Server, string) {
	t.Helper()
	fake := faketool.New()
	server := httptest.NewServer(fake)
	t.Cleanup(func() {
		fake.Close()
		server.Close()
	})
	return fake, server.URL
}

// operator returns an operator that grants everything, and lets this machine be contacted.
func operator() tool.Operator {
	return tool.Operator{Egress: []string{"127.0.0.1"}, Grants: []tool.Grant{{Agent: "*", Tools: []string{"*"}}}}
}

func open(t testing.TB, o tool.Options, tools ...aaif.Tool) *tool.Set {
	t.Helper()
	set, err := tool.Open(t.Context(), tools, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Close() })
	return set
}

// only returns the one tool of a set.
func only(t testing.TB, set *tool.Set) tool.Offered {
	t.Helper()
	list := set.Offered()
	if len(list) != 1 {
		t.Fatalf("got %d tools: %+v", len(list), list)
	}
	return list[0]
}

// failure returns an error as what it is.
func failure(t testing.TB, err error) *tool.Error {
	t.Helper()
	e, ok := err.(*tool.Error)
	if !ok {
		t.Fatalf("got %v, want a *tool.Error", err)
	}
	return e
}

func wantError(t testing.TB, err error, code aaif.Code, outcome tool.Outcome) {
	t.Helper()
	if e := failure(t, err); e.Code != code || e.Outcome != outcome {
		t.Errorf("got %s and %s (%s), want %s and %s", e.Code, e.Outcome, e.Text, code, outcome)
	}
}

func wantMissing(t testing.TB, set *tool.Set, code aaif.Code) {
	t.Helper()
	if o := only(t, set); o.Missing == nil || o.Missing.Code != code || o.Nature.Bound {
		t.Errorf("got %v and %+v, want %s", o.Missing, o.Nature, code)
	}
}

func call(t testing.TB, set *tool.Set, name, args string) (tool.Result, error) {
	t.Helper()
	return set.Call(t.Context(), tool.Call{Name: name, Arguments: tree(t, args), Key: "k1"})
}

func httpTool(endpoint string) aaif.Tool {
	return aaif.Tool{Name: "note", Description: "d", Protocol: aaif.HTTPTool, Endpoint: endpoint}
}

// writesOf returns how often a tool wrote.
func writesOf(fake *faketool.Server, name string) int { return fake.Counts()[name].Writes }

// within waits for a condition.
func within(t testing.TB, limit time.Duration, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %s", what, limit)
		}
	}
}

// goroutines returns the stacks of those that this package started.
func goroutines() string {
	buffer := make([]byte, 1<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var kept []string
	for _, stack := range strings.Split(string(buffer), "\n\n") {
		if (strings.Contains(stack, "internal/run/tool.") || strings.Contains(stack, "go-sdk/mcp.(*Client") || strings.Contains(stack, "streamableClientConn") || strings.Contains(stack, "mcp.newIOConn")) &&
			!strings.Contains(stack, "tool_test.goroutines") {
			kept = append(kept, stack)
		}
	}
	return strings.Join(kept, "\n\n")
}

// clock is a clock that waiting moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Wait(_ context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return nil
}
