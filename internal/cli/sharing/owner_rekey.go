package sharing

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// OwnerRekeyCmd is the command satchel owner rekey.
type OwnerRekeyCmd struct {
	Key     string `help:"Change to the key in this file. Default: a new key." placeholder:"FILE"`
	From    string `help:"Make the unsigned records of an owner with a plain name yours, such as alice." placeholder:"NAME"`
	Abandon bool   `help:"Give up an interrupted change that cannot be finished."`
	Yes     bool   `short:"y" help:"Do not ask."`

	old, next keys.Private // opened so far
	pass      string       // of both; "": they are not sealed
}

// Run changes the owner's key, or continues an interrupted change.
func (c *OwnerRekeyCmd) Run(a *cli.App) error {
	if c.From != "" {
		return c.takeOver(a)
	}
	h, conf, err := a.ExistingStore()
	if err != nil {
		return err
	}
	if a.Owner != "" && a.Owner != string(conf.Owner) {
		return a.With(cli.Signing, func(o *cli.Session) error { return c.of(a, o) })
	}
	j, begun, err := h.ReadJournal()
	switch {
	case err != nil:
		return err
	case c.Abandon && (!begun || j.To == conf.Owner):
		return cli.Refusedf("there is nothing to give up: %s is the owner; satchel owner rekey without --abandon finishes what was begun", conf.Owner)
	case c.Abandon:
		return c.abandon(a, h, j)
	case begun && c.Key != "":
		return cli.Refusedf("a change to %s was cut off; finish that first, without --key, or give it up with --abandon", j.To)
	case begun:
		a.Say("taking up the change to %s", j.To)
	default:
		if j, err = c.Begin(a, h, conf); err != nil {
			return err
		}
	}
	report := rekeyReport{Owner: j.To, Before: j.From, Store: h.Name()}
	if j.To != conf.Owner {
		if err := c.Carry(a, h, conf, j); err != nil {
			return err
		}
	}
	return c.end(a, h, j, report)
}

// rekeyReport is the result of a change of keys, for machines.
type rekeyReport struct {
	Owner    memory.DID `json:"owner"`
	Before   memory.DID `json:"before"`
	Store    string     `json:"store"`
	Records  int        `json:"records"`
	Pending  bool       `json:"pending"`
	Retired  string     `json:"retired_key,omitempty"`
	Kit      string     `json:"recovery_kit,omitempty"`
	traces   string
	machines bool // this machine has met others
}

// Begin asks, and then writes the new key and the journal, in this order: a journal never
// names a missing key.
func (c *OwnerRekeyCmd) Begin(a *cli.App, h cli.Home, conf cli.Config) (cli.RekeyJournal, error) {
	j := cli.RekeyJournal{From: conf.Owner}
	if !c.Yes && !a.Interactive() {
		return j, cli.Usagef("a change of keys cannot be undone; say --yes when there is no terminal to ask on")
	}
	old, pass, err := cli.UnlockWith(h.Key(cli.OwnerKey), a.PassphraseSources(conf.Owner))
	if err != nil {
		return j, err
	}
	if old.DID() != conf.Owner {
		return j, cli.Refusedf("the key in %s is not the owner's; satchel doctor says more", h.Key(cli.OwnerKey))
	}
	key, err := c.newKey(a, conf)
	if err != nil {
		return j, err
	}
	if j.To = key.DID(); j.To == j.From {
		return j, cli.Usagef("the key in %s is the owner's present key", c.Key)
	}
	if !c.Yes {
		yes, err := a.Confirm("Every memory is signed anew by another key, under another owner. Tokens end, and programs that use the store must be started again. Go on?")
		if err == nil && !yes {
			err = cli.Refusedf("nothing was changed")
		}
		if err != nil {
			return j, err
		}
	}
	if err := os.Remove(h.Key(cli.NextKey)); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a change that never began
		return j, err
	}
	if err := h.WriteKey(h.Key(cli.NextKey), key, pass); err != nil {
		return j, err
	}
	c.old, c.next, c.pass = old, key, pass
	return j, writeJournal(h, j)
}

