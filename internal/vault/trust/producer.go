package trust

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// trustSpace holds the producers whose bundles the owner accepts as theirs. The key is
// a Producer Namespace, the data a JSON array of trusted.
const trustSpace = "aimem.trust"

// trusted is a stored key.
type trusted struct {
	ID     []byte `json:"kid"`
	Public []byte `json:"public"` // PKIX, DER
}

// Trust is a producer of bundles, with the keys that the owner trusts.
type Trust struct {
	Producer string
	Keys     []aimem.Key
}

// TrustProducer trusts the keys of a producer of bundles, in place of its earlier keys
// (AIMEM 5.3, decision AD-25).
func (s *Service) TrustProducer(ctx context.Context, c memory.Caller, producer string, known []aimem.Key) error {
	const op = "trust"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	if !aimem.IsProducer(producer) {
		return vault.Invalid(op, "/producer", "AIMEM-1.2-5", "a producer is named by 1 to 63 characters of a-z, 0-9 and -")
	}
	if len(known) == 0 {
		return vault.Invalid(op, "/keys", "AIMEM-5.3-1", "name at least one key of the producer")
	}
	data, err := storedKeys(known)
	if err != nil {
		return err
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		if err := w.Detach(trustSpace, producer); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if _, err := store.Attach(w, store.Attachment{Space: trustSpace, Key: producer, Data: data}); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Trust, Producer: producer, Count: len(known)})
	})
	return s.kernel.Refusal(c, op, "", err)
}

// DistrustProducer removes all trusted keys of a producer. It fails with kind NotFound
// if there are none.
func (s *Service) DistrustProducer(ctx context.Context, c memory.Caller, producer string) error {
	const op = "distrust"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		if err := w.Detach(trustSpace, producer); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Distrust, Producer: clipped(producer)})
	})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.NotFound, Op: op, Message: "no key of this producer is trusted; trust list shows whose are"}
	}
	return s.kernel.Refusal(c, op, "", err)
}

// clipped returns the name of a producer for the audit log, or "" for any other text.
func clipped(producer string) string {
	if aimem.IsProducer(producer) {
		return producer
	}
	return ""
}

// Trusts lists the producers with trusted keys, in the order in which they were last
// trusted. Only the owner's side may call it.
func (s *Service) Trusts(ctx context.Context, c memory.Caller) ([]Trust, error) {
	const op = "trust"
	if !c.Speaks() {
		return nil, s.kernel.Refusal(c, op, "", vault.Forbidden(op, "only the owner and the owner's agents may see whom the owner trusts"))
	}
	var all []Trust
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		return vault.EachBeside(r, store.AttachmentFilter{Space: trustSpace}, func(a store.Attachment) error {
			known, err := heldKeys(a.Data)
			all = append(all, Trust{Producer: a.Key, Keys: known})
			return err
		})
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// Trusted returns the trusted keys of a producer; none: it is not trusted. A caller who
// may import a bundle may have it verified.
func (s *Service) Trusted(ctx context.Context, c memory.Caller, producer string) ([]aimem.Key, error) {
	const op = "trust"
	if err := s.kernel.May(op, c, memory.WriteVerb); err != nil {
		return nil, err
	}
	var known []aimem.Key
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		a, err := r.Attached(trustSpace, producer, 0)
		if err == nil {
			known, err = heldKeys(a.Data)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return known, s.kernel.Refusal(c, op, "", err)
}

func storedKeys(known []aimem.Key) ([]byte, error) {
	out := make([]trusted, len(known))
	for i, k := range known {
		der, err := x509.MarshalPKIXPublicKey(k.Public)
		if err != nil {
			return nil, &memory.Error{Kind: memory.InvalidRecord, Op: "trust", Path: fmt.Sprintf("/keys/%d", i), Rule: "AIMEM-5.3-1", Err: err,
				Message: "this is no key that signs bundles: give an Ed25519 or P-256 key"}
		}
		out[i] = trusted{k.ID, der}
	}
	return json.Marshal(out)
}

func heldKeys(data []byte) ([]aimem.Key, error) {
	var held []trusted
	if err := json.Unmarshal(data, &held); err != nil {
		return nil, fmt.Errorf("read the trusted keys: %w", err)
	}
	known := make([]aimem.Key, len(held))
	for i, h := range held {
		public, err := x509.ParsePKIXPublicKey(h.Public)
		if err != nil {
			return nil, fmt.Errorf("read a trusted key: %w", err)
		}
		known[i] = aimem.Key{ID: h.ID, Public: crypto.PublicKey(public)}
	}
	return known, nil
}
