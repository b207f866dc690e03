package belief

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

var _ engram.Subscriber = (*Service)(nil)

// hookSpace holds the subscriptions of runtimes to changes (Engram 12.5). The key is
// the id of the subscription.
const hookSpace = "engram.hook"

// maxHooks is the most subscriptions that an owner's memory has.
const maxHooks = 16

// hookForm is the layout of a subscription in the store, as JSON.
type hookForm struct {
	URL     string             `json:"url"`
	Events  []engram.EventType `json:"events"`
	Secret  []byte             `json:"secret"` // sealed under the owner's key
	Created time.Time          `json:"created_at"`
	Since   time.Time          `json:"since"`           // changes up to then were delivered
	Tries   int                `json:"tries,omitempty"` // failures in a row
	Next    time.Time          `json:"next,omitzero"`   // the earliest next try
	Role    memory.Role        `json:"role"`
	Grant   *memory.Grant      `json:"grant,omitempty"` // the token that made it

	id string
}

// caller returns the caller on whose behalf a subscriber is notified: it sees what its
// token opens.
func (f hookForm) caller(owner memory.DID) memory.Caller {
	c := memory.Caller{Owner: owner, Role: f.Role, Grant: f.Grant}
	if f.Grant != nil {
		c.Session = vault.TokenSession + f.Grant.ID
	}
	return c
}

func (f hookForm) subscription() engram.Subscription {
	s := engram.Subscription{ID: f.id, URL: f.URL, Events: f.Events, CreatedAt: f.Created}
	if f.Grant != nil && f.Grant.Runtime != nil {
		s.Runtime = f.Grant.Runtime.Name
	}
	return s
}

// hookSeal returns the cipher that seals the secrets of an owner's subscriptions.
func (h *hooks) hookSeal(owner memory.DID) (cipher.AEAD, error) {
	key := h.kernel.Holder(owner)
	if key == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Op: "subscribe", Message: "the owner's key is not open here: secrets cannot be sealed"}
	}
	return key.Sealer("satchel Engram subscriptions 1")
}

// Subscribe stores the address at which a runtime wants notice of changes from now on
// (Engram 12.5), and seals its secret. The runtime receives what its token opens, as
// long as the token is valid.
func (h *hooks) Subscribe(ctx context.Context, c memory.Caller, sub engram.Subscription) (engram.Subscription, error) {
	const op = "subscribe"
	if h.kernel.ReadOnly() {
		return sub, vault.ReadOnly(op)
	}
	if _, err := h.askedContext(c, engram.Query{}); err != nil {
		return sub, err
	}
	if err := sub.Check(); err != nil {
		return sub, err
	}
	id, err := engram.NewID(rand.Reader)
	if err != nil {
		return sub, err
	}
	seal, err := h.hookSeal(c.Owner)
	if err != nil {
		return sub, h.kernel.Refusal(c, op, "", err)
	}
	now := h.kernel.Now().UTC().Truncate(time.Microsecond)
	f := hookForm{URL: sub.URL, Events: sub.Events, Secret: seal.Seal(nil, nil, []byte(sub.Secret), []byte(id)),
		Created: now, Since: now, Role: c.Role, Grant: c.Grant, id: id}
	err = h.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		have, err := hooksOf(w)
		if err == nil && len(have) >= maxHooks {
			err = &engram.Fault{Code: engram.RateLimited, Rule: "ENGRAM-12.5-1", Detail: fmt.Sprintf("there are %d subscriptions already, and no more are kept", maxHooks)}
		}
		if err != nil {
			return err
		}
		if err := f.keep(w); err != nil {
			return err
		}
		return h.kernel.Note(w, c, audit.Entry{Act: audit.Subscribe, Format: engram.Name})
	})
	return f.subscription(), h.kernel.Refusal(c, op, "", err)
}

// keep stores a subscription in place of its earlier form.
func (f hookForm) keep(w store.Writer) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := w.Detach(hookSpace, f.id); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if _, err = store.Attach(w, store.Attachment{Space: hookSpace, Key: f.id, Data: data}); err != nil {
		return err
	}
	return w.Schedule(store.Tell, f.Next)
}

// hooksOf returns an owner's subscriptions. It skips damaged ones.
func hooksOf(r store.Reader) ([]hookForm, error) {
	var all []hookForm
	err := vault.EachBeside(r, store.AttachmentFilter{Space: hookSpace}, func(a store.Attachment) error {
		f := hookForm{id: a.Key}
		if json.Unmarshal(a.Data, &f) == nil {
			all = append(all, f)
		}
		return nil
	})
	return all, err
}

// Unsubscribe ends a subscription. A runtime may end those made with its token; the
// owner's side may end any.
func (h *hooks) Unsubscribe(ctx context.Context, c memory.Caller, id string) error {
	const op = "unsubscribe"
	if h.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	if _, err := h.askedContext(c, engram.Query{}); err != nil {
		return err
	}
	err := h.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		have, err := hooksOf(w)
		if err != nil {
			return err
		}
		for _, f := range have {
			own := c.Speaks() || f.Grant != nil && c.Grant != nil && f.Grant.ID == c.Grant.ID
			if f.id == id && own {
				return h.endHook(w, c, f, "asked")
			}
		}
		return store.ErrNotFound
	})
	return h.kernel.Refusal(c, op, "", err)
}

// endHook ends a subscription; why is the reason that the audit log notes.
func (h *hooks) endHook(w store.Writer, c memory.Caller, f hookForm, why string) error {
	if err := w.Detach(hookSpace, f.id); err != nil {
		return err
	}
	return h.kernel.Note(w, c, audit.Entry{Act: audit.Unsubscribe, Format: engram.Name, Reason: why, Count: f.Tries})
}

// Subscriptions lists the subscriptions to the owner, oldest first.
func (h *hooks) Subscriptions(ctx context.Context, c memory.Caller) ([]engram.Subscription, error) {
	const op = "subscriptions"
	if err := h.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	var all []engram.Subscription
	err := h.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		have, err := hooksOf(r)
		all = nil
		for _, f := range have {
			all = append(all, f.subscription())
		}
		return err
	})
	return all, h.kernel.Refusal(c, op, "", err)
}
