package aaifsuite

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/conformance"
)

func streamChecks() []check {
	return []check{
		{"AAIF-8.3-11", exact},
		{"AAIF-8.3-1", func(r *run) error {
			return conformance.First(r.medium(), r.stopped("a line that is no object", after(1, "[]"), aaif.BadFrame), r.goes("a blank line at the end", after(99, "")))
		}},
		{"AAIF-8.3-2", func(r *run) error {
			return r.stopped("a frame of no known type", after(1, `{"type":"conformance"}`), aaif.UnknownType)
		}},
		{"AAIF-8.3-3", ordered},
		{"AAIF-8.3-4", func(r *run) error {
			return r.stopped("a gap between indexes", func(lines []string) []string {
				at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"index":1`) })
				return slices.Delete(lines, at, at+1)
			}, aaif.ProtocolError)
		}},
		{"AAIF-8.3-6", before},
		{"AAIF-8.3-7", func(r *run) error {
			if err := r.streams(); err != nil {
				return blocked(err)
			}
			if err := r.shows(); err != nil {
				return err
			}
			return r.stopped("a handoff_error", func(lines []string) []string {
				return append(lines[:len(lines)-1], `{"type":"handoff_error","code":"CONFORMANCE","message":"given up"}`)
			})
		}},
		{"AAIF-8.3-9", func(r *run) error {
			return r.stopped("a message that was changed", func(lines []string) []string {
				for i := range lines {
					lines[i] = strings.Replace(lines[i], "Book number 1.", "Book number 7.", 1)
				}
				return lines
			}, aaif.ChecksumMismatch)
		}},
		{"AAIF-8.3-10", breaksOff},
		{"AAIF-8.3-12", func(r *run) error {
			return r.stopped("a frame of 5 MiB", after(1, `{"type":"memory_item","item":{"scope":"task","key":"k","content":"`+strings.Repeat("x", 5<<20)+`"}}`),
				aaif.FrameTooLarge, aaif.TooLarge)
		}},
		{"AAIF-13.1-1", charset},
		{"AAIF-13.1-3", func(r *run) error {
			if err := r.streams(); err != nil {
				return blocked(err)
			}
			if err := r.shows(); err != nil {
				return err
			}
			v, err := r.state()
			if err != nil {
				return err
			}
			forged, err := r.forged(v)
			if err != nil {
				return err
			}
			return r.stops("a forged token", forged, whole, aaif.TokenInvalid)
		}},
		{"AAIF-13.1-4", func(r *run) error {
			if err := r.streams(); err != nil {
				return blocked(err)
			}
			a := r.get(r.Handoff)
			if a.Err == nil && !strings.Contains(a.Header.Get("Accept-Post"), handoff.MediaType) {
				a.Err = fmt.Errorf("%s does not say Accept-Post: %s", a.Asked, handoff.MediaType)
			}
			return a.Err
		}},
	}
}

// medium sends a handoff under another media type.
func (r *run) medium() error {
	if err := r.streams(); err != nil {
		return blocked(err)
	}
	v, err := r.fresh()
	if err != nil {
		return err
	}
	return named("as application/x-ndjson", r.flow(v, whole, "application/x-ndjson").is(http.StatusUnsupportedMediaType))
}

// exact compares the received state with the sent one.
func exact(r *run) error {
	if err := r.streams(); err != nil {
		return blocked(err)
	}
	v, err := r.fresh()
	if err != nil {
		return err
	}
	if err := r.flow(v, whole, handoff.MediaType).completes(); err != nil {
		return err
	}
	a := r.get(r.States + "/" + v.Get("state_id").Text())
	switch {
	case a.Err != nil:
		return a.Err
	case a.Status != http.StatusOK && strings.Contains(string(r.listed().Body), v.Get("state_id").Text()):
		return conformance.Lacks("the platform does not give states away")
	case a.Status != http.StatusOK:
		return errNotKept
	case string(a.Value.AppendCanonical(nil)) != string(v.AppendCanonical(nil)):
		return errors.New("the state that is there is another than was sent")
	}
	return nil
}

func ordered(r *run) error {
	first := func(lines []string) []string { return append([]string{lines[1], lines[0]}, lines[2:]...) }
	return conformance.First(
		r.stopped("context_chunk first", first, aaif.ProtocolError),
		r.stopped("two handoff_init", func(lines []string) []string { return slices.Insert(lines, 1, lines[0]) }, aaif.ProtocolError),
		r.stopped("a frame after handoff_complete", func(lines []string) []string { return append(lines, lines[1]) }, aaif.ProtocolError))
}

// before sends a forged token and nothing more: the answer must not wait for more.
func before(r *run) error {
	if err := r.streams(); err != nil {
		return blocked(err)
	}
	v, err := r.state()
	if err != nil {
		return err
	}
	if v, err = r.forged(v); err != nil {
		return err
	}
	lines, err := r.lines(v)
	if err != nil {
		return err
	}
	a := r.do(ask{method: http.MethodPost, path: r.Handoff, media: handoff.MediaType, stream: r.begun(lines[:1], stallTime, errStalled)})
	if errors.Is(a.Err, errStalled) {
		return errors.New("the platform waits for more before it refuses a forged token")
	}
	return conformance.First(a.refused(http.StatusUnauthorized, aaif.TokenInvalid), r.nothingOf("a forged token", v))
}

// begun returns streams of some lines, then a pause, then an error. The answer reveals a
// platform that does not read them.
func (r *run) begun(lines []string, wait time.Duration, end error) func() io.Reader {
	return func() io.Reader {
		in, out := io.Pipe()
		go func() {
			_, _ = io.WriteString(out, strings.Join(lines, "\n")+"\n")
			conformance.Pause(r.ctx, wait)
			_ = out.CloseWithError(end)
		}()
		return in
	}
}

// stallTime is the longest time for refusing a token.
const stallTime = 5 * time.Second

var (
	errStalled = errors.New("nothing more was sent")
	errCut     = errors.New("the connection was cut")
)

// breaksOff ends streams early, both in an orderly way and by closing the connection.
func breaksOff(r *run) error {
	if err := r.stopped("no end", func(lines []string) []string { return lines[:3] }, aaif.ProtocolError); err != nil {
		return err
	}
	if err := r.shows(); err != nil {
		return err
	}
	v, err := r.fresh()
	if err != nil {
		return err
	}
	lines, err := r.lines(v)
	if err != nil {
		return err
	}
	cut := r.begun(lines[:3], 50*time.Millisecond, errCut)
	if a := r.do(ask{method: http.MethodPost, path: r.Handoff, media: handoff.MediaType, stream: cut}); a.Err == nil && a.taken() == nil {
		return errors.New("a handoff that was cut off is taken in")
	}
	conformance.Pause(r.ctx, 200*time.Millisecond)
	return r.nothingOf("a handoff that was cut off", v)
}

// charset sends the media type with a charset; the platform answers without one.
func charset(r *run) error {
	if err := r.streams(); err != nil {
		return blocked(err)
	}
	v, err := r.fresh()
	if err != nil {
		return err
	}
	a := r.flow(v, whole, handoff.MediaType+"; charset=utf-8")
	if err := a.completes(); err != nil {
		return err
	}
	if got := a.Header.Get("Content-Type"); got != handoff.MediaType {
		return fmt.Errorf("the answer is of type %.80q", got)
	}
	return nil
}
