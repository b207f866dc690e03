package umpmcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var errLongLine = errors.New("umpmcp: a message is longer than 8 MiB; send less at once")

// lines passes on the lines of r that are messages of JSON-RPC. Any other line is
// answered with an error and dropped: the SDK would end the conversation.
type lines struct {
	io.Closer
	in      *bufio.Reader
	out     io.Writer
	line    []byte // the last line read
	pending []byte // what of it is still to be passed on
	err     error  // what comes after it
}

func newLines(r io.ReadCloser, w io.Writer) *lines {
	return &lines{Closer: r, in: bufio.NewReaderSize(r, 64<<10), out: w}
}

// Read passes on what is left of the present line, or of the next good one.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.pending) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
		if l.err != nil && l.err != io.EOF { // a line cut short is none
			return 0, l.err
		}
		text := bytes.TrimSpace(l.line)
		if len(text) == 0 {
			continue
		}
		if fault := faultOf(text); fault != nil {
			if err := l.refuse(fault); err != nil {
				return 0, err
			}
			continue
		}
		l.pending = append(text, '\n')
	}
	n := copy(p, l.pending)
	l.pending = l.pending[n:]
	return n, nil
}

// next reads a line and what came after it, if that is the end.
func (l *lines) next() {
	l.line = l.line[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if l.line = append(l.line, part...); len(l.line) > maxLine {
			err = errLongLine
		}
		if err != bufio.ErrBufferFull {
			l.err = err
			return
		}
	}
}

// refuse answers a line that cannot be read. Whose call it was is not known, so
// its id is null.
func (l *lines) refuse(fault *jsonrpc.Error) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": fault})
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(text, '\n'))
	return err
}

// faultOf returns what is wrong with a line: it is not JSON, or neither a message
// nor a batch of messages. nil: nothing.
func faultOf(line []byte) *jsonrpc.Error {
	if !json.Valid(line) {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}
	}
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		messages = nil
		_ = json.Unmarshal(line, &messages) // an array, as it is valid
	}
	for _, message := range messages {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is no message of JSON-RPC 2.0"}
		}
	}
	if len(messages) == 0 {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the batch is empty"}
	}
	return nil
}

// whole lets several writers take turns, message by message.
type whole struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes one message.
func (w *whole) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

// Close leaves the writer open.
func (w *whole) Close() error { return nil }
