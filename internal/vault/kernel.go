package vault

import (
	"context"
	"log/slog"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Kernel is what the packages above this one (vault/rekey and its neighbours) may do
// with a vault, besides what every caller may. A binding never holds a Kernel: the
// methods of Kernel check no caller.
type Kernel struct{ *Vault }

// KernelOf returns the kernel of v.
func KernelOf(v *Vault) Kernel { return Kernel{v} }

// Bare returns the store without the guard that refuses owners who have moved.
func (k Kernel) Bare() store.Store { return k.bare }

// Store returns the store behind its guard, see [Kernel.Bare].
func (k Kernel) Store() store.Store { return k.store }

// Now returns the time by the vault's clock.
func (k Kernel) Now() time.Time { return k.now() }

// Home returns the home owner, "" where there is none.
func (k Kernel) Home() memory.DID { return k.home }

// Via returns the way in that the audit log names.
func (k Kernel) Via() string { return k.via }

// Log returns the log of causes that callers do not see.
func (k Kernel) Log() *slog.Logger { return k.log }

// Account reads what the store says of an owner as one of many.
func (k Kernel) Account(ctx context.Context, owner memory.DID) (a store.Account, err error) {
	return k.account(ctx, owner)
}

// AtHand reports whether whoever asks sits at the command line.
func (k Kernel) AtHand() bool { return k.atHand() }

// Holder returns the owner's key for signing, or nil when it is not held.
func (k Kernel) Holder(owner memory.DID) *keys.Private { return k.holder(owner) }

// Ledger returns the audit log of an owner. Without the owner's key its head stays
// behind, and nothing in it is marked unless the home owner's key marks for an owner
// who has an account.
func (k Kernel) Ledger(owner memory.DID) audit.Log { return k.ledger(owner) }

// MayManage refuses whoever may not manage the owner's memory as a whole.
func (k Kernel) MayManage(op string, c memory.Caller) error { return k.mayManage(op, c) }

// NamesOf lists what documents call a record: its id, its URN here, and the one it
// came with.
func (k Kernel) NamesOf(owner memory.DID, rec memory.Record) []string {
	return k.namesOf(owner, rec)
}

// Note appends to the audit log of the caller's owner, within the transaction of
// what it tells of. A log that was damaged keeps the owner from nothing: doctor
// and audit verify report it.
func (k Kernel) Note(w store.Writer, c memory.Caller, e audit.Entry, ids ...memory.ID) error {
	return k.note(w, c, e, ids...)
}

// OriginNames lists the names in originSpace that may lead to a record.
func (k Kernel) OriginNames(owner memory.DID, rec memory.Record) []string {
	return k.originNames(owner, rec)
}

// Quiet makes an end of an erasure of everything that was committed: it waits until
// nothing of the owner's is on its way out, and then clears the files, see
// [Vault.cleared]. Whoever was handing something out lets go of what it read when it
// is stopped, so that they can be.
func (k Kernel) Quiet(ctx context.Context, owner memory.DID) (cleared bool, err error) {
	return k.quiet(ctx, owner)
}

// Refusal turns a failure below the vault into what the caller is told, and
// puts it into the audit log where it is a refusal that belongs there.
func (k Kernel) Refusal(c memory.Caller, op string, id memory.ID, err error) error {
	return k.refusal(c, op, id, err)
}

// SignsAlone reports whether the owner alone holds the key, as far as is known here.
func (k Kernel) SignsAlone(owner memory.DID) bool { return k.resident(owner).signsAlone() }

// Settle takes note of what the store says of an owner.
func (k Kernel) Settle(owner memory.DID, a store.Account) error { return k.settle(owner, a) }

// Silence waits until nothing of an owner who was erased is on its way out any
// more, in a store that keeps count of that (decision AD-28).
func (k Kernel) Silence(ctx context.Context, owner memory.DID) error { return k.silence(ctx, owner) }

// Sound reports a record that its owner did not sign as it stands. A record
// without a signature is sound unless the vault was told that all have one; of an
// owner who alone holds the key, where the engine made it of one that has. A record
// of another owner among owner's has that owner's signature, whatever the vault was told.
func (k Kernel) Sound(rec memory.Record, owner memory.DID) error { return k.sound(rec, owner) }

// SoundUnsigned reports a present form without integrity that the engine cannot
// have made of what its owner signed (decision UD-6, case 3). It is for owners who
// alone hold their keys: of others the engine signs what it changes. Where retention
// took the signed form away, nothing but an empty shell is sound.
func (k Kernel) SoundUnsigned(rec memory.Record) error { return k.soundUnsigned(rec) }

// UpdateBare is update past the guard.
func (k Kernel) UpdateBare(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return k.updateBare(ctx, owner, fn)
}

// Wrapped wraps an owner's key under the home owner's.
func (k Kernel) Wrapped(key keys.Private) ([]byte, error) { return k.wrapped(key) }