// newKey makes the new key, or reads it.
func (c *OwnerRekeyCmd) newKey(a *cli.App, conf cli.Config) (keys.Private, error) {
	if c.Key == "" {
		return keys.Generate(rand.Reader)
	}
	key, _, err := cli.UnlockWith(c.Key, a.PassphraseSources(conf.Owner))
	return key, err
}

// Carry writes everything under the new owner and then names that owner in config.json.
func (c *OwnerRekeyCmd) Carry(a *cli.App, h cli.Home, conf cli.Config, j cli.RekeyJournal) error {
	if c.next.IsZero() {
		var err error
		if c.next, c.pass, err = cli.UnlockWith(h.Key(cli.NextKey), a.PassphraseSources(conf.Owner)); err != nil {
			return err
		}
	}
	if c.next.DID() != j.To {
		return cli.Refusedf("%s is not the key that the change is to; bring the right one back, or give the change up with --abandon", h.Key(cli.NextKey))
	}
	o, err := a.Open(cli.Signing)
	if err != nil {
		return err
	}
	c.old, o.Next = o.Key, c.next
	_, err = CarryOver(o, a, o.Caller(), c.next)
	if err = errors.Join(err, o.Close()); err != nil {
		return fmt.Errorf("%w; nothing was erased: satchel owner rekey goes on from here, --abandon gives up", err)
	}
	if kept, _ := cli.KeyringPassphrase(conf.Owner).Get(); kept != "" && kept == c.pass {
		if err := keyring.Set(cli.KeyringService, string(j.To), c.pass); err != nil {
			a.Warn("the keyring did not take the passphrase for the new key (%v)", err)
		}
	}
	named := conf.CurrentProducer() // by default the name derives from the owner; it stays
	conf.Producer = &named
	issues := conf.CurrentIssuer().Anew(a.Now())
	conf.Issuer = &issues
	conf.Owner, conf.Former = j.To, append(conf.Former, j.From)
	if err := h.WriteConfig(conf); err != nil {
		return err
	}
	return h.Settle(j.To)
}

// CarryOver is the vault's part, with progress.
func CarryOver(o *cli.Session, a *cli.App, from memory.Caller, to keys.Private) (rekey.Report, error) {
	p := a.Progress("signed anew")
	defer p.End()
	return rekey.New(o.Vault).Rekey(a.Ctx, from, to, p.Reached)
}

// end erases the rest of the old owner, reports, and removes the journal. By then the
// recovery kit has been shown.
func (c *OwnerRekeyCmd) end(a *cli.App, h cli.Home, j cli.RekeyJournal, report rekeyReport) error {
	o, err := a.Open(cli.Signing)
	if err != nil {
		return err
	}
	if c.old.IsZero() {
		c.old, _, err = cli.UnlockWith(h.Retired(j.From), a.PassphraseSources(j.From))
	}
	switch {
	case err == nil:
		o.Past.Add(c.old)
	case !errors.Is(err, fs.ErrNotExist):
		return errors.Join(err, o.Close())
	}
	cleared, err := rekey.New(o.Vault).FinishRekey(a.Ctx, memory.Caller{Owner: j.From, Role: memory.Owner}, j.To)
	if err == nil {
		report.Records, err = o.CountMemories(a.Ctx)
	}
	report.Pending, report.Kit, report.traces = !cleared, keys.Recovery(o.Key), o.TracesLeft()
	if err = errors.Join(err, o.Close()); err != nil {
		return err
	}
	report.machines = cli.Exists(h.Key("machine"))
	if cli.Exists(h.Retired(j.From)) {
		report.Retired = h.Retired(j.From)
	}
	if err := report.print(a); err != nil {
		return err
	}
	if err := os.Remove(h.Journal()); err != nil {
		return err
	}
	return atomicfile.SyncFolder(h.Dir)
}

