package vault

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// MaxRecall is the most results one recall returns; a larger limit is clamped
// (UMP 3.1, decision UD-17).
const MaxRecall = 50

// Options say what a vault works with.
type Options struct {
	Store store.Store
	// Key returns the private key of an owner, or false when it is not held
	// here. nil: no key is held, and nothing is signed.
	Key func(memory.DID) (keys.Private, bool)
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Release is the version of the program, told by capabilities.
	Release string
	// Bindings are the carriers in service: "mcp", "http", "file".
	Bindings []string
	// ReadOnly refuses every write with kind Unsupported.
	ReadOnly bool
	// Log receives causes that callers do not see; nil: they are dropped.
	Log *slog.Logger
}

// Vault keeps the memories of the owners of one store. It is safe for
// concurrent use.
type Vault struct {
	store    store.Store
	key      func(memory.DID) (keys.Private, bool)
	now      func() time.Time
	release  string
	bindings []string
	readOnly bool
	log      *slog.Logger

	secretOnce sync.Once
	secret     []byte // see receiptKey
}

var _ ump.Backend = (*Vault)(nil)

// New returns a vault over o.Store, which stays the caller's to close.
func New(o Options) *Vault {
	v := &Vault{
		store: o.Store, key: o.Key, now: o.Now, release: o.Release,
		bindings: o.Bindings, readOnly: o.ReadOnly, log: o.Log,
	}
	if v.key == nil {
		v.key = func(memory.DID) (keys.Private, bool) { return keys.Private{}, false }
	}
	if v.now == nil {
		v.now = time.Now
	}
	if v.log == nil {
		v.log = slog.New(slog.DiscardHandler)
	}
	return v
}

// Capabilities says what this vault offers the caller.
func (v *Vault) Capabilities(_ context.Context, c memory.Caller) (memory.Capabilities, error) {
	caps := memory.Capabilities{
		Name: "satchel", Release: v.release, UMP: ump.Edition, Conformance: "L2",
		Bindings: v.bindings, MaxRecall: MaxRecall, Writable: !v.readOnly,
	}
	if c.Speaks() {
		caps.Owner = c.Owner
	}
	return caps, nil
}

// holder returns the owner's key for signing, or nil when it is not held.
func (v *Vault) holder(owner memory.DID) *keys.Private {
	if k, ok := v.key(owner); ok {
		return &k
	}
	return nil
}
