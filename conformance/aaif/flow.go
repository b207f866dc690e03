package aaifsuite

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// edit changes the lines of a stream.
type edit func([]string) []string

func whole(lines []string) []string { return lines }

// after inserts a line after the n-th, or at the end.
func after(n int, line string) edit {
	return func(lines []string) []string { return slices.Insert(lines, min(n, len(lines)), line) }
}

// lines writes a state as a stream with one message per frame.
func (r *run) lines(v canon.Value) ([]string, error) {
	var b bytes.Buffer
	if err := handoff.Send(r.ctx, &b, v, handoff.SendOptions{Chunk: 1}); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), nil
}

// flow sends the lines as a handoff.
func (r *run) flow(v canon.Value, change edit, media string) answer {
	lines, err := r.lines(v)
	if err != nil {
		return answer{conformance.Answer{Err: err}}
	}
	a := r.do(ask{method: http.MethodPost, path: r.Handoff, media: media, body: []byte(strings.Join(change(lines), "\n") + "\n")})
	if a.taken() == nil && a.Value.Get("type").Text() == string(handoff.Complete) {
		r.left = append(r.left, "state "+v.Get("state_id").Text())
	}
	return a
}

// streams hands a state over, once per run.
func (r *run) streams() error {
	return r.streaming.once(func() error {
		if err := r.moves(); err != nil {
			return blocked(err)
		}
		v, err := r.fresh()
		if err != nil {
			return err
		}
		a := r.flow(v, whole, handoff.MediaType)
		if a.Err == nil && (a.Status == http.StatusNotFound && a.code() != aaif.AgentUnknown || a.Status == http.StatusMethodNotAllowed) {
			return conformance.NotOffered("to take handoffs in at " + r.Handoff)
		}
		return a.completes()
	})
}

// completes returns nil for the handoff_complete that ends a handoff.
func (a answer) completes() error {
	if err := a.taken(); err != nil {
		return err
	}
	if a.Value.Get("type").Text() != string(handoff.Complete) {
		return fmt.Errorf("%s does not answer with a handoff_complete", a.Asked)
	}
	return nil
}

// goes sends a stream that the platform must accept.
func (r *run) goes(what string, change edit) error {
	v, err := r.fresh()
	if err != nil {
		return err
	}
	return named(what, r.flow(v, change, handoff.MediaType).completes())
}

// stopped changes a good stream and sends it; the platform must refuse it.
func (r *run) stopped(what string, change edit, codes ...aaif.Code) error {
	if err := r.streams(); err != nil {
		return blocked(err)
	}
	v, err := r.fresh()
	if err != nil {
		return err
	}
	return r.stops(what, v, change, codes...)
}

// stops sends a stream that the platform must refuse and must not keep.
func (r *run) stops(what string, v canon.Value, change edit, codes ...aaif.Code) error {
	a := r.flow(v, change, handoff.MediaType)
	if a.Err == nil && a.taken() == nil && a.Value.Get("type").Text() == string(handoff.Error) {
		return fmt.Errorf("%s: a handoff_error comes with status %d", what, a.Status)
	}
	if err := a.refused(0, codes...); err != nil {
		return named(what, err)
	}
	return r.nothingOf(what, v)
}
