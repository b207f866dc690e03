package engram

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Sync brings what the client has up to date: by what changed since, or by a whole
// context where it has none, where that has expired, where the tier has no changes,
// where the store offers none, or where everything has to be signed. Errors are as of
// [Client.Fetch]; changes that cannot be read leave what there was.
func (c *Client) Sync(ctx context.Context) (Held, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	h, ok := c.Held()
	if !ok || c.o.RequireSigned || c.o.Tier != FullTier || h.Document.Usable(VerifyOptions{Now: c.o.Now()}) != nil {
		return c.fetch(ctx)
	}
	delta, err := c.changes(ctx, h.Since)
	if notThere(err) {
		return c.fetch(ctx)
	}
	if err != nil {
		return h, err
	}
	h.Document, h.Trust, h.Kid = Apply(h.Document, delta), Unverified, ""
	h.Since = delta.GeneratedAt
	return c.hold(h), nil
}

// notThere reports whether a store does not offer what it was asked for.
func notThere(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && slices.Contains([]int{404, 405, 501}, e.Status) && (e.Fault == nil || e.Fault.Code != UserNotFound)
}

// Changes returns what changed after a time. Nobody signs that: it fails where
// everything has to be signed, and in a tier without changes.
func (c *Client) Changes(ctx context.Context, since time.Time) (Delta, error) {
	if c.o.RequireSigned || c.o.Tier != FullTier {
		return Delta{}, errors.New("changes are not signed, and of the tier Full: this client asks for whole contexts")
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.changes(ctx, since)
}

func (c *Client) changes(ctx context.Context, since time.Time) (Delta, error) {
	at, err := c.endpoints(ctx)
	if err != nil {
		return Delta{}, err
	}
	raw, err := c.get(ctx, at.diff+c.parameters(since), c.o.Token, c.o.Bytes)
	if err != nil {
		return Delta{}, err
	}
	return ParseDelta(raw, ReadOptions{Bytes: c.o.Bytes, Supported: c.o.Supported})
}
