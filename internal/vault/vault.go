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
	// Key returns the private key of an owner, or false if the key is not held here.
	// nil: no key is held, and nothing is signed. Key need not know the keys that the
	// store keeps, see [Vault.Open].
	Key func(memory.DID) (keys.Private, bool)
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Release is the version of the program, which capabilities report.
	Release string
	// Bindings are the carriers in service: "mcp", "http", "file".
	Bindings []string
	// ReadOnly refuses every write with kind Unsupported.
	ReadOnly bool
	// Signed says that every record was signed by its owner when it was stored, as a
	// vault that holds the key does. A record without a signature then counts as
	// damaged and is not served.
	Signed bool
	// Tokens says that every caller over a network needs a capability token or the
	// owner's token, or that no caller uses a network. With Tokens, Signed and a key
	// the vault is of level 3 (decision UD-32).
	Tokens bool
	// Audience is the audience that capability tokens must name if they name one;
	// empty: the owner's DID.
	Audience string
	// Owner is the home owner, who belongs to the operator and admits other owners. The
	// home owner's key wraps their keys. The home owner's audit log takes entries that
	// concern nobody in particular; empty: there is none.
	Owner memory.DID
	// Via is the way in that the audit log names: "http", "mcp", "cli".
	Via string
	// Producer is the Producer Namespace of exported bundles (AIMEM 2.3); empty: no
	// bundle is exported.
	Producer string
	// Beliefs opens the package that reads records as beliefs: belief.Open. Required.
	Beliefs func(Kernel) Beliefs
	// Meaning opens the package that searches by meaning: meaning.Open. nil: recall finds by
	// words alone.
	Meaning func(Kernel) Meaning
	// Spool returns temporary storage for a bundle during its export, so that it is
	// made only once; nil: it is made several times. Only the bundle's owner may read
	// the storage.
	Spool func() (codec.Spool, error)
	// Batch is how many records an import or a bundle's stages, an undo takes back, and a change
	// of edition or of the key signs in one transaction; 0: 256.
	Batch int
	// Log receives causes that callers do not see; nil: they are dropped.
	Log *slog.Logger
}

// Vault keeps the memories of the owners of one store. It is safe for concurrent use.
//
// It has layers, each of which knows only the layers below it: core, keyring, journal,
// access, verifier, editor. The arbiter and the eraser build on the editor.
type Vault struct {
	*editor
	*arbiter
	*eraser
}

// core is the state that all layers share.
type core struct {
	store    store.Store // guarded, see guard.go
	bare     store.Store
	now      func() time.Time
	release  string
	bindings []string
	readOnly bool
	batch    int
	log      *slog.Logger

	allSigned, tokens, unverified bool
	audience, via, producer       string
	home                          memory.DID
	spool                         func() (codec.Spool, error)

	beliefs Beliefs
	meaning Meaning // nil: none
	recalls recallCache
}

// keyring knows the owners, their accounts and the keys that are open here.
type keyring struct {
	*core
	key           func(memory.DID) (keys.Private, bool)
	ownerAccounts sync.Map // memory.DID -> *ownerAccount, see account.go

	secretOnce sync.Once
	secret     []byte // see receiptKey
}

// journal writes each owner's audit log and deny list. Both use marks that only the
// owner's key can make.
type journal struct {
	*keyring
	tally    tally
	readings readings
	secrets  sync.Map // memory.DID -> []byte, see ledger
}

// access decides what a caller may do, and turns failures into refusals.
type access struct{ *journal }

// verifier reads records, verifies them, and shows callers the records that they may
// see.
type verifier struct {
	*access
	verified verified
}

// editor writes records: it signs, stores and changes them, and closes the versions
// that they replace.
type editor struct {
	*verifier
	editions sync.Map // memory.DID -> string, see Edition
}

// arbiter decides whether an offered record is new, known, or refused.
type arbiter struct {
	*editor
	indexed sync.Map // memory.DID -> int64, see hasOlderIndex
}

// eraser forgets, erases, sweeps and undoes.
type eraser struct{ *editor }

var _ ump.Backend = (*Vault)(nil)

// New returns a vault over o.Store. The caller closes the store.
func New(o Options) *Vault {
	c := &core{
		bare: o.Store, now: o.Now, release: o.Release,
		bindings: o.Bindings, readOnly: o.ReadOnly, log: o.Log, batch: cmp.Or(o.Batch, importBatch),
		allSigned: o.Signed, tokens: o.Tokens,
		audience: o.Audience, via: o.Via, home: o.Owner, producer: o.Producer, spool: o.Spool,
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	ring := &keyring{core: c, key: o.Key}
	if ring.key == nil {
		ring.key = func(memory.DID) (keys.Private, bool) { return keys.Private{}, false }
	}
	c.store = guard(o.Store, ring.guard())
	log := &journal{keyring: ring}
	log.tally.journal, log.readings.journal = log, log
	e := &editor{verifier: &verifier{access: &access{log}}}
	v := &Vault{editor: e, arbiter: &arbiter{editor: e}, eraser: &eraser{e}}
	c.beliefs = o.Beliefs(KernelOf(v))
	if o.Meaning != nil {
		c.meaning = o.Meaning(KernelOf(v))
	}
	return v
}

// atHand reports whether the caller uses the command line.
func (c *core) atHand() bool { return c.via == "cli" }

// Batch returns how many records are written in one transaction, see [Options].
func (c *core) Batch() int { return c.batch }

// Capabilities returns the features that this vault offers the caller.
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

// level returns the level in force (decision UD-32). Level 3 requires the owner's key,
// verification on read, and tokens for callers.
func (k *keyring) level(owner memory.DID) string {
	if owner == "" {
		owner = k.home
	}
	if k.allSigned && !k.unverified && k.tokens && k.holder(owner) != nil {
		return "L3"
	}
	return "L2"
}
