package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/satchel-memory/satchel/internal/project"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// access says what a command needs of the store.
type access int

const (
	reading   access = iota // the owner's key is used only where it is not sealed, and nothing is asked for
	looking                 // that, and whoever asks cannot write at all
	probing                 // that, and a sealed key is opened where that needs nobody to ask
	showing                 // the owner's key is opened, and whoever asks cannot write
	signing                 // the owner's key is opened, or the command fails
	writing                 // that, and what has expired is emptied when the work is done
	preparing               // signing, or showing where the store cannot be written
)

// opened is a store that a command works with. Close it.
type opened struct {
	home
	config
	*vault.Vault
	Owner memory.DID // who is acted for: the owner that the home folder names, or whom --owner means
	store engine
	key   keys.Private // of the owner that the home folder names; zero when only reading
	next  keys.Private // that the owner goes over to; zero: does not
	past  formerKeys

	storeKey keys.Private // zero: it is closed
	unfiled  bool         // it is not in its file yet

	closing  func() // what is left to do before the store is released
	readOnly bool   // the store can only be read

	bygone bool // who was removed may be acted for
}

// open opens the store. Whoever may write opens the key first: a record is
// never stored unsigned because a passphrase was missing.
func (a *app) open(need access, bindings ...string) (*opened, error) {
	return a.openFor(vault.Options{Log: a.logger(), Bindings: bindings}, need)
}

// openFor is open with a log, bindings and an audience of the caller's.
func (a *app) openFor(settings vault.Options, need access) (*opened, error) {
	h, c, err := a.existing()
	if err != nil {
		return nil, err
	}
	a.detail("store: %s", clean(h.name()))
	o := &opened{home: h, config: c, Owner: c.Owner, past: formerKeys{app: a, home: h}, bygone: a.bygone}
	switch need {
	case reading, looking, probing:
		var sources []passphraseSource
		if need == probing {
			sources = a.passphrases(c.Owner)
		}
		o.key, _, err = unlockWith(h.key(ownerKey), sources)
		if err != nil || o.key.DID() != c.Owner {
			o.key = keys.Private{} // seals go unchecked; doctor says what is wrong with it
		}
		if o.openStoreKey(sources) != nil {
			o.storeKey = keys.Private{} // likewise
		}
	default:
		if o.key, err = a.ownerKey(h, c.Owner); err != nil {
			return nil, err
		}
		if err = o.openStoreKey(a.passphraseSources(c.Owner)); err != nil {
			return nil, err
		}
	}
	if need == signing || need == writing {
		o.store, err = h.openStore(a, o.seal)
	} else if o.store, o.readOnly, err = h.openReadable(a, o.seal); o.readOnly && need == preparing {
		need = showing
	}
	if err != nil {
		return nil, err
	}
	if len(settings.Bindings) == 0 {
		settings.Bindings = []string{"file"}
	}
	settings.Store, settings.Key, settings.Owner = o.store, o.holds, c.Owner
	settings.Now, settings.Release, settings.Via = a.now, release(), via(settings.Bindings)
	settings.Producer, settings.Spool = c.producer().Name, o.spool
	settings.ReadOnly = need == looking || need == showing || o.readOnly
	o.Vault = vault.New(vaultOptions(settings))
	if err = o.enrolled(a.ctx); err == nil {
		err = o.fileStoreKey(a, need)
	}
	if err == nil {
		err = o.actFor(a.ctx, a.owner)
	}
	if err != nil {
		return nil, errors.Join(err, o.store.Close())
	}
	o.notice(a)
	o.closing = o.remark
	return o, nil
}

// holds returns the key of an owner, if it is open.
func (o *opened) holds(owner memory.DID) (keys.Private, bool) {
	if owner == o.config.Owner { // ownerKey made sure that it is the owner's
		return o.key, !o.key.IsZero()
	}
	if !o.next.IsZero() && o.next.DID() == owner {
		return o.next, true
	}
	if o.key.IsZero() {
		return keys.Private{}, false // nothing is opened where the owner's key stays closed
	}
	return o.past.of(owner)
}

// vaultOptions adds what is so for every vault of this program: all records are
// signed, and whoever comes over a network needs a token.
func vaultOptions(o vault.Options) vault.Options {
	o.Signed, o.Tokens = true, true
	return o
}

// ownerKey opens the owner's key and makes sure that it is the owner's.
func (a *app) ownerKey(h home, owner memory.DID) (keys.Private, error) {
	key, err := a.unlock(h, ownerKey, owner)
	if errors.Is(err, fs.ErrNotExist) {
		return key, fmt.Errorf("the owner's key %s is missing; bring it back with satchel init --recover or from a backup", h.key(ownerKey))
	}
	if err == nil && key.DID() != owner {
		return keys.Private{}, refusedf("the key in %s belongs to %s, the store to %s; bring the right one back with satchel init --recover",
			h.key(ownerKey), key.DID(), owner)
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
func (o *opened) Close() error {
	o.Flush(context.Background())
	if o.closing != nil {
		o.closing()
	}
	return o.store.Close()
}

// owner is the person at the command line, as whom they act for.
func (o *opened) owner() memory.Caller { return memory.Caller{Owner: o.Owner, Role: memory.Owner} }

// operator is the person at the command line, as the owner of the home folder, who
// lets others in.
func (o *opened) operator() memory.Caller {
	return memory.Caller{Owner: o.config.Owner, Role: memory.Owner}
}

// with opens the store, lets do work with it, empties what has expired where the key
// for it is open, and closes it.
func (a *app) with(need access, do func(*opened) error) error {
	o, err := a.open(need)
	if err != nil {
		return err
	}
	err = do(o)
	switch {
	case err != nil:
	case need == writing:
		o.sweepAfter(a, sweepPatience)
		o.warnHeld(a)
	case need == reading, need == preparing:
		o.sweepAfter(a, readPatience)
	}
	return errors.Join(err, o.Close())
}

// projectFlags choose a project.
type projectFlags struct {
	Project string `xor:"project" help:"The project, such as github.com/owner/repo." placeholder:"P"`
	Here    bool   `xor:"project" help:"The project of the current folder."`
}

// name returns the chosen project, "" for none.
func (p projectFlags) name(a *app) (string, error) {
	if !p.Here {
		return p.Project, nil
	}
	found, err := project.Of(".")
	if err == nil && !found.Git {
		a.warn("this folder is in no git work tree: its project goes by its path, %s", clean(found.Name))
	}
	return found.Name, err
}
