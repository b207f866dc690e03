package engramhttp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

const (
	// answerTime is how long an answer may take where the client has no time of its own.
	answerTime = 30 * time.Second
	// maxHops is how often a request is sent on within one origin.
	maxHops = 5
)

// ErrElsewhere: an answer would come from another origin than was asked, or from where
// others could read what is sent.
var ErrElsewhere = errors.New("another origin")

// transport is an [engram.Transport] over HTTP.
type transport struct{ client *http.Client }

var _ engram.Transport = transport{}

// Transport carries the requests of an [engram.Client] over HTTP: to https and this
// machine alone, and never on to another origin (ENGRAM-3.8-26). nil is a client with
// nothing set. Neither its redirects nor its cookies are used.
func Transport(client *http.Client) engram.Transport {
	c := http.Client{}
	if client != nil {
		c = *client
	}
	c.Timeout, c.Jar = cmp.Or(c.Timeout, answerTime), nil
	c.CheckRedirect = within
	return transport{&c}
}

// within refuses to be sent on to another origin, and with anything but a question.
func within(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host:
		return fmt.Errorf("%w: the store sends the request on to %s", ErrElsewhere, r.URL.Host)
	case first.Method != http.MethodGet:
		return errors.New("the store sends on what is for it alone")
	case len(via) > maxHops:
		return errors.New("the store sends the request on and on")
	}
	return nil
}

// Do sends a request.
func (t transport) Do(ctx context.Context, r engram.Request) (engram.Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return engram.Response{}, errors.New("this is no address")
	}
	if origin := u.Scheme + "://" + u.Host; u.User != nil || !engram.SameIssuer(origin, origin) {
		return engram.Response{}, fmt.Errorf("%w: a store is asked over https, or on this machine", ErrElsewhere)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return engram.Response{}, err
	}
	request.Header.Set("Accept", "application/json")
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	got, err := t.client.Do(request)
	if err != nil {
		return engram.Response{}, err
	}
	defer func() { _ = got.Body.Close() }() // what could be read has been read
	body, err := io.ReadAll(io.LimitReader(got.Body, r.Most+1))
	switch {
	case err != nil:
		return engram.Response{}, fmt.Errorf("the answer breaks off: %w", err)
	case int64(len(body)) > r.Most:
		return engram.Response{}, fmt.Errorf("the answer is longer than %d bytes", r.Most)
	}
	return engram.Response{Status: got.StatusCode, Body: body}, nil
}
