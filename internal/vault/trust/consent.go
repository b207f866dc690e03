package trust

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Consent names something that the owner may agree to once and for all.
type Consent string

// ExportEmbeddings lets the owner's agents and the holders of an export grant have the
// vectors of what they may export (AIMEM 5.5, decision AD-15). The owner needs no
// consent.
const ExportEmbeddings Consent = "embeddings:export"

// Given is a consent in force.
type Given struct {
	Consent Consent
	At      time.Time // when it was given
}

// consentSpace holds the consents in force. The key is a Consent, the data the time
// when it was given (RFC 3339).
const consentSpace = "consent"

// Valid reports whether c is a known consent.
func (c Consent) Valid() bool { return c == ExportEmbeddings }

// GrantConsent records that the owner agrees to something until it is revoked. Only the
// owner in person may call it. A second call changes nothing.
func (s *Service) GrantConsent(ctx context.Context, c memory.Caller, what Consent) error {
	const op = "consent"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	if !what.Valid() {
		return noConsent(op)
	}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		at := vault.Instant(s.kernel.Now())
		given := store.Attachment{Space: consentSpace, Key: string(what), Data: []byte(at.Format(time.RFC3339Nano))}
		if _, err := store.Attach(w, given); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Consent, Reason: string(what)})
	})
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return s.kernel.Refusal(c, op, "", err)
}

// RevokeConsent revokes a consent. Only the owner in person may call it. It fails with
// kind NotFound if the consent is not in force.
func (s *Service) RevokeConsent(ctx context.Context, c memory.Caller, what Consent) error {
	const op = "consent"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	if !what.Valid() {
		return noConsent(op)
	}
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		if err := w.Detach(consentSpace, string(what)); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Withdraw, Reason: string(what)})
	})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.NotFound, Op: op, Message: "this consent is not in force; consent list shows which are"}
	}
	return s.kernel.Refusal(c, op, "", err)
}

func noConsent(op string) error {
	return vault.Invalid(op, "", "AIMEM-5.5-1", "there is no such consent; the only one is "+string(ExportEmbeddings))
}

// Consents lists the consents in force. Only the owner in person may call it.
func (s *Service) Consents(ctx context.Context, c memory.Caller) ([]Given, error) {
	const op = "consent"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	var all []Given
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		return vault.EachBeside(r, store.AttachmentFilter{Space: consentSpace}, func(a store.Attachment) error {
			at, err := time.Parse(time.RFC3339Nano, string(a.Data))
			all = append(all, Given{Consent: Consent(a.Key), At: at})
			return err
		})
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// Consents reports whether the owner has agreed to something.
func Consents(r store.Reader, what Consent) (bool, error) {
	_, err := r.Attached(consentSpace, string(what), 0)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
