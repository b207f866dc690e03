package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/satchel-memory/satchel/internal/project"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/edition"
	"github.com/satchel-memory/satchel/internal/vault/health"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Access says what a command needs from the store.
type Access int

const (
	Reading   Access = iota // uses the owner's key only if it is not sealed, and asks nothing
	Looking                 // the same, and the caller cannot write at all
	Probing                 // the same, and opens a sealed key if nobody has to be asked
	Showing                 // opens the owner's key, and the caller cannot write
	Signing                 // opens the owner's key, or the command fails
	Writing                 // the same, and empties expired records after the work
	Preparing               // Signing, or Showing if the store cannot be written
)

// Session is an open store with its keys and its selected owner. Close it.
type Session struct {
	Home
	Config
	*vault.Vault
	Owner memory.DID // the selected owner: the owner of the home folder, or the one that --owner names
	Store Engine
	Key   keys.Private // of the home folder's owner; zero when only reading
	Next  keys.Private // the new key during a change of keys; zero: no change
	Past  FormerKeys

	StoreKey keys.Private // zero: not open
	unfiled  bool         // not written to its file yet

	closing  func() // the last steps before the store is released
	ReadOnly bool   // the store can only be read

	bygone bool // removed owners may be selected
}

// Open opens the store. A command that writes opens the key first: a missing passphrase
// never leads to an unsigned record.
func (a *App) Open(need Access, bindings ...string) (*Session, error) {
	return a.OpenFor(vault.Options{Log: a.logger(), Bindings: bindings}, need)
}

// OpenFor is Open with the caller's log, bindings and audience.
func (a *App) OpenFor(settings vault.Options, need Access) (*Session, error) {
	h, c, err := a.ExistingStore()
	if err != nil {
		return nil, err
	}
	a.Detail("store: %s", Clean(h.Name()))
	o := &Session{Home: h, Config: c, Owner: c.Owner, Past: FormerKeys{App: a, Home: h}, bygone: a.Bygone}
	switch need {
	case Reading, Looking, Probing:
		var sources []PassphraseSource
		if need == Probing {
			sources = a.Passphrases(c.Owner)
		}
		o.Key, _, err = UnlockWith(h.Key(OwnerKey), sources)
		if err != nil || o.Key.DID() != c.Owner {
			o.Key = keys.Private{} // seals go unchecked; doctor names the fault
		}
		if o.openStoreKey(sources) != nil {
			o.StoreKey = keys.Private{} // likewise
		}
	default:
		if o.Key, err = a.OwnerKey(h, c.Owner); err != nil {
			return nil, err
		}
		if err = o.openStoreKey(a.PassphraseSources(c.Owner)); err != nil {
			return nil, err
		}
	}
	if need == Signing || need == Writing {
		o.Store, err = h.OpenStore(a, o.Seal)
	} else if o.Store, o.ReadOnly, err = h.openReadable(a, o.Seal); o.ReadOnly && need == Preparing {
		need = Showing
	}
	if err != nil {
		return nil, err
	}
	if len(settings.Bindings) == 0 {
		settings.Bindings = []string{"file"}
	}
	settings.Store, settings.Key, settings.Owner = o.Store, o.OpenKey, c.Owner
	settings.Now, settings.Release, settings.Via = a.Now, Release(), via(settings.Bindings)
	settings.Producer, settings.Spool = c.CurrentProducer().Name, o.Spool
	settings.ReadOnly = need == Looking || need == Showing || o.ReadOnly
	o.Vault = vault.New(VaultOptions(settings))
	if err = o.requireOperator(a.Ctx); err == nil {
		err = o.fileStoreKey(a, need)
	}
	if err == nil {
		err = o.actFor(a.Ctx, a.Owner)
	}
	if err != nil {
		return nil, errors.Join(err, o.Store.Close())
	}
	if c.EndSessions && !o.Key.IsZero() && !settings.ReadOnly {
		if err := o.endSessionsOnce(a.Ctx, a.Now()); err != nil {
			return nil, errors.Join(err, o.Store.Close())
		}
	}
	o.warnIfBack(a)
	o.closing = o.recordProgress
	return o, nil
}

