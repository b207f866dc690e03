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

// Handoff sends a state to another platform as a stream (section 8.3): over https only,
// with its migration token and its checksum set, and no faster than the platform reads.
// It returns nil once the platform has said that it keeps the state, and an error of
// code [NotConfirmed] if it answers without saying so. A platform that refuses while the
// stream is still under way is heard, and nothing more is sent; over HTTP/1.1 the
// connection may break before the answer is read, which is an error, too. When ctx ends
// the connection is cut, which is as good as a handoff_error.
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
	if _, err := frames.Peek(1); err != nil { // it cannot be sent: nothing is connected to
		<-sent
		return err
	}
	got, body, err := c.do(ctx, call{method: http.MethodPost, to: u, accept: handoff.MediaType, media: handoff.MediaType, token: c.Token, slow: true,
		body: stream{frames, from}, header: http.Header{"Expect": {"100-continue"}}})
	from.CloseWithError(errStopped)
	return arrived(got, body, err, <-sent, state)
}

// errStopped ends what is being sent when there is an answer.
var errStopped = errors.New("the platform has answered before all was sent")

// stream is a body that is being made while it is sent.
type stream struct {
	io.Reader
	io.Closer
}

// arrived says whether a state arrived, by the answer and by what came of sending.
func arrived(got *http.Response, body []byte, err, sending error, state canon.Value) error {
	if err = cmp.Or(err, sending); err != nil {
		return err
	}
	return confirmed(got, body, state)
}

// confirmed makes sure that an answer says of a state that it is there: as
// handoff_complete with its checksum, or as an object with its id. Without that the run
// might be given up here and have arrived nowhere.
func confirmed(got *http.Response, body []byte, state canon.Value) error {
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
