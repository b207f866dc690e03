package umpmcp

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// toolName returns the name of an operation's tool in the given spelling.
func toolName(op ump.Operation, dotted bool) string {
	if dotted {
		return "ump." + string(op)
	}
	return "ump_" + string(op)
}

// operationOf returns the operation of a tool name in either spelling.
func (b *binding) operationOf(tool string) (ump.Operation, bool) {
	if len(tool) < len("ump_") || !strings.HasPrefix(tool, "ump.") && !strings.HasPrefix(tool, "ump_") {
		return "", false
	}
	op := ump.Operation(tool[len("ump_"):])
	return op, slices.Contains(b.operations, op)
}

func (b *binding) addTools(server *mcp.Server) {
	for _, op := range b.operations {
		tool := &mcp.Tool{
			Name:        toolName(op, b.options.Dotted),
			Description: description(op, b.options.Dotted),
			Annotations: annotations(op),
			InputSchema: b.inputSchema(op),
		}
		if b.options.Dotted {
			tool.OutputSchema = outputSchema(ump.ResponseSchema(op))
		}
		server.AddTool(tool, b.tool(op))
	}
}

// annotations tell a host what a call may do, so that it knows when to ask the user.
func annotations(op ump.Operation) *mcp.ToolAnnotations {
	closed, destructive := false, op == ump.OpForget
	hints := &mcp.ToolAnnotations{OpenWorldHint: &closed, DestructiveHint: &destructive}
	switch op {
	case ump.OpCapabilities, ump.OpRecall, ump.OpGet:
		hints.ReadOnlyHint, hints.IdempotentHint = true, true
	case ump.OpRemember, ump.OpForget:
		hints.IdempotentHint = true // the same draft merges, a tombstone stays a tombstone
	}
	return hints
}

// tool serves an operation. ump.Dispatch checks the arguments, not the SDK, so that the
// model gets a result that it can read, and not an error of MCP. A call by a name with a
// dot gets the answer of section 3.
func (b *binding) tool(op ump.Operation) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		body := r.Params.Arguments
		if string(body) == "null" {
			body = nil
		}
		caller := callerOf(b.options, r)
		if forModel(ctx) {
			return slotOf(r).fill(b.models.answer(ctx, op, caller, body)), nil
		}
		return slotOf(r).fill(b.answer(ctx, op, caller, body)), nil
	}
}

// answer serves a call of the protocol.
func (b *binding) answer(ctx context.Context, op ump.Operation, c memory.Caller, body []byte) answer {
	said, err := b.dispatch(ctx, ump.Call{Operation: op, Caller: c, Body: body, Now: b.options.Now})
	if err != nil {
		b.options.report(string(op), err)
		said = ump.ErrorEnvelope(err)
	}
	text, ok := frameOf(op, body, said)
	if !ok {
		text = string(said)
	}
	return answer{text: text, structured: said, failed: err != nil}
}

// frameOf returns the frame of a recall that asked for one. It becomes the text of the
// result, because hosts that do not know the protocol show that text to their model
// (decision UD-30).
func frameOf(op ump.Operation, body, said []byte) (text string, ok bool) {
	if op != ump.OpRecall || !bytes.Contains(body, []byte("framed")) { // few do
		return "", false
	}
	answer, err := canon.Parse(said, canon.Options{Bytes: int64(len(said))})
	if err != nil {
		return "", false
	}
	frame := answer.Get("framed")
	return frame.Text(), frame.Type() == canon.TypeString
}

// dispatch performs a call. A panic of the service ends the call, not the server with all
// its sessions.
func (b *binding) dispatch(ctx context.Context, c ump.Call) (said []byte, err error) {
	defer guard(string(c.Operation), &err)
	if err := admit(ctx, b.backend, c.Caller); err != nil {
		return nil, err
	}
	return ump.Dispatch(ctx, b.backend, c)
}

// guard turns a panic into an error of kind Internal.
func guard(doing string, err *error) {
	if p := recover(); p != nil {
		*err = &memory.Error{Kind: memory.Internal, Op: doing, Err: fmt.Errorf("panic: %v", p)}
	}
}
