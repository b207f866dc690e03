package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

type ownerRekeyCmd struct {
	Key     string `help:"Change to the key in this file. Default: a new key." placeholder:"FILE"`
	From    string `help:"Make the unsigned records of an owner with a plain name yours, such as alice." placeholder:"NAME"`
	Abandon bool   `help:"Give up an interrupted change that cannot be finished."`
	Yes     bool   `short:"y" help:"Do not ask."`

	old, next keys.Private // opened so far
	pass      string       // of both; "": they are not sealed
}

// Run goes over to another key, or takes up a change that was cut off.
func (c *ownerRekeyCmd) Run(a *app) error {
	if c.From != "" {
		return c.takeOver(a)
	}
	h, conf, err := a.existing()
	if err != nil {
		return err
	}
	if a.owner != "" && a.owner != string(conf.Owner) {
		return a.with(signing, func(o *opened) error { return c.of(a, o) })
	}
	j, begun, err := h.readJournal()
	switch {
	case err != nil:
		return err
	case c.Abandon && (!begun || j.To == conf.Owner):
		return refusedf("there is nothing to give up: %s is the owner; satchel owner rekey without --abandon finishes what was begun", conf.Owner)
	case c.Abandon:
		return c.abandon(a, h, j)
	case begun && c.Key != "":
		return refusedf("a change to %s was cut off; finish that first, without --key, or give it up with --abandon", j.To)
	case begun:
		a.say("taking up the change to %s", j.To)
	default:
		if j, err = c.begin(a, h, conf); err != nil {
			return err
		}
	}
	report := rekeyReport{Owner: j.To, Before: j.From, Store: h.name()}
	if j.To != conf.Owner {
		if err := c.carry(a, h, conf, j); err != nil {
			return err
		}
	}
	return c.end(a, h, j, report)
}

// rekeyReport is what came of a change, for machines.
type rekeyReport struct {
	Owner   memory.DID `json:"owner"`
	Before  memory.DID `json:"before"`
	Store   string     `json:"store"`
	Records int        `json:"records"`
	Pending bool       `json:"pending"`
	Retired string     `json:"retired_key,omitempty"`
	Kit     string     `json:"recovery_kit,omitempty"`
	traces  string
}

// begin asks, and writes the new key and the journal: in this order, so that a
// journal never names a key that is not there.
func (c *ownerRekeyCmd) begin(a *app, h home, conf config) (rekeyJournal, error) {
	j := rekeyJournal{From: conf.Owner}
	if !c.Yes && !a.interactive() {
		return j, usagef("a change of keys cannot be undone; say --yes when there is no terminal to ask on")
	}
	old, pass, err := unlockWith(h.key(ownerKey), a.passphraseSources(conf.Owner))
	if err != nil {
		return j, err
	}
	if old.DID() != conf.Owner {
		return j, refusedf("the key in %s is not the owner's; satchel doctor says more", h.key(ownerKey))
	}
	key, err := c.newKey(a, conf)
	if err != nil {
		return j, err
	}
	if j.To = key.DID(); j.To == j.From {
		return j, usagef("the key in %s is the owner's present key", c.Key)
	}
	if !c.Yes {
		yes, err := a.confirm("Every memory is signed anew by another key, under another owner. Tokens end, and programs that use the store must be started again. Go on?")
		if err == nil && !yes {
			err = refusedf("nothing was changed")
		}
		if err != nil {
			return j, err
		}
	}
	if err := os.Remove(h.key(nextKey)); err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that never began
		return j, err
	}
	if err := keys.WriteFile(h.key(nextKey), key, pass); err != nil {
		return j, err
	}
	c.old, c.next, c.pass = old, key, pass
	return j, h.writeJournal(j)
}

// newKey makes the new key, or reads it.
func (c *ownerRekeyCmd) newKey(a *app, conf config) (keys.Private, error) {
	if c.Key == "" {
		return keys.Generate(rand.Reader)
	}
	key, _, err := unlockWith(c.Key, a.passphraseSources(conf.Owner))
	return key, err
}

// carry writes everything under the new owner and then names it in config.json.
func (c *ownerRekeyCmd) carry(a *app, h home, conf config, j rekeyJournal) error {
	if c.next.IsZero() {
		var err error
		if c.next, c.pass, err = unlockWith(h.key(nextKey), a.passphraseSources(conf.Owner)); err != nil {
			return err
		}
	}
	if c.next.DID() != j.To {
		return refusedf("%s is not the key that the change is to; bring the right one back, or give the change up with --abandon", h.key(nextKey))
	}
	o, err := a.open(signing)
	if err != nil {
		return err
	}
	c.old, o.next = o.key, c.next
	_, err = o.carryOver(a, o.owner(), c.next)
	if err = errors.Join(err, o.Close()); err != nil {
		return fmt.Errorf("%w; nothing was erased: satchel owner rekey goes on from here, --abandon gives up", err)
	}
	if kept, _ := kept(conf.Owner).get(); kept != "" && kept == c.pass {
		if err := keyring.Set(keyringService, string(j.To), c.pass); err != nil {
			a.warn("the keyring did not take the passphrase for the new key (%v)", err)
		}
	}
	named := conf.producer() // it comes from the owner where nothing is said, and stays
	conf.Producer = &named
	issues := conf.issuer().anew(a.now())
	conf.Issuer = &issues
	conf.Owner, conf.Former = j.To, append(conf.Former, j.From)
	if err := h.writeConfig(conf); err != nil {
		return err
	}
	return h.settle(j.To)
}