func (r rekeyReport) print(a *cli.App) error {
	if a.JSON {
		return a.Emit(r)
	}
	a.Print("owner   %s", r.Owner)
	a.Print("before  %s", r.Before)
	a.Print("store   %s", r.Store)
	a.Print("\nRecovery kit of the new key. Write it down and keep it where nobody else finds\nit: it is the only way back to your key, and it is not shown again.\n\n%s\n", r.Kit)
	a.Say("%s signed by the new key, with the same IDs and history.", cli.Plural(r.Records, "memory is", "memories are"))
	if r.Retired != "" {
		a.Say("The old key is kept in %s: it signs no memory any more, and vouches for the old audit log.", r.Retired)
	}
	a.Say("Tokens of the old owner have ended: issue new ones with satchel token mint.\n" +
		"Start every program again that uses the store: hosts, and satchel serve.\n" +
		"Exports and backups from before stay signed by the old key.")
	if r.machines {
		a.Say("Your other machines and the places where they met belong to the old owner: satchel pair lets machines join\nagain, satchel sync add names the places. Empty folders in which they met: what lies there opens with old keys.")
	}
	if r.Pending {
		a.Warn("of the old owner's memories %s", r.traces)
	}
	return nil
}

// abandon gives up a change before config.json names the new owner. If the change has
// reached the store, the new key stays: it seals the row of that owner.
func (c *OwnerRekeyCmd) abandon(a *cli.App, h cli.Home, j cli.RekeyJournal) error {
	o, err := a.Open(cli.Signing)
	if err != nil {
		return err
	}
	if key, _, err := cli.UnlockWith(h.Key(cli.NextKey), a.PassphraseSources(j.From)); err == nil {
		o.Next = key
	}
	err = rekey.New(o.Vault).AbandonRekey(a.Ctx, o.Caller(), j.To)
	away := func() error { return os.Rename(h.Key(cli.NextKey), h.Retired(j.To)) }
	if memory.KindOf(err) == memory.InvalidRecord {
		away, err = func() error { return os.Remove(h.Key(cli.NextKey)) }, nil
	}
	if err = errors.Join(err, o.Close()); err != nil {
		return err
	}
	if err := away(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(h.Journal()); err != nil {
		return err
	}
	a.Say("given up: %s stays the owner", j.From)
	return errors.Join(atomicfile.SyncFolder(h.Keys()), atomicfile.SyncFolder(h.Dir))
}

// takeOver gives the records of an owner without a key to the present owner.
func (c *OwnerRekeyCmd) takeOver(a *cli.App) error {
	switch {
	case a.Owner != "":
		return cli.Usagef("--from takes over what is nobody's yet, for the owner of the home folder; leave --owner out")
	case c.Key != "":
		return cli.Usagef("--from keeps the present key; give it without --key")
	case strings.HasPrefix(c.From, "did:"):
		return cli.Refusedf("records of %s are signed by a key of its own; only a store with that key can go over to another", cli.Clean(c.From))
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		from := memory.Caller{Owner: memory.DID(c.From), Role: memory.Owner}
		owners, err := o.Owners(a.Ctx, o.Caller(), "")
		switch {
		case err != nil:
			return err
		case !slices.ContainsFunc(owners, func(w vault.OwnerInfo) bool { return w.Owner == from.Owner }):
			return fmt.Errorf("the store knows no owner %s; satchel owner list shows them", cli.Clean(c.From))
		case c.Abandon:
			return rekey.New(o.Vault).AbandonRekey(a.Ctx, from, o.Owner)
		}
		return takeOver(a, o, from)
	})
}

// takeOver moves another owner's records and removes that owner.
func takeOver(a *cli.App, o *cli.Session, from memory.Caller) error {
	report, err := CarryOver(o, a, from, o.Key)
	if err != nil {
		return fmt.Errorf("%w; nothing was erased: the same command goes on from here, --abandon gives up", err)
	}
	cleared, err := rekey.New(o.Vault).FinishRekey(a.Ctx, from, o.Owner)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(rekeyReport{Owner: o.Owner, Before: from.Owner, Store: o.Name(), Records: report.Records, Pending: !cleared})
	}
	a.Print("took over %s of %s", cli.Plural(report.Records, "memory", "memories"), cli.Clean(string(from.Owner)))
	if !cleared {
		a.Warn("%s", o.TracesLeft())
	}
	return nil
}

func writeJournal(h cli.Home, j cli.RekeyJournal) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(h.Journal(), 0o600, append(data, '\n'))
}
