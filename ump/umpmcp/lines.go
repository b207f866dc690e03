package umpmcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines reads the messages of JSON-RPC in r, line by line. It answers any other line with
// an error and drops it, because the SDK would end the conversation. It does the same with
// a call whose id the SDK would change in its answer.
type lines struct {
	in   *bufio.Reader
	out  io.Writer
	line []byte // the last line read
	long bool   // the line was longer than [maxLine] and is not kept
	err  error  // after the line

	initialized bool // initialize was read
	batches     bool // the edition of MCP has batches
}

func newLines(r io.Reader, w io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(r, 64<<10), out: w}
}

// read returns the messages of the next line that has any.
func (l *lines) read() ([]jsonrpc.Message, error) {
	for {
		if l.err != nil {
			return nil, l.err
		}
		l.next()
		if l.err != nil && l.err != io.EOF { // an incomplete line does not count
			return nil, l.err
		}
		passed, err := l.filter(bytes.TrimSpace(l.line))
		if err != nil || len(passed) > 0 {
			return passed, err
		}
	}
}

// next reads a line and notes the end of the input. It reads a line that is too long to
// its end and keeps nothing of it.
func (l *lines) next() {
	l.line, l.long = l.line[:0], false
	for {
		part, err := l.in.ReadSlice('\n')
		if !l.long {
			l.line = append(l.line, part...)
			l.long = len(l.line) > maxLine
		}
		if l.long {
			l.line = nil
		}
		if err != bufio.ErrBufferFull {
			l.err = err
			return
		}
	}
}

// maxBatch is the most messages of one batch.
const maxBatch = 100

// filter returns the valid messages of a line: one message, or the messages of a batch, if
// the edition of MCP has batches. It answers the others.
func (l *lines) filter(text []byte) ([]jsonrpc.Message, error) {
	switch {
	case l.long:
		return nil, l.refuse(refusal{fault: invalid("the line is longer than 8 MiB; send less at once")})
	case len(text) == 0:
		return nil, nil
	case !json.Valid(text):
		return nil, l.refuse(refusal{fault: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}})
	case text[0] == '[':
		return l.filterBatch(text)
	}
	message, bad := decodeMessage(text)
	if bad != nil {
		return nil, l.refuse(*bad)
	}
	l.noteVersion(text)
	return []jsonrpc.Message{message}, nil
}

// filterBatch returns the valid messages of a batch. Each call gets its own answer, as
// JSON-RPC allows.
func (l *lines) filterBatch(text []byte) ([]jsonrpc.Message, error) {
	var batch []json.RawMessage
	var passed []jsonrpc.Message
	_ = json.Unmarshal(text, &batch) // the text is valid and an array
	switch {
	case len(batch) == 0:
		return nil, l.refuse(refusal{fault: invalid("the batch is empty")})
	case !l.batches:
		return nil, l.refuse(refusal{fault: invalid("this edition of MCP has no batches; send one message a line")})
	case len(batch) > maxBatch:
		return nil, l.refuse(refusal{fault: invalid(fmt.Sprintf("the batch has more than %d messages; send several", maxBatch))})
	}
	seen := map[jsonrpc.ID]bool{}
	for _, text := range batch {
		message, bad := decodeMessage(text)
		if request, ok := message.(*jsonrpc.Request); bad == nil && ok && request.IsCall() {
			if seen[request.ID] {
				bad = &refusal{fault: invalid("two calls of the batch have one id; give each its own")}
			}
			seen[request.ID] = true
		}
		if bad == nil {
			passed = append(passed, message)
			continue
		}
		if err := l.refuse(*bad); err != nil {
			return nil, err
		}
	}
	return passed, nil
}

// noteVersion notes from initialize whether the edition of MCP has batches: the SDK ends
// a conversation that sends one in a later edition.
func (l *lines) noteVersion(message []byte) {
	if l.initialized || !bytes.Contains(message, []byte("initialize")) {
		return
	}
	var hello struct {
		Method string
		Params struct{ ProtocolVersion string }
	}
	if json.Unmarshal(message, &hello) == nil && hello.Method == "initialize" {
		l.initialized = true
		l.batches = hello.Params.ProtocolVersion == "2024-11-05" || hello.Params.ProtocolVersion == "2025-03-26"
	}
}

// refuse writes a refusal.
func (l *lines) refuse(r refusal) error {
	text, err := r.line()
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	return err
}

// messageWriter serializes the writes of several writers.
type messageWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes one message.
func (w *messageWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

// Close leaves the writer open.
func (w *messageWriter) Close() error { return nil }