// carryOver is the vault's part, with progress.
func (o *opened) carryOver(a *app, from memory.Caller, to keys.Private) (rekey.Report, error) {
	p := a.progress("signed anew")
	defer p.end()
	return rekey.New(o.Vault).Rekey(a.ctx, from, to, p.reached)
}

// end erases what is left of the old owner, reports, and removes the journal: the
// recovery kit has been shown by then.
func (c *ownerRekeyCmd) end(a *app, h home, j rekeyJournal, report rekeyReport) error {
	o, err := a.open(signing)
	if err != nil {
		return err
	}
	if c.old.IsZero() {
		c.old, _, err = unlockWith(h.retired(j.From), a.passphraseSources(j.From))
	}
	switch {
	case err == nil:
		o.past.add(c.old)
	case !errors.Is(err, fs.ErrNotExist):
		return errors.Join(err, o.Close())
	}
	cleared, err := rekey.New(o.Vault).FinishRekey(a.ctx, memory.Caller{Owner: j.From, Role: memory.Owner}, j.To)
	if err == nil {
		report.Records, err = o.remembered(a.ctx)
	}
	report.Pending, report.Kit, report.traces = !cleared, keys.Recovery(o.key), o.traces()
	if err = errors.Join(err, o.Close()); err != nil {
		return err
	}
	if exists(h.retired(j.From)) {
		report.Retired = h.retired(j.From)
	}
	if err := report.print(a); err != nil {
		return err
	}
	if err := os.Remove(h.journal()); err != nil {
		return err
	}
	return atomicfile.SyncFolder(h.dir)
}

func (r rekeyReport) print(a *app) error {
	if a.json {
		return a.emit(r)
	}
	a.print("owner   %s", r.Owner)
	a.print("before  %s", r.Before)
	a.print("store   %s", r.Store)
	a.print("\nRecovery kit of the new key. Write it down and keep it where nobody else finds\nit: it is the only way back to your key, and it is not shown again.\n\n%s\n", r.Kit)
	a.say("%s signed by the new key, with the same IDs and history.", plural(r.Records, "memory is", "memories are"))
	if r.Retired != "" {
		a.say("The old key is kept in %s: it signs no memory any more, and vouches for the old audit log.", r.Retired)
	}
	a.say("Tokens of the old owner have ended: issue new ones with satchel token mint.\n" +
		"Start every program again that uses the store: hosts, and satchel serve.\n" +
		"Exports and backups from before stay signed by the old key.")
	if r.Pending {
		a.warn("of the old owner's memories %s", r.traces)
	}
	return nil
}

// abandon gives up a change before config.json names the new owner. Where the
// change came as far as the store, the key that it was to is kept: it seals the
// row by which the store knows that owner.
func (c *ownerRekeyCmd) abandon(a *app, h home, j rekeyJournal) error {
	o, err := a.open(signing)
	if err != nil {
		return err
	}
	if key, _, err := unlockWith(h.key(nextKey), a.passphraseSources(j.From)); err == nil {
		o.next = key
	}
	err = rekey.New(o.Vault).AbandonRekey(a.ctx, o.owner(), j.To)
	away := func() error { return os.Rename(h.key(nextKey), h.retired(j.To)) }
	if memory.KindOf(err) == memory.InvalidRecord {
		away, err = func() error { return os.Remove(h.key(nextKey)) }, nil
	}
	if err = errors.Join(err, o.Close()); err != nil {
		return err
	}
	if err := away(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(h.journal()); err != nil {
		return err
	}
	a.say("given up: %s stays the owner", j.From)
	return errors.Join(atomicfile.SyncFolder(h.keys()), atomicfile.SyncFolder(h.dir))
}

// takeOver makes the records of an owner without a key the present owner's.
func (c *ownerRekeyCmd) takeOver(a *app) error {
	switch {
	case a.owner != "":
		return usagef("--from takes over what is nobody's yet, for the owner of the home folder; leave --owner out")
	case c.Key != "":
		return usagef("--from keeps the present key; give it without --key")
	case strings.HasPrefix(c.From, "did:"):
		return refusedf("records of %s are signed by a key of its own; only a store with that key can go over to another", clean(c.From))
	}
	return a.with(signing, func(o *opened) error {
		from := memory.Caller{Owner: memory.DID(c.From), Role: memory.Owner}
		owners, err := o.Owners(a.ctx, o.owner())
		switch {
		case err != nil:
			return err
		case !slices.ContainsFunc(owners, func(w vault.OwnerInfo) bool { return w.Owner == from.Owner }):
			return fmt.Errorf("the store knows no owner %s; satchel owner list shows them", clean(c.From))
		case c.Abandon:
			return rekey.New(o.Vault).AbandonRekey(a.ctx, from, o.Owner)
		}
		return a.takeOver(o, from)
	})
}

// takeOver carries over what is another owner's and ends that.
func (a *app) takeOver(o *opened, from memory.Caller) error {
	report, err := o.carryOver(a, from, o.key)
	if err != nil {
		return fmt.Errorf("%w; nothing was erased: the same command goes on from here, --abandon gives up", err)
	}
	cleared, err := rekey.New(o.Vault).FinishRekey(a.ctx, from, o.Owner)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(rekeyReport{Owner: o.Owner, Before: from.Owner, Store: o.name(), Records: report.Records, Pending: !cleared})
	}
	a.print("took over %s of %s", plural(report.Records, "memory", "memories"), clean(string(from.Owner)))
	if !cleared {
		a.warn("%s", o.traces())
	}
	return nil
}
