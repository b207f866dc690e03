package operate

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// InitCmd is the command satchel init.
type InitCmd struct {
	Seal           bool   `help:"Seal the keys with a passphrase: asked for, or from $$SATCHEL_PASSPHRASE."`
	PassphraseFile string `help:"Seal the keys with the first line of a file." placeholder:"FILE"`
	Keyring        bool   `help:"Keep the passphrase in the system's keyring without asking."`
	Producer       string `help:"The name that your bundles carry: 1 to 63 of a-z, 0-9 and -. Begin it like a domain of yours, such as example-org-home. Default: a unique name." placeholder:"NAME"`
	UMP            string `name:"ump" enum:",0.1,1.0" default:"" help:"The edition of UMP that the memory speaks: 0.1 or 1.0. Default: 0.1." placeholder:"EDITION"`
	Recover        bool   `xor:"owner" help:"Restore the owner's key from its recovery kit: asked for, or read from standard input."`
	Join           string `xor:"owner" help:"Share the memory of another machine of yours: the code that satchel pair shows there, and its address." placeholder:"CODE@ADDRESS"`
	kitUnseen      bool   // nobody is there to see the kit

	joined *machines.JoinedMachine // nil: it joins no other machine
	copies bool                    // it may begin with a copy of the other machine's store
}

