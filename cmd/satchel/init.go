package main

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
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

type initCmd struct {
	Seal           bool   `help:"Seal the keys with a passphrase: asked for, or from $$SATCHEL_PASSPHRASE."`
	PassphraseFile string `help:"Seal the keys with the first line of a file." placeholder:"FILE"`
	Keyring        bool   `help:"Keep the passphrase in the system's keyring without asking."`
	Producer       string `help:"The name that your bundles carry: 1 to 63 of a-z, 0-9 and -. Begin it like a domain of yours, such as example-org-home. Default: a unique name." placeholder:"NAME"`
	UMP            string `name:"ump" enum:",0.1,1.0" default:"" help:"The edition of UMP that the memory speaks: 0.1 or 1.0. Default: 0.1." placeholder:"EDITION"`
	Recover        bool   `help:"Restore the owner's key from its recovery kit: asked for, or read from standard input."`
}

// Run makes what is missing of a store. A store that is whole stays as it is.
func (c *initCmd) Run(a *app) error {
	if err := checkProducer(c.Producer); err != nil {
		return err
	}
	h, err := a.home()
	if err != nil {
		return err
	}
	conf, err := h.readConfig()
	switch {
	case err == nil:
		return c.again(a, h, conf)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if refused := h.vacant(); refused != nil {
		if conf, err = h.readConfig(); err == nil { // it was just made
			return c.again(a, h, conf)
		}
		return refused
	}
	owner, kept, err := c.newOwner(a, h)
	if err != nil {
		return err
	}
	pass, err := a.newPassphrase(c.PassphraseFile, c.Seal)
	if err != nil {
		return err
	}
	if h.remote() {
		if owner, err = c.begin(a, h, owner, kept, pass); err != nil {
			return err
		}
	}
	conf = config{Layout: layout, Owner: owner.DID(), Port: defaultPort, Remote: h.remote()}
	conf.Producer = &producer{Name: cmp.Or(c.Producer, aimem.ProducerName(conf.Owner)), Generation: 1}
	first := conf.issuer().rotated(a.now())
	conf.Issuer = &first
	if err := c.build(a, h, conf, owner, kept, pass); err != nil {
		return err
	}
	if c.UMP != "" {
		if _, err := a.changeEdition(c.UMP); err != nil {
			return err
		}
	}
	if err := c.remember(a, owner.DID(), pass); err != nil {
		return err
	}
	return c.report(a, h, conf, keys.Recovery(owner))
}

// again answers a second init.
func (c *initCmd) again(a *app, h home, conf config) error {
	if c.Producer != "" && c.Producer != conf.producer().Name {
		return refusedf("this store's bundles leave as %s; change that with satchel keys rename %s", conf.producer().Name, c.Producer)
	}
	if c.UMP != "" && !c.Recover {
		spoken, err := a.edition()
		if err != nil {
			return err
		}
		if spoken != c.UMP {
			return refusedf("this memory speaks UMP %s: satchel store edition 1.0 goes over to that, and 0.1 is for a store in another folder", spoken)
		}
	}
	switch {
	case h.remote() && !conf.Remote:
		return h.another()
	case !h.remote() && conf.Remote && !exists(h.database()):
		return h.homeOnly()
	case !c.Recover && h.remote():
		return c.join(a, h, conf)
	case !c.Recover:
		a.say("%s is a store already; nothing was changed", h.dir)
		return c.report(a, h, conf, "")
	}
	if _, err := os.Lstat(h.key(ownerKey)); !errors.Is(err, fs.ErrNotExist) {
		return refusedf("the owner's key is in %s; move that file away to bring it back from a recovery kit", h.key(ownerKey))
	}
	key, err := c.recovered(a)
	if err != nil {
		return err
	}
	if key.DID() != conf.Owner {
		return refusedf("this recovery kit belongs to %s, the store to %s", key.DID(), conf.Owner)
	}
	pass, err := a.newPassphrase(c.PassphraseFile, c.Seal)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(h.keys(), 0o700); err != nil {
		return err
	}
	if err := keys.WriteFile(h.key(ownerKey), key, pass); err != nil {
		return err
	}
	a.say("the owner's key is back")
	if err := c.remember(a, conf.Owner, pass); err != nil {
		return err
	}
	if h.remote() {
		return c.join(a, h, conf)
	}
	return c.report(a, h, conf, "")
}

// vacant refuses a folder that holds something else. What an init that was cut
// off left behind does not count.
func (h home) vacant() error {
	entries, err := os.ReadDir(h.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into the store's folder: %w", err)
	}
	begun := exists(h.key(ownerKey)) // else what is there is somebody's store without its key
	for _, entry := range entries {
		name := entry.Name()
		own := strings.HasPrefix(name, databaseName) && (begun || name != databaseName) && !h.remote()
		if name != "keys" && name != "token" && name != "seen.json" && !own && filepath.Ext(name) != ".lock" && name[0] != '.' {
			return refusedf("%s holds %s and is not a store; name an empty folder, or one that does not exist", h.dir, clean(name))
		}
	}
	return nil
}

// newOwner makes the owner's key, brings it back, or takes the one that an init
// left behind that was cut off; kept says so.
func (c *initCmd) newOwner(a *app, h home) (key keys.Private, kept bool, err error) {
	if _, err := os.Lstat(h.key(ownerKey)); err == nil {
		if c.Recover {
			return key, false, refusedf("there is a key in %s already; move that file away", h.key(ownerKey))
		}
		key, err = a.unlock(h, ownerKey, "")
		return key, true, err
	}
	if c.Recover {
		key, err = c.recovered(a)
		return key, false, err
	}
	key, err = keys.Generate(rand.Reader)
	return key, false, err
}

// recovered reads a recovery kit.
func (c *initCmd) recovered(a *app) (keys.Private, error) {
	read := func() (string, error) { return a.text("-", 4096) }
	if a.interactive() {
		read = func() (string, error) { return a.secret("Recovery kit") }
	}
	text, err := read()
	if err != nil {
		return keys.Private{}, err
	}
	key, err := keys.ParseRecovery(text)
	return key, as(exitInvalid, err)
}

// build makes everything in the folder; config.json comes last.
func (c *initCmd) build(a *app, h home, conf config, owner keys.Private, kept bool, pass string) error {
	if err := c.buildKeys(h, owner, kept, pass); err != nil {
		return err
	}
	if err := newToken(h.token()); err != nil {
		return err
	}
	if err := h.make(a); err != nil {
		return err
	}
	return h.writeConfig(conf)
}

// buildKeys makes the folder and the keys. One that is there already stays.
func (c *initCmd) buildKeys(h home, owner keys.Private, kept bool, pass string) error {
	if err := os.MkdirAll(h.keys(), 0o700); err != nil {
		return fmt.Errorf("make the store's folder: %w", err)
	}
	if err := errors.Join(os.Chmod(h.dir, 0o700), os.Chmod(h.keys(), 0o700)); err != nil {
		return fmt.Errorf("close the store's folder to others: %w", err)
	}
	if !kept && !exists(h.key(ownerKey)) {
		if err := keys.WriteFile(h.key(ownerKey), owner, pass); err != nil {
			return err
		}
	}
	if c.Recover && h.remote() { // of one that others use: see fileStoreKey
		return nil
	}
	return h.newStoreKey(owner, pass)
}

// make makes the file of an empty store. A database was made a store before.
func (h home) make(a *app) error {
	if h.remote() {
		return nil
	}
	s, err := sqlite.Open(a.ctx, h.database(), sqlite.Options{})
	if err != nil {
		return h.named(err)
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

// remember offers to keep the passphrase in the system's keyring, so that hosts
// need not ask for it.
func (c *initCmd) remember(a *app, owner memory.DID, pass string) error {
	if pass == "" {
		return nil
	}
	keep := c.Keyring
	if !keep && a.interactive() {
		var err error
		if keep, err = a.confirm("Keep the passphrase in the system's keyring, so that hosts can start satchel?"); err != nil {
			return err
		}
	}
	if !keep {
		return nil
	}
	if err := keyring.Set(keyringService, string(owner), pass); err != nil {
		a.warn("the keyring did not take the passphrase (%v); set SATCHEL_PASSPHRASE_FILE where hosts start satchel", err)
	}
	return nil
}

// report prints who the owner is and what to do next. The recovery kit is
// printed this once.
func (c *initCmd) report(a *app, h home, conf config, kit string) error {
	if a.json {
		out := map[string]any{"owner": conf.Owner, "store": h.name(), "created": kit != "", "producer": conf.producer().Name}
		if h.remote() {
			out["home"] = h.dir
		}
		if kit != "" {
			out["recovery_kit"] = kit
		}
		return a.emit(out)
	}
	a.print("owner  %s", conf.Owner)
	a.print("store  %s", h.name())
	if h.remote() {
		a.print("home   %s", h.dir)
	}
	a.print("bundles leave as %s", conf.producer().Name)
	if kit == "" {
		return nil
	}
	if a.quiet {
		a.warn("the recovery kit is not shown with -q; satchel backup writes a file that holds the key")
		return nil
	}
	a.print("\nRecovery kit. Write it down and keep it where nobody else finds it: it is the\nonly way back to your key, and it is not shown again.\n\n%s\n", kit)
	a.say("Next:\n" +
		"  satchel connect claude-code      let an assistant use it (or cursor, codex, vscode, …)\n" +
		"  satchel import FILE              bring in what you have elsewhere\n" +
		"  satchel remember \"I prefer tea\"  or begin by hand")
	return nil
}
