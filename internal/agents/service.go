package agents

import (
	"crypto/ed25519"
	"io"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Options say what a service works with. The zero value of a policy is the one for
// documents of strangers.
type Options struct {
	Vault  *vault.Vault
	Now    func() time.Time // needed
	Random io.Reader        // of which ids are made, safe for concurrent use; needed
	Limits Limits

	// Platform is the name under which this platform takes part: the audience that
	// migration tokens have to name. Empty: no state is taken in.
	Platform string
	Release  string // of the program
	URL      string // under which the world reaches this server, without a slash at its end; empty: not said

	// Running is what runs agents here: what it has in force, and which duties it keeps.
	// The zero Offer: nothing does, and agents that need a run's safety features are
	// refused (AAIF-7-12). Name and addresses are the service's to say.
	Running aaif.Offer
	// Functions are the names under which functions are registered here that agents call
	// as tools; others are off, or refused where safety is strict (AAIF-4.4-5).
	Functions []string
	// Shown tells, each time, of the run of the conformance suite that the report rests
	// on; its Offer is the service's. nil, or the zero Evidence: there was none, and
	// there is no report.
	Shown func() (aaif.Evidence, error)
	// Signer signs the report; the zero key: it is not signed.
	Signer keys.Private

	// CustomRegion is the region that the data residency "custom" means here, one of
	// those that Running keeps to; empty: none, and agents that declare it are refused
	// (decision R35).
	CustomRegion string

	// ReadOnly: nothing is taken in, and so nowhere is said to be where that is.
	ReadOnly bool
	// Own are the names under which the owner signs definitions: one under such a name
	// that is signed otherwise was altered.
	Own []string
	// OwnKeys are the keys with which an owner signs migration tokens under these names,
	// beside the owner's own; nil: none.
	OwnKeys func(owner memory.DID) []ed25519.PublicKey
	// Signed refuses definitions without a trusted signature at every safety level;
	// otherwise strict and regulated ones only, and others are warned of (AAIF-12-17).
	Signed bool
	// Active refuses drafts that are meant for production, which are warned of
	// otherwise (AAIF-4.1-9).
	Active bool
	// Unbound takes tokens in that are bound to ids but to no digest (decision R6).
	Unbound bool
	// Plain says that states are taken without TLS from programs of this machine.
	Plain bool
	// Allow says of a text at a pointer that it is no secret, though it looks like one;
	// nil: of none. See [privacy.AllowList].
	Allow func(pointer, text string) bool
	// Principal names the person for whom a caller stands, as other platforms know that
	// person (decision R26); nil: by the owner's DID.
	Principal func(memory.Caller) string
}

// Limits bound what is taken from strangers. Zero means the default. The defaults keep
// what the worst document costs to some tenths of a second.
type Limits struct {
	Body       int64 // most bytes of a definition; default [aaif.MaxDefinition]
	State      int64 // most bytes of a state; default [aaif.MaxState]
	Depth      int   // most nesting; default 32
	Values     int   // most values that a definition is made of; default 10,000
	Conditions int   // most bytes of all conditions of a definition together; default [condition.MostBytes]
	Agents     int   // most agents that are looked at for what refers to whom; default 200
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		field *int
		value int
	}{{&l.Depth, 32}, {&l.Values, 10_000}, {&l.Conditions, condition.MostBytes}, {&l.Agents, 200}} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	if l.Body <= 0 {
		l.Body = aaif.MaxDefinition
	}
	if l.State <= 0 {
		l.State = aaif.MaxState
	}
	return l
}

// Service keeps agents. It is safe for concurrent use.
type Service struct {
	store     *agentstore.Service
	trust     *trust.Service
	opt       Options
	validator *aaif.Validator
	compiler  *condition.Compiler
	issued    time.Time
	manifest  aaif.Manifest
}

var _ aaif.Backend = (*Service)(nil)

// New returns a service over a vault.
func New(o Options) (*Service, error) {
	o.Limits = o.Limits.filled()
	if o.Principal == nil {
		o.Principal = func(c memory.Caller) string { return string(c.Owner) }
	}
	v, err := aaif.NewValidator(nil)
	if err != nil {
		return nil, err
	}
	issued := o.Now().UTC().Truncate(time.Second)
	return &Service{
		store: agentstore.New(o.Vault), trust: trust.New(o.Vault), opt: o, validator: v, compiler: condition.NewCompiler(condition.Options{}),
		issued: issued, manifest: aaif.NewManifest(o.offer(issued)),
	}, nil
}
