package aaifhttp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
)

// Handoff streams a state to another platform (section 8.3), over https only. The state
// needs its migration token and its checksum. Handoff sends no faster than the platform
// reads. It returns nil once the platform has confirmed that it keeps the state, and an
// error with the code [NotConfirmed] if the platform answers without confirming. If the
// platform refuses during the stream, Handoff stops sending and reports the refusal. Over
// HTTP/1.1 the connection may break before the answer is read, which is an error, too. If
// ctx ends, Handoff cuts the connection, which counts as a handoff_error.
func (c Client) Handoff(ctx context.Context, address string, state canon.Value) error {
	u, err := c.endpoint(address, c.Local)
	if err != nil {
		return err
	}
	from, to := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := handoff.Send(ctx, to, state, handoff.SendOptions{})
		to.CloseWithError(err)
		sent <- err
	}()
	frames := bufio.NewReader(from)
	if _, err := frames.Peek(1); err != nil { // the state cannot be sent: no connection is made
		<-sent
		return err
	}
	got, body, err := c.do(ctx, call{method: http.MethodPost, to: u, accept: handoff.MediaType, media: handoff.MediaType, token: c.Token, slow: true,
		body: stream{frames, from}, header: http.Header{"Expect": {"100-continue"}}})
	from.CloseWithError(errStopped)
	return handoffResult(got, body, err, <-sent, state)
}

// errStopped ends the stream when the answer arrives.
var errStopped = errors.New("the platform has answered before all was sent")

// stream is a request body that is made while it is sent.
type stream struct {
	io.Reader
	io.Closer
}

// handoffResult returns whether a state arrived, from the answer and the result of
// sending.
func handoffResult(got *http.Response, body []byte, err, sending error, state canon.Value) error {
	if err = cmp.Or(err, sending); err != nil {
		return err
	}
	return checkConfirmation(got, body, state)
}

// checkConfirmation requires that an answer confirms the state: by handoff_complete with
// its checksum, or by an object with its id. Otherwise the source might give the run up
// although it arrived nowhere.
func checkConfirmation(got *http.Response, body []byte, state canon.Value) error {
	said := tree(body)
	if said.Type() != canon.TypeObject {
		line, _, _ := bytes.Cut(body, []byte("\n"))
		said = tree(line)
	}
	switch handoff.Type(said.Get("type").Text()) {
	case handoff.Error:
		return refusalOf(got, body)
	case handoff.Complete:
		if said.Get("checksum").Text() != state.Get("provenance").Get("checksum").Text() {
			return &aaif.Fault{Code: aaif.ChecksumMismatch, Text: "the platform says that it keeps another state than was sent"}
		}
		return nil
	}
	if id := said.Get("state_id").Text(); id == "" || id != state.Get("state_id").Text() || said.Has("code") {
		return &aaif.Fault{Code: NotConfirmed, Text: "the platform answers, and does not say that it has the state: " +
			"make sure that the address is where states are taken in, and ask the platform before the run goes on anywhere"}
	}
	return nil
}