// OpenKey returns the key of an owner, if it is open.
func (o *Session) OpenKey(owner memory.DID) (keys.Private, bool) {
	if owner == o.Config.Owner { // OwnerKey checked that the key is the owner's
		return o.Key, !o.Key.IsZero()
	}
	if !o.Next.IsZero() && o.Next.DID() == owner {
		return o.Next, true
	}
	if o.Key.IsZero() {
		return keys.Private{}, false // without the owner's key no other key opens
	}
	return o.Past.of(owner)
}

// Beliefs returns the beliefs of the open vault.
func (o *Session) Beliefs() *belief.Service { return belief.Of(o.Vault) }

// Trust returns the trusted producers of the open vault's owners.
func (o *Session) Trust() *trust.Service { return trust.New(o.Vault) }

// Editions returns the editions of UMP that the owners' memories speak.
func (o *Session) Editions() *edition.Service { return edition.New(o.Vault) }

// Assistants returns what the owners' assistants read, and which are paused.
func (o *Session) Assistants() *assistant.Service { return assistant.New(o.Vault) }

// Health returns what examines the store for damage.
func (o *Session) Health() *health.Service { return health.New(o.Vault) }

// VaultOptions adds what is so for every vault of this program: all records are
// signed, and whoever comes over a network needs a token.
func VaultOptions(o vault.Options) vault.Options {
	o.Signed, o.Tokens, o.Beliefs = true, true, belief.Open
	o.Meaning = meaning.Open(meaning.Options{Dial: dialEmbed})
	return o
}

// OwnerKey opens the owner's key and checks that it is the owner's.
func (a *App) OwnerKey(h Home, owner memory.DID) (keys.Private, error) {
	key, err := a.Unlock(h, OwnerKey, owner)
	if errors.Is(err, fs.ErrNotExist) {
		return key, fmt.Errorf("the owner's key %s is missing; bring it back with satchel init --recover or from a backup", h.Key(OwnerKey))
	}
	if err == nil && key.DID() != owner {
		return keys.Private{}, Refusedf("the key in %s belongs to %s, the store to %s; bring the right one back with satchel init --recover",
			h.Key(OwnerKey), key.DID(), owner)
	}
	return key, err
}

// via names the binding for the audit log.
func via(bindings []string) string {
	for _, way := range []string{"http", "mcp"} {
		if slices.Contains(bindings, way) {
			return way
		}
	}
	return "cli"
}

// Close writes the rest of the audit log and releases the store.
func (o *Session) Close() error {
	o.Flush(context.Background())
	if o.closing != nil {
		o.closing()
	}
	return o.Store.Close()
}

// Caller is the person at the command line as the selected owner.
func (o *Session) Caller() memory.Caller { return memory.Caller{Owner: o.Owner, Role: memory.Owner} }

// Operator is the person at the command line as the home folder's owner, who admits other
// owners.
func (o *Session) Operator() memory.Caller {
	return memory.Caller{Owner: o.Config.Owner, Role: memory.Owner}
}

// With opens the store, calls do, empties expired records if the key is open, and closes
// the store.
func (a *App) With(need Access, do func(*Session) error) error {
	o, err := a.Open(need)
	if err != nil {
		return err
	}
	err = do(o)
	switch {
	case err != nil:
	case need == Writing:
		o.sweepAfter(a, sweepPatience)
		o.warnHeld(a)
	case need == Reading, need == Preparing:
		o.sweepAfter(a, readPatience)
	}
	return errors.Join(err, o.Close())
}

// ProjectFlags choose a project.
type ProjectFlags struct {
	Project string `xor:"project" help:"The project, such as github.com/owner/repo." placeholder:"P"`
	Here    bool   `xor:"project" help:"The project of the current folder."`
}

// ProjectName returns the chosen project, or "" for none.
func (p ProjectFlags) ProjectName(a *App) (string, error) {
	if !p.Here {
		return p.Project, nil
	}
	found, err := project.Of(".")
	if err == nil && !found.Git {
		a.Warn("this folder is in no git work tree: its project goes by its path, %s", Clean(found.Name))
	}
	return found.Name, err
}
