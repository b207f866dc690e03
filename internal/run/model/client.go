package model

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
)

// Client asks models over HTTP. Make one with [New].
type Client struct {
	options Options
}

// Options are what a Client needs of its surroundings.
type Options struct {
	Now func() time.Time // nil: the system's clock
	// Patience is the longest silence of a provider, before its answer and between two pieces
	// of it; 0: 5 minutes.
	Patience time.Duration
}

// New returns a Client.
func New(o Options) *Client { return &Client{options: o} }

// Ask is [Asker.Ask].
func (c *Client) Ask(ctx context.Context, e Endpoint, r Request) (Answer, route.Outcome, error) {
	return Answer{}, route.Outcome{}, &Error{Kind: Unconfigured, Provider: e.Provider}
}

var _ Asker = (*Client)(nil)
