package engram

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

const (
	// keysLifetime is how long the client believes a list of keys: an issuer may revoke
	// one.
	keysLifetime = 10 * time.Minute
	// clockMargin is subtracted from the time of signing when asking for changes: the store
	// read the values a moment earlier.
	clockMargin = time.Minute
	// maxSmall bounds answers other than contexts.
	maxSmall = 1 << 20
)

// StatusError is an unexpected answer of a store.
type StatusError struct {
	Status int
	Fault  *Fault // as the store says it; nil: no fault that the client understands
}

// Error returns what the store answered.
func (e *StatusError) Error() string {
	if e.Fault == nil {
		return fmt.Sprintf("the store answers %d", e.Status)
	}
	return fmt.Sprintf("the store answers %d %s: %s", e.Status, quoted(string(e.Fault.Code)), e.Fault.Detail)
}

// Unwrap returns the fault, if there is one.
func (e *StatusError) Unwrap() error {
	if e.Fault == nil {
		return nil
	}
	return e.Fault
}

// Fetch fetches the context and verifies it (section 3.8). The error is a [*StatusError]
// when the store answers otherwise, and a [*Refusal] when the context must not be used.
// After a Refusal the client has no context.
func (c *Client) Fetch(ctx context.Context) (Snapshot, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.fetch(ctx)
}

func (c *Client) fetch(ctx context.Context) (Snapshot, error) {
	at, err := c.endpoints(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	raw, err := c.get(ctx, at.context+c.parameters(time.Time{}), c.o.Token, c.o.Bytes)
	if err != nil {
		return Snapshot{}, err
	}
	now := c.o.Now()
	var unlisted error
	asked := false // whether this verification asked for keys
	v, err := Verify(raw, VerifyOptions{
		Issuer: c.o.Issuer, Now: now, Audience: c.o.Audience, AllowUnsigned: c.o.AllowUnsigned, Supported: c.o.Supported, Bytes: c.o.Bytes,
		Keys: func(fresh bool) (list []Key, err error) {
			if asked || !fresh && c.list.good(now) {
				return c.list.keys, nil
			}
			asked = true
			list, unlisted = c.keys(ctx, now)
			return list, unlisted
		},
	})
	switch {
	case unlisted != nil: // no known fault in the context
		return Snapshot{}, err
	case err != nil:
		return Snapshot{}, c.refuse(err)
	}
	return c.setSnapshot(Snapshot{Verdict: v, Fetched: now, Since: v.Document.IssuedAt.Add(-clockMargin)}), nil
}

// parameters returns the query for the wanted part of the memory.
func (c *Client) parameters(since time.Time) string {
	q := url.Values{}
	if c.o.Query.Scope != "" {
		q.Set("scope", string(c.o.Query.Scope))
	}
	for _, category := range c.o.Query.Categories {
		q.Add("categories", string(category))
	}
	if !since.IsZero() {
		q.Set("since", exactInstant(since))
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// knownKeys are fetched keys.
type knownKeys struct {
	keys []Key
	at   time.Time
}

// good reports whether the keys are recent enough. A kid that is not among them still
// causes a new request (ENGRAM-3.8-25).
func (k knownKeys) good(now time.Time) bool {
	return !k.at.IsZero() && !now.Before(k.at) && now.Sub(k.at) < keysLifetime
}

// keys fetches the issuer's keys (ENGRAM-3.8-10).
func (c *Client) keys(ctx context.Context, now time.Time) ([]Key, error) {
	address, err := KeysURL(c.o.Issuer)
	if err != nil {
		return nil, err
	}
	raw, err := c.get(ctx, address, "", maxKeyList) // no token: the address may be of another origin
	if err != nil {
		return nil, err
	}
	list, err := DecodeKeys(raw)
	if err == nil {
		c.list = knownKeys{list, now}
	}
	return list, err
}

// get returns the body of a successful answer.
func (c *Client) get(ctx context.Context, address, token string, most int64) ([]byte, error) {
	got, err := c.o.Transport.Do(ctx, Request{Method: "GET", URL: address, Token: token, Most: most})
	if err != nil {
		return nil, fmt.Errorf("ask the store: %w", err)
	}
	if got.Status != 200 {
		return nil, statusError(got)
	}
	return got.Body, nil
}

// statusError reads a refusal of the store (section 3.9, errors).
func statusError(got Response) error {
	e := &StatusError{Status: got.Status}
	v, err := canon.Parse(got.Body, canon.Options{Bytes: maxSmall, Inexact: true})
	said := v.Get("error")
	if code := Code(said.Get("code").Text()); err == nil && slices.Contains(Codes(), code) {
		const most = 400
		detail := oneLine(said.Get("message").Text())
		if len(detail) > most {
			detail = detail[:most] + "…"
		}
		e.Fault = &Fault{Code: code, Detail: detail}
	}
	return e
}
