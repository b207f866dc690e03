package faketool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// child is the argument by which a child of the test's program knows what it is.
const child = "faketool-child"

// Role is what a child is.
type Role string

// The roles. Every write is a line in the child's file: the name of the tool and the
// idempotency key.
const (
	MCP           Role = "mcp"             // an MCP server over standard input and output
	MCPDropsAfter Role = "mcp_drops_after" // one that ends after its first write, without an answer
	MCPHangs      Role = "mcp_hangs"       // one that answers nothing
	Function      Role = "function"        // writes, and answers with its arguments, its environment and its folder
	FunctionFails Role = "function_fails"  // writes, and ends with 3
	FunctionHangs Role = "function_hangs"  // writes, starts a process that hangs, and hangs
	FunctionDies  Role = "function_dies"   // writes, and kills itself
	FunctionFlood Role = "function_flood"  // writes, and answers without an end
	hangs         Role = "hangs"
)

// Command returns the command of a child that writes to a file.
func Command(role Role, file string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err) // a test that cannot find its own program has no children
	}
	return []string{self, child, string(role), file}
}

// Written returns the lines of a child's file. A file that is not there has none.
func Written(file string) []string {
	raw, _ := os.ReadFile(file)
	return strings.FieldsFunc(string(raw), func(r rune) bool { return r == '\n' })
}

// Child plays a child and ends the program, if the program was started as one. TestMain
// calls it first.
func Child() {
	if len(os.Args) < 4 || os.Args[1] != child {
		return
	}
	c := &childProgram{role: Role(os.Args[2]), file: os.Args[3]}
	switch c.role {
	case MCP, MCPDropsAfter:
		_ = mcpServer(c.write).Run(context.Background(), &mcp.StdioTransport{}) // it ends when its input does
		os.Exit(0)
	case MCPHangs, hangs:
		time.Sleep(time.Hour)
	default:
		c.function()
	}
	os.Exit(0)
}

// childProgram is what a child does.
type childProgram struct {
	role Role
	file string
	n    int
}

// write adds a line to the file.
func (c *childProgram) write(name, key string) int {
	f, err := os.OpenFile(c.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(9)
	}
	if _, err := fmt.Fprintln(f, strings.TrimSpace(name+" "+key)); err != nil || f.Close() != nil {
		os.Exit(9)
	}
	if c.role == MCPDropsAfter {
		os.Exit(0)
	}
	c.n++
	return c.n
}

// function plays a function.
func (c *childProgram) function() {
	args, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(9)
	}
	c.write("function", os.Getenv("SATCHEL_IDEMPOTENCY_KEY"))
	switch c.role {
	case FunctionFails:
		fmt.Fprintln(os.Stderr, "no such account")
		os.Exit(3)
	case FunctionHangs:
		grandchild := exec.Command(os.Args[0], child, string(hangs), c.file)
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if grandchild.Start() == nil {
			_ = os.WriteFile(c.file+".pid", fmt.Append(nil, grandchild.Process.Pid), 0o600) // the test misses it
		}
		time.Sleep(time.Hour)
	case FunctionDies:
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(time.Minute)
	case FunctionFlood:
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1<<16)); err != nil {
				os.Exit(9)
			}
		}
	}
	dir, _ := os.Getwd()
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"args": json.RawMessage(args), "env": os.Environ(), "dir": dir})
}
