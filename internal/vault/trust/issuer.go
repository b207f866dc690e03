package trust

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// issuerSpace holds the issuers whose exports the owner accepts as theirs. The key is
// the issuer's address without a slash at its end, the data its list of keys as
// published (Engram 3.8).
const issuerSpace = "engram.trust"

// maxIssuer is the most bytes of an issuer's address.
const maxIssuer = 1024

// TrustedIssuer is an issuer of exports, with the keys that the owner trusts.
type TrustedIssuer struct {
	URL  string
	Keys []engram.Key
}

// TrustIssuer trusts the keys of an issuer of exports, in place of its earlier keys
// (decision E-08).
func (s *Service) TrustIssuer(ctx context.Context, c memory.Caller, url string, known []engram.Key) error {
	const op = "trust"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	issuer, err := issuerNamed(op, url)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return vault.Invalid(op, "/keys", "ENGRAM-3.8-17", "name at least one key of the issuer")
	}
	data := engram.EncodeKeys(known)
	if read, err := engram.DecodeKeys(data); err != nil || len(read) != len(known) {
		return vault.Invalid(op, "/keys", "ENGRAM-3.8-18", "one of these is no key that signs exports, or two of them have one kid")
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		if err := w.Detach(issuerSpace, issuer); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if _, err := store.Attach(w, store.Attachment{Space: issuerSpace, Key: issuer, Data: data}); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Trust, Format: engram.Name, Producer: loggedIssuer(issuer), Count: len(known)})
	})
	return s.kernel.Refusal(c, op, "", err)
}

// DistrustIssuer removes all trusted keys of an issuer. It fails with kind NotFound if
// there are none.
func (s *Service) DistrustIssuer(ctx context.Context, c memory.Caller, url string) error {
	const op = "distrust"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	issuer, err := issuerNamed(op, url)
	if err != nil {
		return err
	}
	err = s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		if err := w.Detach(issuerSpace, issuer); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Distrust, Format: engram.Name, Producer: loggedIssuer(issuer)})
	})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.NotFound, Op: op, Message: "no key of this issuer is trusted; trust list shows whose are"}
	}
	return s.kernel.Refusal(c, op, "", err)
}

// TrustedIssuers lists the issuers with trusted keys, in the order in which they were
// last trusted. Only the owner's side may call it.
func (s *Service) TrustedIssuers(ctx context.Context, c memory.Caller) ([]TrustedIssuer, error) {
	const op = "trust"
	if !c.Speaks() {
		return nil, s.kernel.Refusal(c, op, "", vault.Forbidden(op, "only the owner and the owner's agents may see whom the owner trusts"))
	}
	var all []TrustedIssuer
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		return vault.EachBeside(r, store.AttachmentFilter{Space: issuerSpace}, func(a store.Attachment) error {
			known, err := engram.DecodeKeys(a.Data)
			if err != nil {
				return fmt.Errorf("read the trusted keys: %w", err)
			}
			all = append(all, TrustedIssuer{URL: a.Key, Keys: known})
			return nil
		})
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// issuerNamed returns the only accepted spelling of an issuer's address.
func issuerNamed(op, url string) (string, error) {
	at, err := engram.KeysURL(url)
	if err != nil || len(url) > maxIssuer {
		return "", vault.Invalid(op, "/issuer", "ENGRAM-3.8-26", "an issuer is named by its address, which is https or this machine's")
	}
	return strings.TrimSuffix(at, engram.KeysPath), nil
}

// loggedIssuer returns an issuer's name for the audit log, which holds only short
// codes: the name's beginning, if need be.
func loggedIssuer(issuer string) string {
	const most = 64
	kept := strings.IndexFunc(issuer, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:/", r))
	})
	if kept < 0 {
		kept = len(issuer)
	}
	return issuer[:min(kept, most)]
}
