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

// lines passes on the lines of r that are messages of JSON-RPC. Any other line is
// answered with an error and dropped: the SDK would end the conversation. So is a call
// whose id the SDK would not answer as it came.
type lines struct {
	io.Closer
	in      *bufio.Reader
	out     io.Writer
	line    []byte // the last line read
	long    bool   // it was longer than [maxLine], and is not kept
	pending []byte // what of it is still to be passed on
	err     error  // what comes after it

	greeted bool // initialize was read
	batches bool // the edition of MCP has batches
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
		passed, err := l.judge(text)
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

// next reads a line and what came after it, if that is the end. A line that is too long
// is read to its end, and nothing of it is kept.
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

// judge answers what of a line is not passed on, and returns the rest: a message, or
// the messages of a batch, line by line, in an edition of MCP that has batches.
func (l *lines) judge(text []byte) ([]byte, error) {
	switch {
	case !json.Valid(text):
		return nil, l.refuse(refusal{fault: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}})
	case text[0] == '[':
		return l.judgeBatch(text)
	}
	if bad := refusalOfMessage(text); bad != nil {
		return nil, l.refuse(*bad)
	}
	l.note(text)
	return text, nil
}

// judgeBatch judges each message of a batch for itself, and passes on each as a line of
// its own. So each call is answered by itself, as JSON-RPC allows: the SDK would answer
// a batch as a whole, or never where one of its messages has no answer.
func (l *lines) judgeBatch(text []byte) ([]byte, error) {
	var messages []json.RawMessage
	var passed [][]byte
	_ = json.Unmarshal(text, &messages) // an array, as it is valid
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

// callID spells the id of a call, "" for any other message.
func callID(message []byte) string {
	decoded, err := jsonrpc.DecodeMessage(message)
	if request, ok := decoded.(*jsonrpc.Request); err == nil && ok && request.IsCall() {
		return fmt.Sprintf("%T %[1]v", request.ID.Raw())
	}
	return ""
}

// note learns from the first call of a conversation whether its edition of MCP has
// batches: the SDK ends a conversation that sends one in a later edition.
func (l *lines) note(message []byte) {
	if l.greeted || !bytes.Contains(message, []byte("initialize")) {
		return
	}
	var hello struct {
		Method string
		Params struct{ ProtocolVersion string }
	}
	if json.Unmarshal(message, &hello) == nil && hello.Method == "initialize" {
		l.greeted = true
		l.batches = hello.Params.ProtocolVersion == "2024-11-05" || hello.Params.ProtocolVersion == "2025-03-26"
	}
}

// refuse answers what is not passed on.
func (l *lines) refuse(r refusal) error {
	text, err := r.line()
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	return err
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