// Run makes the missing parts of a store. A complete store stays as it is.
func (c *InitCmd) Run(a *cli.App) error {
	if err := cli.CheckProducer(c.Producer); err != nil {
		return err
	}
	h, err := a.Home()
	if err != nil {
		return err
	}
	conf, err := h.ReadConfig()
	switch {
	case err == nil:
		return c.again(a, h, conf)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if refused := vacant(h); refused != nil {
		if conf, err = h.ReadConfig(); err == nil { // another program has just made it
			return c.again(a, h, conf)
		}
		return refused
	}
	conf, owner, err := c.create(a, h)
	if err != nil {
		return err
	}
	if c.joined != nil {
		return errors.Join(c.joined.Complete(a), c.report(a, h, conf, ""))
	}
	return c.report(a, h, conf, keys.Recovery(owner))
}

// create makes a store in a vacant folder, and returns its owner's key.
func (c *InitCmd) create(a *cli.App, h cli.Home) (cli.Config, keys.Private, error) {
	owner, kept, err := c.newOwner(a, h)
	if err != nil {
		return cli.Config{}, owner, err
	}
	pass, err := a.NewPassphrase(c.PassphraseFile, c.Seal)
	if err == nil && h.InDatabase() {
		owner, err = c.begin(a, h, owner, kept, pass)
	}
	if err != nil {
		return cli.Config{}, owner, err
	}
	if c.joined != nil {
		defer clear(c.joined.Seed)
	}
	conf := cli.Config{Layout: cli.HomeLayout, Owner: owner.DID(), Port: cli.DefaultPort, Remote: h.InDatabase(), KitUnseen: c.kitUnseen}
	conf.Producer = &cli.Producer{Name: cmp.Or(c.Producer, aimem.ProducerName(conf.Owner)), Generation: 1}
	first := conf.CurrentIssuer().Rotated(a.Now())
	conf.Issuer = &first
	c.follow(&conf)
	if err := c.build(a, h, conf, owner, kept, pass); err != nil {
		return conf, owner, err
	}
	if c.UMP != "" {
		if _, err := changeEdition(a, c.UMP); err != nil {
			return conf, owner, err
		}
	}
	return conf, owner, c.remember(a, owner.DID(), pass)
}

// follow gives the store of a machine that joins the settings of the other one.
func (c *InitCmd) follow(conf *cli.Config) {
	if c.joined == nil {
		return
	}
	c.UMP = ""
	if c.joined.Edition != ump.Edition {
		c.UMP = c.joined.Edition
	}
	if c.joined.Producer != nil && c.Producer == "" {
		conf.Producer = c.joined.Producer
	}
	if c.joined.Issuer != nil {
		conf.Issuer = c.joined.Issuer
	}
}

// again answers a second init.
func (c *InitCmd) again(a *cli.App, h cli.Home, conf cli.Config) error {
	if c.Join != "" {
		return cli.Refusedf("%s is a store already, with an owner of its own: name another folder with --store, and bring its memories over with satchel export and satchel import", h.Dir)
	}
	if c.Producer != "" && c.Producer != conf.CurrentProducer().Name {
		return cli.Refusedf("this store's bundles leave as %s; change that with satchel keys rename %s", conf.CurrentProducer().Name, c.Producer)
	}
	if c.UMP != "" && !c.Recover {
		spoken, err := a.ReadEdition()
		if err != nil {
			return err
		}
		if spoken != c.UMP {
			return cli.Refusedf("this memory speaks UMP %s: satchel store edition 1.0 goes over to that, and 0.1 is for a store in another folder", spoken)
		}
	}
	switch {
	case h.InDatabase() && !conf.Remote:
		return h.RefuseAnother()
	case !h.InDatabase() && conf.Remote && !cli.Exists(h.Database()):
		return h.RefuseHomeOnly()
	case !c.Recover && h.InDatabase():
		return c.join(a, h, conf)
	case !c.Recover:
		a.Say("%s is a store already; nothing was changed", h.Dir)
		return c.report(a, h, conf, "")
	}
	if _, err := os.Lstat(h.Key(cli.OwnerKey)); !errors.Is(err, fs.ErrNotExist) {
		return cli.Refusedf("the owner's key is in %s; move that file away to bring it back from a recovery kit", h.Key(cli.OwnerKey))
	}
	key, err := c.recovered(a)
	if err != nil {
		return err
	}
	if key.DID() != conf.Owner {
		return cli.Refusedf("this recovery kit belongs to %s, the store to %s", key.DID(), conf.Owner)
	}
	pass, err := a.NewPassphrase(c.PassphraseFile, c.Seal)
	if err != nil {
		return err
	}
	if err := h.Make(); err != nil {
		return err
	}
	if err := h.WriteKey(h.Key(cli.OwnerKey), key, pass); err != nil {
		return err
	}
	a.Say("the owner's key is back")
	if err := c.remember(a, conf.Owner, pass); err != nil {
		return err
	}
	if h.InDatabase() {
		return c.join(a, h, conf)
	}
	return c.report(a, h, conf, "")
}

// vacant refuses a folder that holds something else. The remains of an interrupted init do
// not count.
func vacant(h cli.Home) error {
	entries, err := os.ReadDir(h.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into the store's folder: %w", err)
	}
	begun := cli.Exists(h.Key(cli.OwnerKey)) // without it the folder holds somebody's store without its key
	for _, entry := range entries {
		name := entry.Name()
		own := strings.HasPrefix(name, cli.DatabaseName) && (begun || name != cli.DatabaseName) && !h.InDatabase()
		if name != "keys" && name != "token" && name != "seen.json" && name != "serve.addr" && !own && filepath.Ext(name) != ".lock" && name[0] != '.' {
			return cli.Refusedf("%s holds %s and is not a store; name an empty folder, or one that does not exist", h.Dir, cli.Clean(name))
		}
	}
	return nil
}

// newOwner makes the owner's key, restores it, or takes the key of an interrupted init;
// kept reports the last case.
func (c *InitCmd) newOwner(a *cli.App, h cli.Home) (key keys.Private, kept bool, err error) {
	if _, err := os.Lstat(h.Key(cli.OwnerKey)); err == nil {
		if c.Recover || c.Join != "" {
			return key, false, cli.Refusedf("there is a key in %s already; move that file away", h.Key(cli.OwnerKey))
		}
		key, err = a.Unlock(h, cli.OwnerKey, "")
		return key, true, err
	}
	if c.Recover {
		key, err = c.recovered(a)
		return key, false, err
	}
	if c.Join != "" {
		if c.joined, err = machines.Join(a, c.Join); err != nil {
			return key, false, err
		}
		return c.joined.Owner, false, nil
	}
	key, err = keys.Generate(rand.Reader)
	return key, false, err
}

// recovered reads a recovery kit.
func (c *InitCmd) recovered(a *cli.App) (keys.Private, error) {
	read := func() (string, error) { return a.Text("-", 4096) }
	if a.Interactive() {
		read = func() (string, error) { return a.Secret("Recovery kit") }
	}
	text, err := read()
	if err != nil {
		return keys.Private{}, err
	}
	key, err := keys.ParseRecovery(text)
	return key, cli.WithStatus(cli.ExitInvalid, err)
}

// build makes everything in the folder; config.json comes last. A machine that joins others makes
// it in a folder beside. If it is killed, its own folder stays empty, and doctor finds the other.
func (c *InitCmd) build(a *cli.App, h cli.Home, conf cli.Config, owner keys.Private, kept bool, pass string) error {
	if c.joined == nil || h.InDatabase() || requireEmpty(h) != nil {
		return c.buildIn(a, h, conf, owner, kept, pass)
	}
	temp, remove, err := beside(h)
	if err != nil {
		return err
	}
	defer remove()
	c.copies = true
	if err := c.buildIn(a, cli.Home{Dir: temp}, conf, owner, kept, pass); err != nil {
		return err
	}
	return take(h, temp)
}

func (c *InitCmd) buildIn(a *cli.App, h cli.Home, conf cli.Config, owner keys.Private, kept bool, pass string) error {
	if err := c.buildKeys(h, owner, kept, pass); err != nil {
		return err
	}
	if err := newToken(h.Token()); err != nil {
		return err
	}
	if err := c.makeStore(a, h, conf, owner); err != nil {
		return err
	}
	return h.WriteConfig(conf)
}

// buildKeys makes the folder and the keys. One that is there already stays.
func (c *InitCmd) buildKeys(h cli.Home, owner keys.Private, kept bool, pass string) error {
	if err := h.Make(); err != nil {
		return fmt.Errorf("make the store's folder: %w", err)
	}
	if err := errors.Join(os.Chmod(h.Dir, 0o700), os.Chmod(h.Keys(), 0o700)); err != nil {
		return fmt.Errorf("close the store's folder to others: %w", err)
	}
	if !kept && !cli.Exists(h.Key(cli.OwnerKey)) {
		if err := h.WriteKey(h.Key(cli.OwnerKey), owner, pass); err != nil {
			return err
		}
	}
	if c.joined != nil {
		if err := c.joined.Machine.Write(h, owner); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if c.Recover && h.InDatabase() { // of a database that others use: see fileStoreKey
		return nil
	}
	return newStoreKey(h, owner, pass)
}

// makeStore makes a store's file: an empty one, or a copy of the other machine's. A database
// already is a store.
func (c *InitCmd) makeStore(a *cli.App, h cli.Home, conf cli.Config, owner keys.Private) error {
	if h.InDatabase() {
		return nil
	}
	if c.copies {
		err := copyStore(a, h, conf, owner, c.joined)
		if err == nil || a.Ctx.Err() != nil {
			return err
		}
		a.Detail("this machine begins without a copy of the other one's store: %s", cli.Describe(err))
		if err := dropStore(h); err != nil {
			return err
		}
	}
	s, err := sqlite.Open(a.Ctx, h.Database(), sqlite.Options{})
	if err != nil {
		return h.NameError(err)
	}
	return s.Close()
}

// newToken makes the owner's token for HTTP.
func newToken(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	return atomicfile.Write(path, 0o600, []byte(hex.EncodeToString(secret)+"\n"))
}

// remember offers to keep the passphrase in the system's keyring, so that hosts need not
// ask for it.
func (c *InitCmd) remember(a *cli.App, owner memory.DID, pass string) error {
	if pass == "" {
		return nil
	}
	keep := c.Keyring
	if !keep && a.Interactive() {
		var err error
		if keep, err = a.Confirm("Keep the passphrase in the system's keyring, so that hosts can start satchel?"); err != nil {
			return err
		}
	}
	if !keep {
		return nil
	}
	if err := keyring.Set(cli.KeyringService, string(owner), pass); err != nil {
		a.Warn("the keyring did not take the passphrase (%v); set SATCHEL_PASSPHRASE_FILE where hosts start satchel", err)
	}
	return nil
}

// report prints the owner and the next steps. It prints the recovery kit this once.
func (c *InitCmd) report(a *cli.App, h cli.Home, conf cli.Config, kit string) error {
	if a.JSON {
		out := map[string]any{"owner": conf.Owner, "store": h.Name(), "created": kit != "", "producer": conf.CurrentProducer().Name}
		if h.InDatabase() {
			out["home"] = h.Dir
		}
		if kit != "" {
			out["recovery_kit"] = kit
		}
		return a.Emit(out)
	}
	a.Print("owner  %s", conf.Owner)
	a.Print("store  %s", h.Name())
	if h.InDatabase() {
		a.Print("home   %s", h.Dir)
	}
	a.Print("bundles leave as %s", conf.CurrentProducer().Name)
	if kit == "" {
		return nil
	}
	if a.Quiet {
		a.Warn("the recovery kit is not shown with -q; satchel keys kit shows it")
		return nil
	}
	a.Print("\nRecovery kit. Write it down and keep it where nobody else finds it: it is the\nonly way back to your key. As long as you have the key, satchel keys kit shows it again.\n\n%s\n", kit)
	a.Say("Next:\n" +
		"  satchel connect claude-code      let an assistant use it (or cursor, codex, vscode, …)\n" +
		"  satchel import FILE              bring in what you have elsewhere\n" +
		"  satchel remember \"I prefer tea\"  or begin by hand\n" +
		"  satchel open                     see it in a browser")
	return nil
}

// plainStore is the store's default folder.
func plainStore(a *cli.App) (string, error) { return a.PlainFolder("satchel") }
