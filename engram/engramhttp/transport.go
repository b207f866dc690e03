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
	// answerTime is how long an answer may take when the client sets no timeout.
	answerTime = 30 * time.Second
	// maxHops is how many redirects within one origin a request follows.
	maxHops = 5
)

// ErrOtherOrigin reports that another origin would answer, or that others could read the
// request.
var ErrOtherOrigin = errors.New("another origin")

// transport is an [engram.Transport] over HTTP.
type transport struct{ client *http.Client }

var _ engram.Transport = transport{}

// Transport sends the requests of an [engram.Client] over HTTP, to https and this machine
// only, and never to another origin (ENGRAM-3.8-26). A nil client has default settings. The
// transport ignores the client's redirect policy and cookies.
func Transport(client *http.Client) engram.Transport {
	c := http.Client{}
	if client != nil {
		c = *client
	}
	c.Timeout, c.Jar = cmp.Or(c.Timeout, answerTime), nil
	c.CheckRedirect = allowRedirect
	return transport{&c}
}

// allowRedirect refuses a redirect to another origin, and any redirect of a request other
// than GET.
func allowRedirect(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host:
		return fmt.Errorf("%w: the store redirects the request to %s", ErrOtherOrigin, r.URL.Host)
	case first.Method != http.MethodGet:
		return errors.New("the store redirects a request that is for it alone")
	case len(via) > maxHops:
		return errors.New("the store redirects the request too often")
	}
	return nil
}

// Do sends a request.
func (t transport) Do(ctx context.Context, r engram.Request) (engram.Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return engram.Response{}, errors.New("the address is invalid")
	}
	if origin := u.Scheme + "://" + u.Host; u.User != nil || !engram.SameIssuer(origin, origin) {
		return engram.Response{}, fmt.Errorf("%w: the address of a store is https, or of this machine", ErrOtherOrigin)
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
	defer func() { _ = got.Body.Close() }() // the body has been read as far as possible
	body, err := io.ReadAll(io.LimitReader(got.Body, r.Most+1))
	switch {
	case err != nil:
		return engram.Response{}, fmt.Errorf("the answer ends early: %w", err)
	case int64(len(body)) > r.Most:
		return engram.Response{}, fmt.Errorf("the answer is longer than %d bytes", r.Most)
	}
	return engram.Response{Status: got.StatusCode, Body: body}, nil
}
