package server

import "context"

// Confirmed reports whether the owner confirmed the visit of a cookie.
func (p ownerPages) Confirmed(ctx context.Context, cookie string) (bool, error) {
	return p.visits.Confirmed(ctx, cookie)
}

// Confirm spends a code for the visit of a cookie.
func (p ownerPages) Confirm(ctx context.Context, cookie, code string) error {
	return p.visits.Confirm(ctx, cookie, code)
}
