package handoff

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Cancelled is the code with which a sender stops that was told to.
const Cancelled aaif.Code = "HANDOFF_CANCELLED"

// SendOptions bound frames.
type SendOptions struct {
	Line  int // most bytes of a frame; 0: 1 MiB, which receivers take
	Chunk int // bytes of messages from which on a context_chunk is sent; 0: 64 KiB
}

// Send writes a state as frames, in this order: handoff_init, the lists of the state,
// the pipeline, handoff_complete. The state has its token and its checksum already (see
// [aaif.WithToken]). Nothing is written of one that cannot be sent: without them, or with
// an item that is too large for a frame or not as the schema of states has it. When ctx
// ends, or w fails, between frames, the receiver is told by a handoff_error where it can
// still be reached. Each frame is one Write.
func Send(ctx context.Context, w io.Writer, state canon.Value, o SendOptions) error {
	if o.Line == 0 {
		o.Line = 1 << 20
	}
	if o.Chunk == 0 {
		o.Chunk = 64 << 10
	}
	if err := sendable(state); err != nil {
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
			return refused(aaif.FrameTooLarge, "8.3-12", where, fmt.Sprintf("a frame of %d bytes; no more than %d are sent", len(line), o.Line))
		}
	}
	for f := range frames(state, o) {
		if err := ctx.Err(); err != nil {
			// What comes of telling matters no more: without it, the stream ends early.
			_ = SendError(w, string(Cancelled), "the source has stopped sending")
			return err
		}
		if _, err := w.Write(append(f.Append(line[:0]), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// SendError writes a handoff_error, after which nothing may follow. The message should
// say nothing that the other side must not know.
func SendError(w io.Writer, code, message string) error {
	f := canon.Object(text("type", string(Error)), text("code", code), text("message", message))
	_, err := w.Write(append(f.Append(nil), '\n'))
	return err
}

func text(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.String(s)} }

// sendable refuses what cannot be a handoff whatever its frames are.
func sendable(state canon.Value) error {
	const where = "line 1"
	from := state.Get("provenance")
	switch {
	case state.Get("sc_standard").Text() != "SC-006" || from.Type() != canon.TypeObject:
		return refused(aaif.SchemaViolation, "8.1-1", where, "no state with a provenance")
	case state.Get("checkpoint_at").Text() == "" || state.Get("status").Text() == "":
		return refused(aaif.EnvelopeIncomplete, "8.3-11", where, "checkpoint_at or status is missing")
	case from.Get("migration_token").Text() == "":
		return refused(aaif.TokenInvalid, "8.3-6", where, "a handoff needs a migration token")
	}
	for _, l := range lists() {
		if state.Has(l.member) && state.Get(l.member).Type() != canon.TypeArray {
			return refused(aaif.SchemaViolation, "8.1-1", where, l.member+" is no list")
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

// chunks yields the conversation in frames of a bounded size.
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
