package agents

import (
	"crypto/ed25519"
	"io"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Options configure a service. The zero value of a policy suits documents of
// strangers.
type Options struct {
	Vault  *vault.Vault
	Now    func() time.Time // needed
	Random io.Reader        // makes ids, safe for concurrent use; needed
	Limits Limits

	// Platform is the name of this platform: the audience that migration tokens must
	// have. Empty: no state is accepted.
	Platform string
	Release  string // of the program
	URL      string // this server's public address, without a slash at its end; empty: unknown

	// Running describes the runtime for agents: its features in force, and the duties
	// it fulfils. The zero Offer: there is none, and agents that need a run's safety
	// features are refused (AAIF-7-12). The service sets name and addresses itself.
	Running aaif.Offer
	// Functions are the names of the registered functions that agents may call as
	// tools. Others are off, or refused at strict safety levels (AAIF-4.4-5).
	Functions []string
	// Hooks are the names of the registered hooks. Others are off, or refused at strict safety
	// levels (AAIF-4-21).
	Hooks []string
	// Cards are the addresses of the Agent Cards of agents elsewhere that runs may give tasks
	// to. A subagent at another address is unresolved (AAIF-4.3-2).
	Cards []string
	// Fresh sets Running, Functions, Hooks and Cards to what runs have here now. It is called
	// before each of them is used; nil: they stay.
	Fresh func(*Options) error
	// Shown returns the run of the conformance suite behind the report, at each call;
	// the service sets its Offer. nil, or the zero Evidence: there was no run, and
	// there is no report.
	Shown func() (aaif.Evidence, error)
	// Signer signs the report; the zero key: it is not signed.
	Signer keys.Private

	// CustomRegion is the region that the data residency "custom" means here, one of
	// those that Running supports. Empty: none, and agents that declare it are
	// refused (decision R35).
	CustomRegion string

	// ReadOnly: the service accepts nothing, and so names no place to send it.
	ReadOnly bool
	// Own are the names under which the owner signs definitions. A definition under
	// such a name with another signature was altered.
	Own []string
	// OwnKeys returns further keys with which an owner signs migration tokens under
	// these names; nil: none.
	OwnKeys func(owner memory.DID) []ed25519.PublicKey
	// Signed refuses definitions without a trusted signature at every safety level.
	// Otherwise only strict and regulated ones are refused, and others get a warning
	// (AAIF-12-17).
	Signed bool
	// Active refuses drafts that are meant for production; otherwise they get a
	// warning (AAIF-4.1-9).
	Active bool
	// Evaluated reports whether a definition that is active has passed an evaluation; active
	// definitions that have not are refused. nil: no evaluation is asked for.
	Evaluated func(definition canon.Value) (bool, error)
	// Unbound accepts tokens that are bound to ids but to no digest (decision R6).
	Unbound bool
	// Plain accepts states without TLS from programs on this machine.
	Plain bool
	// Allow reports whether a text at a pointer that looks like a secret is none;
	// nil: always false. See [privacy.AllowList].
	Allow func(pointer, text string) bool
	// Principal returns the name by which other platforms know the person behind a
	// caller (decision R26); nil: the owner's DID.
	Principal func(memory.Caller) string
}

// Limits bound input from strangers. Zero means the default. With the defaults the
// worst document takes some tenths of a second.
type Limits struct {
	Body       int64 // most bytes of a definition; default [aaif.MaxDefinition]
	State      int64 // most bytes of a state; default [aaif.MaxState]
	Depth      int   // most nesting; default 32
	Values     int   // most values of a definition; default 10,000
	Conditions int   // most bytes of all conditions of a definition together; default [condition.MostBytes]
	Agents     int   // most agents to search for references between agents; default 200
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

// fresh returns the service with what runs have here now.
func (s *Service) fresh() (*Service, error) {
	if s.opt.Fresh == nil {
		return s, nil
	}
	now := *s
	if err := s.opt.Fresh(&now.opt); err != nil {
		return nil, err
	}
	now.manifest = aaif.NewManifest(now.opt.offer(s.issued))
	return &now, nil
}

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
