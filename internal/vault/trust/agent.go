package trust

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// AgentKeys returns the trusted Ed25519 keys of the authors and platforms with these
// names (AAIF decision R4). They are the producers of bundles and the issuers of
// exports that the owner trusted with satchel trust. An issuer's key counts only during
// its listed lifetime.
func (s *Service) AgentKeys(ctx context.Context, c memory.Caller, names ...string) ([]ed25519.PublicKey, error) {
	const op = "trust"
	if c.Owner == "" {
		return nil, &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose agents are meant"}
	}
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	var known []ed25519.PublicKey
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		known = nil
		for _, name := range names {
			found, err := s.producerKeys(r, ProducerOf(name))
			issued, err2 := s.issuerKeys(r, name)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			known = append(append(known, found...), issued...)
		}
		return nil
	})
	return known, s.kernel.Refusal(c, op, "", err)
}

// ProducerOf returns an author's name in the form that names its trusted keys: lower
// case, with letters, digits and hyphens only.
func ProducerOf(author string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(author))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return strings.Trim(name, "-")
}

func (s *Service) producerKeys(r store.Reader, name string) (known []ed25519.PublicKey, err error) {
	if clipped(name) == "" {
		return nil, nil
	}
	a, err := r.Attached(trustSpace, name, 0)
	if err != nil {
		return nil, vault.NotFoundIsNone(err)
	}
	held, err := heldKeys(a.Data)
	for _, k := range held {
		if public, ok := k.Public.(ed25519.PublicKey); ok {
			known = append(known, public)
		}
	}
	return known, err
}

func (s *Service) issuerKeys(r store.Reader, name string) (known []ed25519.PublicKey, err error) {
	url, err := issuerNamed("trust", name)
	if err != nil {
		return nil, nil // no issuer can have this name
	}
	a, err := r.Attached(issuerSpace, url, 0)
	if err != nil {
		return nil, vault.NotFoundIsNone(err)
	}
	held, err := engram.DecodeKeys(a.Data)
	if err != nil {
		return nil, fmt.Errorf("read the trusted keys: %w", err)
	}
	now := s.kernel.Now()
	for _, k := range held {
		if !now.Before(k.CreatedAt) && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt)) {
			known = append(known, ed25519.PublicKey(k.Public))
		}
	}
	return known, nil
}
