package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// keyMember is the member of _meta that holds the idempotency key.
const keyMember = "io.github.satchel-memory/idempotency-key"

// traceMember is the member of _meta that holds the traceparent of a call.
const traceMember = "traceparent"

// call calls a tool of the server, once.
func (m *mcpServer) call(ctx context.Context, name string, readOnly bool, c Call) (Result, error) {
	session, err := m.connected(ctx)
	if err != nil {
		return Result{}, err
	}
	m.lock.Lock()
	sender := m.sender
	m.lock.Unlock()
	once := &delivery{}
	if sender == nil { // what goes into a pipe may have been read
		once.sent.Store(true)
	}
	params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(c.Arguments.Append(nil))}
	params.Meta = mcp.Meta{}
	if c.Key != "" && !readOnly {
		params.Meta[keyMember] = c.Key
	}
	if of := trace.From(ctx); of.Valid() {
		params.Meta[traceMember] = of.String()
	}
	got, err := session.CallTool(context.WithValue(ctx, deliveryKey{}, once), params)
	var r Result
	if err == nil {
		r, err = contentResult(got)
	} else if r, err = m.failed(ctx, session, once, readOnly, err); err != nil && sender != nil {
		err = sender.known().hideError(err)
	}
	if sender != nil {
		r = sender.known().hideResult(r)
	}
	return r, err
}

// failed returns what a failed call means: an answer of the server that says no, or an
// error. The session is dropped unless the server answered or the call took too long.
func (m *mcpServer) failed(ctx context.Context, session *mcp.ClientSession, once *delivery, readOnly bool, err error) (Result, error) {
	known, ours := errors.AsType[*Error](err)
	status := once.status.Load()
	said, isWire := errors.AsType[*jsonrpc.Error](err)
	switch {
	case ours:
		return Result{}, known
	case ctx.Err() != nil:
		return Result{}, broken(ctx, err, once.sent.Load())
	case status == http.StatusNotFound:
		m.drop(session)
		return Result{}, fail(Unreachable, "the server has ended the session")
	case status >= 300:
		m.drop(session)
		return answer{status: int(status), body: []byte(plainText(err))}.result(readOnly)
	case isWire && !isOurs(said.Code) && (readOnly || isRefusal(said.Code)):
		return Result{Text: clean(said.Message, mostDescribed), IsError: true}, nil
	case isWire && !isOurs(said.Code):
		return Result{}, &Error{Code: OutcomeUnknown, Outcome: Unknown, Text: shorten(said.Message), Err: err}
	}
	m.drop(session)
	return Result{}, broken(ctx, err, once.sent.Load())
}

// isOurs reports whether a code is one by which the library says that a connection ended.
func isOurs(code int64) bool { return code <= -32001 && code >= -32006 }

// isRefusal reports whether a code says that the request was not understood, so that
// nothing was done.
func isRefusal(code int64) bool {
	return code == jsonrpc.CodeParseError || code == jsonrpc.CodeInvalidRequest || code == jsonrpc.CodeMethodNotFound || code == jsonrpc.CodeInvalidParams
}

// contentResult returns the content of an answer. Structured content is the value; a text
// that says the same is not told twice.
func contentResult(got *mcp.CallToolResult) (Result, error) {
	if got.NeedsInput() {
		return Result{IsError: true, Text: "the tool asks a person for input, which it does not get here"}, nil
	}
	r := Result{IsError: got.IsError, Value: asValue(got.StructuredContent)}
	var texts []string
	for _, c := range got.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			texts = append(texts, fmt.Sprintf("a picture (%s, %d bytes)", aaif.Shown(c.MIMEType), len(c.Data)))
			r.Images = append(r.Images, Image{Media: c.MIMEType, Data: c.Data})
		case *mcp.AudioContent:
			texts = append(texts, fmt.Sprintf("a sound (%s, %d bytes), which is not played to you", aaif.Shown(c.MIMEType), len(c.Data)))
		case *mcp.EmbeddedResource:
			texts = append(texts, r.embedded(c.Resource)...)
		case *mcp.ResourceLink:
			texts = append(texts, "a resource: "+c.URI)
		default:
			r.Warnings = append(r.Warnings, "the answer holds content of a kind that is not shown")
		}
	}
	r.Text = strings.Join(texts, "\n")
	if r.Value.Type() != canon.TypeUndefined && len(r.Images) == 0 {
		r.Text = string(r.Value.Append(nil))
	} else if r.Value.Type() == canon.TypeUndefined && len(texts) == 1 {
		r.Value = textResult([]byte(r.Text)).Value
	}
	if len(r.Text) > mostAnswer {
		return Result{}, &Error{Code: outputInvalid, Outcome: Answered, Text: fmt.Sprintf("the answer has more than %d bytes of text", mostAnswer)}
	}
	return r, nil
}

// embedded returns what a model is told of a resource in an answer, and takes a picture.
func (r *Result) embedded(c *mcp.ResourceContents) []string {
	switch {
	case c == nil:
		return nil
	case c.Text != "":
		return []string{c.Text}
	case strings.HasPrefix(c.MIMEType, "image/"):
		r.Images = append(r.Images, Image{Media: c.MIMEType, Data: c.Blob})
		return []string{fmt.Sprintf("a picture (%s, %d bytes)", aaif.Shown(c.MIMEType), len(c.Blob))}
	case len(c.Blob) > 0:
		return []string{fmt.Sprintf("a file (%s, %d bytes), which is not shown to you", aaif.Shown(c.MIMEType), len(c.Blob))}
	}
	return nil
}
