package handoff

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Cancelled is the code of a sender that was stopped.
const Cancelled aaif.Code = "HANDOFF_CANCELLED"

// SendOptions limit frames.
type SendOptions struct {
	Line  int // most bytes of a frame; 0: 1 MiB, which receivers take
	Chunk int // bytes of messages that fill a context_chunk; 0: 64 KiB
}

// Send writes a state as frames, in this order: handoff_init, the lists of the state, the
// pipeline, handoff_complete. The state must have its token and its checksum (see
// [aaif.WithToken]). Send writes nothing of a state without them, or with an item that is
// too large for a frame or violates the schema of states. If ctx ends or w fails between
// frames, Send tries to tell the receiver by a handoff_error. Each frame is one Write.
func Send(ctx context.Context, w io.Writer, state canon.Value, o SendOptions) error {
	if o.Line == 0 {
		o.Line = 1 << 20
	}
	if o.Chunk == 0 {
		o.Chunk = 64 << 10
	}
	if err := checkSendable(state); err != nil {
		return err
	}
	var line []byte
	n := 0
	for f := range frames(state, o) {
		n++
		where := fmt.Sprintf("line %d", n)
		if err := checkFrame(f, where); err != nil {
			return err
		}
		if line = f.Append(line[:0]); len(line) > o.Line {
			return refusal(aaif.FrameTooLarge, "8.3-12", where, fmt.Sprintf("a frame of %d bytes; no more than %d are sent: send the state as one document, not as a stream", len(line), o.Line))
		}
	}
	for f := range frames(state, o) {
		if err := ctx.Err(); err != nil {
			// If this fails, the stream just ends early.
			_ = SendError(w, string(Cancelled), "the source has stopped sending")
			return err
		}
		if _, err := w.Write(append(f.Append(line[:0]), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// SendError writes a handoff_error, the last frame of a stream. The message goes to the
// other side.
func SendError(w io.Writer, code, message string) error {
	f := canon.Object(text("type", string(Error)), text("code", code), text("message", message))
	_, err := w.Write(append(f.Append(nil), '\n'))
	return err
}

func text(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.String(s)} }

// checkSendable refuses a state that cannot be sent, whatever its frames.
func checkSendable(state canon.Value) error {
	const where = "line 1"
	from := state.Get("provenance")
	switch {
	case state.Get("sc_standard").Text() != "SC-006" || from.Type() != canon.TypeObject:
		return refusal(aaif.SchemaViolation, "8.1-1", where, "no state with a provenance")
	case state.Get("checkpoint_at").Text() == "" || state.Get("status").Text() == "":
		return refusal(aaif.EnvelopeIncomplete, "8.3-11", where, "checkpoint_at or status is missing")
	case from.Get("migration_token").Text() == "":
		return refusal(aaif.TokenInvalid, "8.3-6", where, "a handoff needs a migration token")
	}
	for _, l := range lists() {
		if state.Has(l.member) && state.Get(l.member).Type() != canon.TypeArray {
			return refusal(aaif.SchemaViolation, "8.1-1", where, l.member+" is no list")
		}
	}
	return aaif.VerifyChecksum(state)
}

// frames yields the frames of a state, one at a time.
func frames(state canon.Value, o SendOptions) iter.Seq[canon.Value] {
	return func(yield func(canon.Value) bool) {
		if !yield(envelope(state)) || !chunks(state, o, yield) {
			return
		}
		for _, l := range lists() {
			if l.frame == ContextChunk {
				continue
			}
			for _, it := range state.Get(l.member).Items() {
				if !yield(itemFrame(l.frame, it)) {
					return
				}
			}
		}
		if f := frame(PipelineState, state, canon.Value{}); f.Get(absentMember).Len() < len(fields(PipelineState)) && !yield(f) {
			return
		}
		yield(canon.Object(text("type", string(Complete)), canon.Member{Name: "checksum", Value: state.Get("provenance").Get("checksum")}))
	}
}

// chunks yields the conversation in frames of bounded size.
func chunks(state canon.Value, o SendOptions, yield func(canon.Value) bool) bool {
	var pack []canon.Value
	var scratch []byte
	index, size := int64(0), 0
	send := func() bool {
		f := canon.Object(text("type", string(ContextChunk)), canon.Member{Name: "index", Value: canon.Int(index)}, canon.Member{Name: "messages", Value: canon.Array(pack...)})
		pack, size, index = nil, 0, index+1
		return yield(f)
	}
	for _, m := range state.Get("conversation").Items() {
		scratch = m.Append(scratch[:0])
		if size > 0 && size+len(scratch) > o.Chunk && !send() {
			return false
		}
		pack, size = append(pack, m), size+len(scratch)+1
	}
	return len(pack) == 0 || send()
}
