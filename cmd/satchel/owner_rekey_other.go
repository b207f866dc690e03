package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The key that an owner other than the home folder's goes over to lies in the home
// folder, as keys/next-….key, from before the change begins until it is finished;
// the store has it as well by then, wrapped as every such owner's.

// upcoming is where that key lies.
func (h home) upcoming(owner memory.DID) string {
	return h.key("next-" + string(owner[max(0, len(owner)-retiredTail):]))
}

// of changes the key of an owner who is one of many, or takes up a change that was
// cut off.
func (c *ownerRekeyCmd) of(a *app, o *opened) error {
	info, err := o.Vault.Owner(a.ctx, o.operator(), o.Owner)
	at := o.upcoming(o.Owner)
	switch {
	case err != nil:
		return err
	case !info.Held && !info.Moving:
		return refusedf("the key of %s is held by its owner alone, who has to change it", o.Owner)
	case !info.Moving && info.MovedTo != "":
		return refusedf("%s went over to another key already, that of %s", o.Owner, info.MovedTo)
	case c.Abandon && !info.Moving:
		return refusedf("there is nothing to give up: no change of the key of %s was begun", o.Owner)
	case c.Abandon:
		if err := rekey.New(o.Vault).AbandonRekey(a.ctx, o.owner(), info.MovedTo); err != nil {
			return err
		}
		a.say("given up: %s keeps the key", o.Owner)
		return removed(at)
	case info.Moving:
		a.say("taking up the change to %s", info.MovedTo)
	default:
		if err := c.confirmed(a); err != nil {
			return err
		}
		if err := c.prepare(a, o, at); err != nil {
			return err
		}
	}
	next, _, err := unlockWith(at, a.passphraseSources(o.config.Owner))
	if err != nil {
		return fmt.Errorf("the key of the new owner: %w; --abandon gives the change up", err)
	}
	return c.goOver(a, o, next, at)
}

// confirmed makes sure that a change is meant.
func (c *ownerRekeyCmd) confirmed(a *app) error {
	if c.Yes {
		return nil
	}
	if !a.interactive() {
		return usagef("a change of keys cannot be undone; say --yes when there is no terminal to ask on")
	}
	yes, err := a.confirm("Every memory of the owner is signed anew by another key, under another owner, and tokens end. Go on?")
	if err == nil && !yes {
		err = refusedf("nothing was changed")
	}
	return err
}

// prepare makes the new key, or reads it, and files it, sealed as the key of the
// home folder is.
func (c *ownerRekeyCmd) prepare(a *app, o *opened, at string) error {
	if err := removed(at); err != nil { // of a change that never began
		return err
	}
	_, pass, err := unlockWith(o.home.key(ownerKey), a.passphraseSources(o.config.Owner))
	if err != nil {
		return err
	}
	var next keys.Private
	if c.Key == "" {
		next, err = keys.Generate(rand.Reader)
	} else {
		next, _, err = unlockWith(c.Key, a.passphraseSources(o.config.Owner))
	}
	switch {
	case err != nil:
		return err
	case next.DID() == o.Owner:
		return usagef("the key in %s is the owner's present key", c.Key)
	case next.DID() == o.config.Owner:
		return usagef("the key in %s is that of the home folder", c.Key)
	}
	return keys.WriteFile(at, next, pass)
}

func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// goOver carries everything over, ends the old owner, and hands out a token by which
// the new one comes in.
func (c *ownerRekeyCmd) goOver(a *app, o *opened, next keys.Private, at string) error {
	from := o.owner()
	report, err := o.carryOver(a, from, next)
	if err != nil {
		return fmt.Errorf("%w; nothing was erased: the same command goes on from here, --abandon gives up", err)
	}
	cleared, err := rekey.New(o.Vault).FinishRekey(a.ctx, from, next.DID())
	if err != nil {
		return err
	}
	expires := a.now().Add(firstToken)
	token, err := o.firstToken(a, next.DID(), expires)
	if err != nil {
		return err
	}
	info, err := o.Vault.Owner(a.ctx, o.operator(), next.DID())
	if err = errors.Join(err, removed(at)); err != nil {
		return err
	}
	if a.json {
		return a.emit(struct {
			added
			Before  memory.DID `json:"before"`
			Records int        `json:"records"`
			Pending bool       `json:"pending"`
		}{added{Owner: info.Owner, Label: info.Label, Key: "here", Token: token, Expires: stamp(expires)}, from.Owner, report.Records, !cleared})
	}
	a.print("owner   %s\nbefore  %s\ntoken   %s", info.Owner, from.Owner, token)
	a.say("%s signed by the new key, with the same IDs and history; tokens of the old one have ended", plural(info.Records, "memory is", "memories are"))
	a.warn("whoever has this token is the owner, until %s; it is shown this once", local(expires))
	if !cleared {
		a.warn("of the old owner's memories %s", o.traces())
	}
	return nil
}

// unfinishedOthers looks for changes of other owners' keys that were cut off.
func (d *doctor) unfinishedOthers() {
	found, err := filepath.Glob(filepath.Join(escaped(d.home.keys()), "next-*.key"))
	if err != nil {
		return // the pattern is ours
	}
	for _, path := range found {
		d.bad("rekey", path+" is of a change of an owner's key that is not finished",
			"satchel owner list shows who is going over; satchel --owner DID owner rekey finishes it", nil)
	}
}
