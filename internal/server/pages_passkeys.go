package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// Passkeys lists an owner's passkeys.
func (p ownerPages) Passkeys(ctx context.Context, c memory.Caller) ([]pages.Passkey, error) {
	keys, err := p.visits.Passkeys(ctx, c)
	all := make([]pages.Passkey, len(keys))
	for i, k := range keys {
		all[i] = pages.Passkey{ID: k.ID, Browser: k.Label, Made: k.Made, Seen: k.Seen}
	}
	return all, err
}

// OfferPasskey asks for a new passkey.
func (p ownerPages) OfferPasskey(ctx context.Context, cookie string, at pages.Site) ([]byte, error) {
	return p.visits.OfferPasskey(ctx, cookie, visit.Site(at))
}

// AddPasskey keeps a new passkey.
func (p ownerPages) AddPasskey(ctx context.Context, cookie string, at pages.Site, browser string, answer []byte) error {
	return p.visits.AddPasskey(ctx, cookie, visit.Site(at), browser, answer)
}

// DropPasskey removes a passkey.
func (p ownerPages) DropPasskey(ctx context.Context, c memory.Caller, id string) error {
	return p.visits.DropPasskey(ctx, c, id)
}

// AskPasskey asks for a passkey of any owner.
func (p ownerPages) AskPasskey(ctx context.Context, at pages.Site) ([]byte, error) {
	return p.visits.AskPasskey(ctx, visit.Site(at))
}

// EnterByPasskey lets a browser in by a passkey.
func (p ownerPages) EnterByPasskey(ctx context.Context, at pages.Site, browser string, answer []byte) (string, error) {
	return p.visits.EnterByPasskey(ctx, visit.Site(at), browser, answer)
}

// ConfirmByPasskey confirms a visit by a passkey of its owner.
func (p ownerPages) ConfirmByPasskey(ctx context.Context, cookie string, at pages.Site, answer []byte) error {
	return p.visits.ConfirmByPasskey(ctx, cookie, visit.Site(at), answer)
}
