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
	// keysGood is for how long a list of keys is believed: one may have been revoked.
	keysGood = 10 * time.Minute
	// margin is how much earlier than a context was signed changes are asked for: its
	// values were read a moment before.
	margin = time.Minute
	// maxSmall bounds answers that are no context.
	maxSmall = 1 << 20
)

// StatusError is an answer of a store that is none of what was asked for.
type StatusError struct {
	Status int
	Fault  *Fault // as the store says it; nil: it says nothing that can be understood
}

// Error says what the store answered.
func (e *StatusError) Error() string {
	if e.Fault == nil {
		return fmt.Sprintf("the store answers %d", e.Status)
	}
	return fmt.Sprintf("the store answers %d %s: %s", e.Status, shown(string(e.Fault.Code)), e.Fault.Detail)
}

// Unwrap returns the fault, if there is one.
func (e *StatusError) Unwrap() error {
	if e.Fault == nil {
		return nil
	}
	return e.Fault
}

// Fetch fetches the context and verifies it (section 3.8). Where the store answers
// otherwise the error is a [*StatusError], where the context is not to be used a
// [*Refusal]; in the latter case the client has nothing any more.
func (c *Client) Fetch(ctx context.Context) (Held, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.fetch(ctx)
}

func (c *Client) fetch(ctx context.Context) (Held, error) {
	at, err := c.endpoints(ctx)
	if err != nil {
		return Held{}, err
	}
	raw, err := c.get(ctx, at.context+c.parameters(time.Time{}), c.o.Token, c.o.Bytes)
	if err != nil {
		return Held{}, err
	}
	now := c.o.Now()
	var unlisted error
	asked := false // for keys, in this verification
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
	case unlisted != nil: // nothing is wrong with the context that is known
		return Held{}, err
	case err != nil:
		return Held{}, c.refused(err)
	}
	return c.hold(Held{Verdict: v, Fetched: now, Since: v.Document.IssuedAt.Add(-margin)}), nil
}

// parameters are those of a request for the part of the memory that is wanted.
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

// knownKeys are keys that were fetched.
type knownKeys struct {
	keys []Key
	at   time.Time
}

// good reports whether keys are so recent that they need not be fetched anew, unless
// one is not among them (ENGRAM-3.8-25).
func (k knownKeys) good(now time.Time) bool {
	return !k.at.IsZero() && !now.Before(k.at) && now.Sub(k.at) < keysGood
}

// keys fetches the issuer's keys (ENGRAM-3.8-10).
func (c *Client) keys(ctx context.Context, now time.Time) ([]Key, error) {
	address, err := KeysURL(c.o.Issuer)
	if err != nil {
		return nil, err
	}
	raw, err := c.get(ctx, address, "", maxKeyList) // no token: it may be of another origin
	if err != nil {
		return nil, err
	}
	list, err := DecodeKeys(raw)
	if err == nil {
		c.list = knownKeys{list, now}
	}
	return list, err
}

// get returns the body of an answer that is a success.
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

// statusError reads an answer that is a refusal (section 3.9, errors).
func statusError(got Response) error {
	e := &StatusError{Status: got.Status}
	v, err := canon.Parse(got.Body, canon.Options{Bytes: maxSmall, Inexact: true})
	said := v.Get("error")
	if code := Code(said.Get("code").Text()); err == nil && slices.Contains(codes(), code) {
		const most = 400
		detail := oneLine(said.Get("message").Text())
		if len(detail) > most {
			detail = detail[:most] + "…"
		}
		e.Fault = &Fault{Code: code, Detail: detail}
	}
	return e
}
