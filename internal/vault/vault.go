package vault

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/codec"
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
	// here. nil: no key is held, and nothing is signed. Keys that lie in the store
	// need not be known to it, see [Vault.Open].
	Key func(memory.DID) (keys.Private, bool)
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Release is the version of the program, told by capabilities.
	Release string
	// Bindings are the carriers in service: "mcp", "http", "file".
	Bindings []string
	// ReadOnly refuses every write with kind Unsupported.
	ReadOnly bool
	// Signed says that every record was signed by its owner when it was stored,
	// as a vault does that holds the key: one without a signature is damaged and
	// not served.
	Signed bool
	// Tokens says that whoever comes over a network needs a capability token or
	// the owner's, or comes over no network: with it, Signed and a key the vault
	// is of level 3 (decision UD-32).
	Tokens bool
	// Audience is whom capability tokens must be made for, if they name an
	// audience; empty: the owner's DID.
	Audience string
	// Owner is the home owner: the operator's own, who lets others in, under whose
	// key theirs are wrapped, and into whose audit log goes what concerns nobody in
	// particular; empty: there is none.
	Owner memory.DID
	// Via is the way in that the audit log names: "http", "mcp", "cli".
	Via string
	// Producer is the Producer Namespace under which bundles leave (AIMEM 2.3);
	// empty: none do.
	Producer string
	// Beliefs makes what reads records as beliefs (vault/belief); nil: whatever beliefs
	// would decide is refused with kind Unsupported.
	Beliefs func(Kernel) Beliefs
	// Spool gives room in which a bundle on its way out is written down, so that it
	// need not be made several times; nil: it is. Only its owner may read it.
	Spool func() (codec.Spool, error)
	// Log receives causes that callers do not see; nil: they are dropped.
	Log *slog.Logger
}

// Vault keeps the memories of the owners of one store. It is safe for
// concurrent use.
type Vault struct {
	store    store.Store // guarded, see guard.go
	bare     store.Store
	key      func(memory.DID) (keys.Private, bool)
	now      func() time.Time
	release  string
	bindings []string
	readOnly bool
	log      *slog.Logger

	allSigned, tokens, unverified bool
	audience, via, producer       string
	home                          memory.DID
	spool                         func() (codec.Spool, error)

	verified  verified
	beliefs   Beliefs
	tally     tally
	secrets   sync.Map // memory.DID -> []byte, see ledger
	residents sync.Map // memory.DID -> *resident, see account.go
	editions  sync.Map // memory.DID -> string, see speaks

	secretOnce sync.Once
	secret     []byte // see receiptKey
}

var _ ump.Backend = (*Vault)(nil)

// New returns a vault over o.Store, which stays the caller's to close.
func New(o Options) *Vault {
	v := &Vault{
		bare: o.Store, key: o.Key, now: o.Now, release: o.Release,
		bindings: o.Bindings, readOnly: o.ReadOnly, log: o.Log,
		allSigned: o.Signed, tokens: o.Tokens,
		audience: o.Audience, via: o.Via, home: o.Owner, producer: o.Producer, spool: o.Spool,
	}
	v.store = guard(o.Store, v.guard())
	v.tally.vault = v
	v.beliefs = noBeliefs{}
	if o.Beliefs != nil {
		v.beliefs = o.Beliefs(KernelOf(v))
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

// atHand reports whether whoever asks sits at the command line.
func (v *Vault) atHand() bool { return v.via == "cli" }

// Capabilities says what this vault offers the caller.
func (v *Vault) Capabilities(ctx context.Context, c memory.Caller) (memory.Capabilities, error) {
	edition, err := v.Edition(ctx, cmp.Or(c.Owner, v.home))
	if err != nil {
		return memory.Capabilities{}, v.refusal(c, "capabilities", "", err)
	}
	caps := memory.Capabilities{
		Name: "satchel", Release: v.release, UMP: edition, Conformance: v.level(c.Owner),
		Bindings: v.bindings, MaxRecall: MaxRecall, Writable: !v.readOnly,
	}
	caps.Audit = edition == ump.LaterEdition && !v.readOnly
	if c.Speaks() {
		caps.Owner = c.Owner
	}
	return caps, nil
}

// level is the level in force (decision UD-32): the third needs the owner's key,
// verification on read, and tokens that are asked for.
func (v *Vault) level(owner memory.DID) string {
	if owner == "" {
		owner = v.home
	}
	if v.allSigned && !v.unverified && v.tokens && v.holder(owner) != nil {
		return "L3"
	}
	return "L2"
}
