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

// Refusal is what a platform answers that does not do what it is asked. Its cause is an
// [aaif.Fault], so that [aaif.CodeOf] tells refusals apart.
type Refusal struct {
	Status  int
	Code    aaif.Code           // as the platform says it; "HTTP_" and the status where it does not
	Message string              // in the platform's words, fit to be shown
	Faults  []*codec.ParseError // what is wrong with the document
	Wait    time.Duration       // before asking again; 0: the platform does not say
}

// Error describes the refusal in one line.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the platform refuses: %s (%d): %s", r.Code, r.Status, r.Message)
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return &aaif.Fault{Code: r.Code, Text: r.Message} }

// codeForm is what codes look like. What looks otherwise is not taken for one.
var codeForm = pattern.New(`^[A-Z][A-Z0-9_]{0,63}$`)

// refusalOf reads an answer that refuses: the object of this binding, or the frame of a
// handoff that says that it failed.
func refusalOf(got *http.Response, body []byte) *Refusal {
	r := &Refusal{Status: got.StatusCode}
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	said := tree(body)
	if said.Type() != canon.TypeObject {
		said = tree(line)
	}
	r.Code, r.Message = codeOf(said, got.StatusCode), shown(said.Get("message").Text())
	if r.Message == "" {
		r.Message = http.StatusText(got.StatusCode)
	}
	for i, f := range said.Get("errors").Items() {
		if i == mostFaults {
			break
		}
		r.Faults = append(r.Faults, &codec.ParseError{Format: "aaif", Path: shown(f.Get("pointer").Text()), Rule: shown(f.Get("rule").Text()),
			Err: &aaif.Fault{Code: codeOf(f, got.StatusCode), Text: shown(f.Get("message").Text())}})
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
