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

// lines passes the messages of JSON-RPC in r to the SDK, line by line. It answers any
// other line with an error and drops it, because the SDK would end the conversation. It
// does the same with a call whose id the SDK would change in its answer.
type lines struct {
	io.Closer
	in      *bufio.Reader
	out     io.Writer
	line    []byte // the last line read
	long    bool   // the line was longer than [maxLine] and is not kept
	pending []byte // the rest of the line that the SDK has not read yet
	err     error  // after the line

	initialized bool // initialize was read
	batches     bool // the edition of MCP has batches
}

func newLines(r io.ReadCloser, w io.Writer) *lines {
	return &lines{Closer: r, in: bufio.NewReaderSize(r, 64<<10), out: w}
}

// Read returns the rest of the present line, or the next valid line.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.pending) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
		if l.err != nil && l.err != io.EOF { // an incomplete line does not count
			return 0, l.err
		}
		if l.long {
			if err := l.refuse(refusal{fault: invalid("the line is longer than 8 MiB; send less at once")}); err != nil {
				return 0, err
			}
			continue
		}
		text := bytes.TrimSpace(l.line)
		if len(text) == 0 {
			continue
		}
		passed, err := l.filter(text)
		if err != nil {
			return 0, err
		}
		if len(passed) > 0 {
			l.pending = append(passed, '\n')
		}
	}
	n := copy(p, l.pending)
	l.pending = l.pending[n:]
	return n, nil
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

// filter returns the valid messages of a line: one message, or the messages of a batch,
// line by line, if the edition of MCP has batches. It answers the others.
func (l *lines) filter(text []byte) ([]byte, error) {
	switch {
	case !json.Valid(text):
		return nil, l.refuse(refusal{fault: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}})
	case text[0] == '[':
		return l.filterBatch(text)
	}
	if bad := refusalOfMessage(text); bad != nil {
		return nil, l.refuse(*bad)
	}
	l.noteVersion(text)
	return text, nil
}

// filterBatch filters each message of a batch and returns each valid one on its own line.
// So each call gets its own answer, as JSON-RPC allows. The SDK would answer the batch as
// a whole, or never if one of its messages has no answer.
func (l *lines) filterBatch(text []byte) ([]byte, error) {
	var messages []json.RawMessage
	var passed [][]byte
	_ = json.Unmarshal(text, &messages) // the text is valid and an array
	switch {
	case len(messages) == 0:
		return nil, l.refuse(refusal{fault: invalid("the batch is empty")})
	case !l.batches:
		return nil, l.refuse(refusal{fault: invalid("this edition of MCP has no batches; send one message a line")})
	case len(messages) > maxBatch:
		return nil, l.refuse(refusal{fault: invalid(fmt.Sprintf("the batch has more than %d messages; send several", maxBatch))})
	}
	seen := map[string]bool{}
	for _, message := range messages {
		bad := refusalOfMessage(message)
		if id := callID(message); bad == nil && id != "" {
			if seen[id] {
				bad = &refusal{fault: invalid("two calls of the batch have one id; give each its own")}
			}
			seen[id] = true
		}
		if bad == nil {
			passed = append(passed, message)
			continue
		}
		if err := l.refuse(*bad); err != nil {
			return nil, err
		}
	}
	return bytes.Join(passed, []byte("\n")), nil
}

// callID returns the id of a call as text, and "" for any other message.
func callID(message []byte) string {
	decoded, err := jsonrpc.DecodeMessage(message)
	if request, ok := decoded.(*jsonrpc.Request); err == nil && ok && request.IsCall() {
		return fmt.Sprintf("%T %[1]v", request.ID.Raw())
	}
	return ""
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
