package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/satchel-memory/satchel/internal/project"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Access says what a command needs of the store.
type Access int

const (
	Reading   Access = iota // the owner's key is used only where it is not sealed, and nothing is asked for
	Looking                 // that, and whoever asks cannot write at all
	Probing                 // that, and a sealed key is opened where that needs nobody to ask
	Showing                 // the owner's key is opened, and whoever asks cannot write
	Signing                 // the owner's key is opened, or the command fails
	Writing                 // that, and what has expired is emptied when the work is done
	Preparing               // signing, or showing where the store cannot be written
)

// Opened is a store that a command works with. Close it.
type Opened struct {
	Home
	Config
	*vault.Vault
	Owner memory.DID // who is acted for: the owner that the home folder names, or whom --owner means
	Store Engine
	Key   keys.Private // of the owner that the home folder names; zero when only reading
	Next  keys.Private // that the owner goes over to; zero: does not
	Past  FormerKeys

	StoreKey keys.Private // zero: it is closed
	unfiled  bool         // it is not in its file yet

	closing  func() // what is left to do before the store is released
	ReadOnly bool   // the store can only be read

	bygone bool // who was removed may be acted for
}

// Open opens the store. Whoever may write opens the key first: a record is
// never stored unsigned because a passphrase was missing.
func (a *App) Open(need Access, bindings ...string) (*Opened, error) {
	return a.OpenFor(vault.Options{Log: a.logger(), Bindings: bindings}, need)
}

// OpenFor is open with a log, bindings and an audience of the caller's.
func (a *App) OpenFor(settings vault.Options, need Access) (*Opened, error) {
	h, c, err := a.ExistingStore()
	if err != nil {
		return nil, err
	}
	a.Detail("store: %s", Clean(h.Name()))
	o := &Opened{Home: h, Config: c, Owner: c.Owner, Past: FormerKeys{App: a, Home: h}, bygone: a.Bygone}
	switch need {
	case Reading, Looking, Probing:
		var sources []PassphraseSource
		if need == Probing {
			sources = a.Passphrases(c.Owner)
		}
		o.Key, _, err = UnlockWith(h.Key(OwnerKey), sources)
		if err != nil || o.Key.DID() != c.Owner {
			o.Key = keys.Private{} // seals go unchecked; doctor says what is wrong with it
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
	settings.Store, settings.Key, settings.Owner = o.Store, o.holds, c.Owner
	settings.Now, settings.Release, settings.Via = a.Now, Release(), via(settings.Bindings)
	settings.Producer, settings.Spool = c.CurrentProducer().Name, o.Spool
	settings.ReadOnly = need == Looking || need == Showing || o.ReadOnly
	o.Vault = vault.New(VaultOptions(settings))
	if err = o.enrolled(a.Ctx); err == nil {
		err = o.fileStoreKey(a, need)
	}
	if err == nil {
		err = o.actFor(a.Ctx, a.Owner)
	}
	if err != nil {
		return nil, errors.Join(err, o.Store.Close())
	}
	o.notice(a)
	o.closing = o.remark
	return o, nil
}

// holds returns the key of an owner, if it is open.
func (o *Opened) holds(owner memory.DID) (keys.Private, bool) {
	if owner == o.Config.Owner { // OwnerKey made sure that it is the owner's
		return o.Key, !o.Key.IsZero()
	}
	if !o.Next.IsZero() && o.Next.DID() == owner {
		return o.Next, true
	}
	if o.Key.IsZero() {
		return keys.Private{}, false // nothing is opened where the owner's key stays closed
	}
	return o.Past.of(owner)
}

// Beliefs returns the beliefs of the vault that is open.
func (o *Opened) Beliefs() *belief.Service { return belief.Of(o.Vault) }

// Trust returns whom the owners of the vault that is open trust.
func (o *Opened) Trust() *trust.Service { return trust.New(o.Vault) }

// VaultOptions adds what is so for every vault of this program: all records are
// signed, and whoever comes over a network needs a token.
func VaultOptions(o vault.Options) vault.Options {
	o.Signed, o.Tokens, o.Beliefs = true, true, belief.Open
	return o
}

// OwnerKey opens the owner's key and makes sure that it is the owner's.
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

// via names the way in for the audit log.
func via(bindings []string) string {
	for _, way := range []string{"http", "mcp"} {
		if slices.Contains(bindings, way) {
			return way
		}
	}
	return "cli"
}

// Close writes what is left of the audit log and releases the store.
func (o *Opened) Close() error {
	o.Flush(context.Background())
	if o.closing != nil {
		o.closing()
	}
	return o.Store.Close()
}

// Caller is the person at the command line, as whom they act for.
func (o *Opened) Caller() memory.Caller { return memory.Caller{Owner: o.Owner, Role: memory.Owner} }

// Operator is the person at the command line, as the owner of the home folder, who
// lets others in.
func (o *Opened) Operator() memory.Caller {
	return memory.Caller{Owner: o.Config.Owner, Role: memory.Owner}
}

// With opens the store, lets do work with it, empties what has expired where the key
// for it is open, and closes it.
func (a *App) With(need Access, do func(*Opened) error) error {
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

// ProjectName returns the chosen project, "" for none.
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
