package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Options limit a handoff, and say who admits it. The zero Options admit none.
type Options struct {
	// Admit verifies the migration token against the state's description in the first
	// frame. Receive calls it once, before it reads another byte. Its error ends the
	// handoff and is returned unchanged (AAIF-8.3-6). Nil admits none.
	Admit  func(b aaif.Binding, token string) error
	Line   int   // most bytes of a frame; 0: 1 MiB
	Total  int64 // most bytes of a handoff, which stay in memory until it is complete; 0: 16 MiB
	Frames int   // most frames; 0: 100,000
	Depth  int   // most nesting inside a frame; 0: 64
	Values int   // most values in all frames; 0: 1,000,000
}

func (o Options) filled() Options {
	if o.Line == 0 {
		o.Line = 1 << 20
	}
	if o.Total == 0 {
		o.Total = 16 << 20
	}
	if o.Frames == 0 {
		o.Frames = 100_000
	}
	if o.Depth == 0 {
		o.Depth = 64
	}
	if o.Values == 0 {
		o.Values = 1_000_000
	}
	return o
}

// PeerError is the handoff_error of the other side. [aaif.CodeOf] returns its code.
type PeerError struct {
	Code    aaif.Code // PROTOCOL_ERROR if the other side gave no valid code
	Message string    // from the other side, cut to 1000 bytes; untrusted
}

// Error names the code alone, which keeps the other side's message out of logs.
func (e *PeerError) Error() string { return fmt.Sprintf("the other side gave up: %s", e.Code) }

// Unwrap returns the fault that carries the code.
func (e *PeerError) Unwrap() error { return &aaif.Fault{Code: e.Code, Text: e.Error()} }

// codeForm is the form of a code.
var codeForm = pattern.New(`^[A-Z][A-Z0-9_]{0,63}$`)

// Receive reads frames up to the end of r, and returns their state. It returns a whole
// state with a correct checksum, or an error and nothing of what arrived (AAIF-8.3-7,
// AAIF-8.3-9). It reads frames only as it needs them, so that a slow receiver slows the
// sender. Refusals are [*codec.ParseError] with a code; a handoff_error is a
// [*PeerError]. A stream that ends or fails before its last frame is a PROTOCOL_ERROR,
// joined with the failure of r (AAIF-8.3-10).
//
// Receive does not check the state's agent, its schema, or whether its token is spent.
// The platform that keeps the state does (see [aaif.Backend]).
func Receive(ctx context.Context, r io.Reader, o Options) (canon.Value, error) {
	o = o.filled()
	in := &lines{under: r, line: o.Line, left: o.Total}
	t := &receiver{Options: o, raw: map[Type][][]byte{}}
	for !t.complete {
		if err := ctx.Err(); err != nil {
			return canon.Value{}, err
		}
		line, err := in.next()
		if err != nil {
			return canon.Value{}, streamError(err, in.where())
		}
		if err := t.take(line, in.where()); err != nil {
			return canon.Value{}, err
		}
	}
	if err := in.end(); err != nil {
		return canon.Value{}, streamError(err, in.where())
	}
	return t.state()
}

// streamError says that a stream ended early, or why a line was refused.
func streamError(err error, where string) error {
	if aaif.CodeOf(err) != "" {
		return err
	}
	early := refusal(aaif.ProtocolError, "8.3-10", where, "the stream ended before its last frame")
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return early
	}
	return errors.Join(early, err)
}

// receiver is a handoff in progress: the frames so far, checked.
type receiver struct {
	Options
	init     canon.Value
	pipeline canon.Value
	sum      string
	raw      map[Type][][]byte // the frames of lists
	chunks   int               // chunks of the conversation
	frames   int
	values   int
	complete bool
}

// take checks and keeps the next frame.
func (t *receiver) take(line []byte, where string) error {
	if t.frames++; t.frames > t.Frames {
		return refusal(aaif.TooLarge, "8.3-12", where, "more frames than are taken of one handoff")
	}
	v, err := t.parse(line, where)
	if err != nil {
		return err
	}
	if err := checkFrame(v, where); err != nil {
		return err
	}
	kind := Type(v.Get("type").Text())
	switch {
	case kind == Error:
		return peerError(v)
	case (kind == Init) != (t.frames == 1):
		return refusal(aaif.ProtocolError, "8.3-3", where, "handoff_init is the first frame, and no other")
	}
	return t.place(kind, v, line, where)
}

// place keeps a frame by its type.
func (t *receiver) place(kind Type, v canon.Value, line []byte, where string) error {
	switch kind {
	case Init:
		t.init = v
		return t.admit(v, where)
	case PipelineState:
		if t.pipeline.Type() != canon.TypeUndefined {
			return refusal(aaif.ProtocolError, "8.3-3", where, "a second pipeline_state")
		}
		t.pipeline = v
		return nil
	case Complete:
		t.sum, t.complete = v.Get("checksum").Text(), true
		return nil
	case ContextChunk:
		if v.Get("index").Float() != float64(t.chunks) {
			return refusal(aaif.ProtocolError, "8.3-4", where+" /index", fmt.Sprintf("not %d, which is next", t.chunks))
		}
		t.chunks++
	}
	t.raw[kind] = append(t.raw[kind], append([]byte(nil), line...))
	return nil
}

// parse reads a line within the remaining limits.
func (t *receiver) parse(line []byte, where string) (canon.Value, error) {
	v, err := aaif.FromJSON(line, aaif.ReadOptions{Bytes: int64(t.Line), Depth: t.Depth, Values: max(t.Values-t.values, 1)})
	if err != nil {
		return v, lineError(err, where)
	}
	t.values += count(v)
	return v, nil
}

// admit asks whether the handoff may continue.
func (t *receiver) admit(v canon.Value, where string) error {
	if v.Get("checkpoint_at").Text() == "" || v.Get("status").Text() == "" {
		return refusal(aaif.EnvelopeIncomplete, "8.3-11", where, "checkpoint_at or status is missing, without which no state can be made")
	}
	if t.Admit == nil {
		return refusal(aaif.TokenInvalid, "8.3-6", where+" /migration_token", "nobody here verifies tokens")
	}
	b := aaif.Binding{StateID: v.Get("state_id").Text(), AgentID: v.Get("agent_id").Text()}
	for _, m := range presentMembers(v) {
		if m.Name == "run_id" {
			b.RunID = m.Value.Text()
		}
	}
	return t.Admit(b, v.Get("migration_token").Text())
}

func peerError(v canon.Value) error {
	e := &PeerError{Code: aaif.Code(v.Get("code").Text()), Message: v.Get("message").Text()}
	if !codeForm.MatchString(string(e.Code)) {
		e.Code = aaif.ProtocolError
	}
	e.Message = strings.ToValidUTF8(e.Message[:min(len(e.Message), 1000)], "")
	return e
}
