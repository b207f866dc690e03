package engram

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Sync updates the client's memory. It applies changes, or fetches a whole context: when
// the client has none, when it has expired, when the tier or the store offers no changes,
// or when everything must be signed. Errors are those of [Client.Fetch]. Unreadable changes
// leave the memory as it was.
func (c *Client) Sync(ctx context.Context) (Snapshot, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	h, ok := c.Snapshot()
	if !ok || c.o.RequireSigned || c.o.Tier != FullTier || h.Document.Usable(VerifyOptions{Now: c.o.Now()}) != nil {
		return c.fetch(ctx)
	}
	delta, err := c.changes(ctx, h.Since)
	if notOffered(err) {
		return c.fetch(ctx)
	}
	if err != nil {
		return h, err
	}
	h.Document, h.Trust, h.Kid = Apply(h.Document, delta), Unverified, ""
	h.Since = delta.GeneratedAt
	return c.setSnapshot(h), nil
}

// notOffered reports whether a store does not offer what the client asked for.
func notOffered(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && slices.Contains([]int{404, 405, 501}, e.Status) && (e.Fault == nil || e.Fault.Code != UserNotFound)
}

// Changes returns what changed after a time. Nobody signs changes: it fails with
// RequireSigned, and in a tier without changes.
func (c *Client) Changes(ctx context.Context, since time.Time) (Delta, error) {
	if c.o.RequireSigned || c.o.Tier != FullTier {
		return Delta{}, errors.New("nobody signs changes, and only the tier Full has them: this client fetches whole contexts")
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
