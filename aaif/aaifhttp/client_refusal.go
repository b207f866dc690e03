package aaifhttp

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Refusal is the answer of a platform that refuses a request. It wraps an [aaif.Fault],
// so that [aaif.CodeOf] returns its code.
type Refusal struct {
	Status  int
	Code    aaif.Code           // the platform's code; "HTTP_" and the status if it gives none
	Message string              // the platform's text, prepared for display
	Faults  []*codec.ParseError // what is wrong with the document
	Wait    time.Duration       // time until the next try; 0: not given
}

// Error describes the refusal in one line.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the platform refuses: %s (%d): %s", r.Code, r.Status, r.Message)
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return &aaif.Fault{Code: r.Code, Text: r.Message} }

// codeForm is the form of codes. Other texts are ignored.
var codeForm = pattern.New(`^[A-Z][A-Z0-9_]{0,63}$`)

// refusalOf reads a refusal: the problem object of this binding, or a handoff_error
// frame.
func refusalOf(got *http.Response, body []byte) *Refusal {
	r := &Refusal{Status: got.StatusCode}
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	said := tree(body)
	if said.Type() != canon.TypeObject {
		said = tree(line)
	}
	r.Code, r.Message = codeOf(said, got.StatusCode), printable(said.Get("message").Text())
	if r.Message == "" {
		r.Message = http.StatusText(got.StatusCode)
	}
	for i, f := range said.Get("errors").Items() {
		if i == mostFaults {
			break
		}
		r.Faults = append(r.Faults, &codec.ParseError{Format: "aaif", Path: printable(f.Get("pointer").Text()), Rule: printable(f.Get("rule").Text()),
			Err: &aaif.Fault{Code: codeOf(f, got.StatusCode), Text: printable(f.Get("message").Text())}})
	}
	if seconds, err := strconv.Atoi(got.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds < 1<<20 {
		r.Wait = time.Duration(seconds) * time.Second
	}
	return r
}

// codeOf reads a code.
func codeOf(v canon.Value, status int) aaif.Code {
	if code := v.Get("code").Text(); codeForm.MatchString(code) {
		return aaif.Code(code)
	}
	return aaif.Code("HTTP_" + strconv.Itoa(status))
}
