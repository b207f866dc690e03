package fakemodel

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// flood is how much a flood sends, in bytes: more than anybody should read.
const flood = 40 << 20

// send sends a reply or its fault.
func (d dialect) send(w http.ResponseWriter, r *http.Request, a reply, stream bool) {
	switch {
	case a.Fault == model.FaultHang:
		<-r.Context().Done()
	case a.Fault == model.FaultUnknown:
		answer(w, http.StatusNotFound, d.refusal(http.StatusNotFound, "model_not_found", "The model `"+a.model+"` does not exist"))
	case a.Fault == model.FaultGarbage:
		w.Write([]byte("<html>busy</html>"))
	case a.Fault == model.FaultShape:
		d.stream(w, []canon.Value{canon.Object(member("unexpected", canon.Bool(true)))}, stream)
	case a.Fault == model.FaultFlood:
		d.flood(w, stream)
	case a.Fault == model.FaultLate:
		late := d.refusal(http.StatusServiceUnavailable, "overloaded_error", a.Message)
		if !stream {
			answer(w, http.StatusOK, late)
			return
		}
		pieces := d.pieces(a)
		d.stream(w, append(pieces[:len(pieces)/2:len(pieces)/2], late), true)
	case a.Status != 0:
		if a.RetryAfter != "" {
			w.Header().Set("Retry-After", a.RetryAfter)
		}
		answer(w, a.Status, d.refusal(a.Status, codeOf(a.Status), a.Message))
	case a.Fault == model.FaultCut:
		d.cut(w, a, stream)
	case stream:
		d.stream(w, d.pieces(a), true)
		if d.done {
			w.Write([]byte("data: [DONE]\n\n"))
		}
	default:
		answer(w, http.StatusOK, d.whole(a))
	}
}

func codeOf(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusBadRequest:
		return "invalid_request_error"
	}
	return "api_error"
}

// answer sends one object.
func answer(w http.ResponseWriter, status int, v canon.Value) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(v.Append(nil))
}

// stream sends objects one by one, or one object as a whole.
func (d dialect) stream(w http.ResponseWriter, objects []canon.Value, stream bool) {
	if !stream {
		answer(w, http.StatusOK, objects[0])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, o := range objects {
		w.Write(d.frame(o))
		w.(http.Flusher).Flush()
	}
}

// frame returns an object as it stands in a stream.
func (d dialect) frame(o canon.Value) []byte {
	switch {
	case d.lines:
		return append(o.Append(nil), '\n')
	case d.wire == model.Anthropic:
		return []byte("event: " + o.Get("type").Text() + "\ndata: " + string(o.Append(nil)) + "\n\n")
	}
	return []byte("data: " + string(o.Append(nil)) + "\n\n")
}

// cut sends the first half of an answer and breaks the connection. A stream is cut within an
// object.
func (d dialect) cut(w http.ResponseWriter, a reply, stream bool) {
	data := d.whole(a).Append(nil)
	if stream {
		data = nil
		for _, o := range d.pieces(a) {
			data = append(data, d.frame(o)...)
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data[:len(data)/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// flood sends one object that does not end, or a stream of one line that does not.
func (d dialect) flood(w http.ResponseWriter, stream bool) {
	start := `{"text":"`
	if stream && !d.lines {
		start = "data: " + start
	}
	w.Write([]byte(start))
	block := []byte(strings.Repeat("a", 1<<20))
	for sent := 0; sent < flood; sent += len(block) {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// cutText returns a text in pieces of a few characters.
func cutText(text string) []string {
	const size = 7
	var all []string
	for runes := []rune(text); len(runes) > 0; runes = runes[min(size, len(runes)):] {
		all = append(all, string(runes[:min(size, len(runes))]))
	}
	return all
}

// value returns the arguments of a call as a value.
func value(c model.ScriptCall) canon.Value {
	v, err := canon.Parse([]byte(c.Text()), canon.Options{Inexact: true})
	if err != nil {
		return canon.String(c.Text())
	}
	return v
}

// stop returns why the model stopped, in a wire's words.
func stop(a reply, end, calls, length string) string {
	switch {
	case a.Stop == model.StopLength:
		return length
	case a.Stop != "":
		return a.Stop
	case len(a.Calls) > 0:
		return calls
	}
	return end
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func words(name, text string) canon.Member { return member(name, canon.String(text)) }

func number(name string, n int) canon.Member { return member(name, canon.Int(int64(n))) }
