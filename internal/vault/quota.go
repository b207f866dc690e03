package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ErrQuota is the cause of a refusal because the owner may keep no more.
var ErrQuota = errors.New("the owner's quota is used up")

// room is what an owner may keep, and kept when a change began.
type room struct {
	quota          store.Quota
	records, bytes int64
}

func roomOf(r store.Reader, a store.Account) (room, error) {
	if a.Quota == (store.Quota{}) {
		return room{}, nil
	}
	records, bytes, err := r.Usage()
	return room{a.Quota, records, bytes}, err
}

// left refuses a change that went beyond what the owner may keep. Who keeps too
// much already, because the quota was lowered, may still keep less.
func (m room) left(r store.Reader) error {
	if m.quota == (store.Quota{}) {
		return nil
	}
	records, bytes, err := r.Usage()
	switch {
	case err != nil:
		return err
	case m.quota.Records > 0 && records > max(m.quota.Records, m.records):
		return overfull(m.records, m.quota.Records, "records")
	case m.quota.Bytes > 0 && bytes > max(m.quota.Bytes, m.bytes):
		return overfull(m.bytes, m.quota.Bytes, "bytes")
	}
	return nil
}

// overfull is a refusal that nothing but more room mends: to try again is no use,
// nor is there anything wrong with the record.
func overfull(used, quota int64, what string) error {
	return &memory.Error{Kind: memory.ForbiddenScope, Err: ErrQuota,
		Message: fmt.Sprintf("the owner's quota is used up: %d of %d %s are kept, and this would be more; erase what is no longer needed, or ask whoever runs this server for a larger quota",
			used, quota, what)}
}

// lessen is Update for what forgets: that is never too much, although it may write
// more at first than it takes away.
func (v *Vault) lessen(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	g := v.guard()
	g.Store = v.bare
	return v.updateBare(ctx, owner, func(w store.Writer) error {
		if _, err := g.enter(w, owner); err != nil {
			return err
		}
		return fn(w)
	})
}

// holds reports whether an owner's key is open here.
func (v *Vault) holds(owner memory.DID) bool { return v.holder(owner) != nil }

// Take takes tokens out of a bucket that all servers of the store share, as
// [store.Limiter] says. Where the store has none it fails with kind Unsupported; its
// other failures are the store's own.
func (v *Vault) Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error) {
	limiter, ok := v.bare.(store.Limiter)
	if !ok {
		return 0, 0, &memory.Error{Kind: memory.Unsupported, Op: "limit", Message: "this store does not count for several servers"}
	}
	return limiter.Take(ctx, owner, payer, want, burst, rate)
}
