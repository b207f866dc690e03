package server

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Confirmed reports whether the owner confirmed the visit of a cookie.
func (p ownerPages) Confirmed(ctx context.Context, c memory.Caller, cookie string) (bool, error) {
	return p.visits.Confirmed(ctx, c, cookie)
}

// Confirm spends a code for the visit of a cookie.
func (p ownerPages) Confirm(ctx context.Context, c memory.Caller, cookie, code string) error {
	return p.visits.Confirm(ctx, c, cookie, code)
}
