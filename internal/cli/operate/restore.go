package operate

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
)

// RestoreCmd is the command satchel restore.
type RestoreCmd struct {
	File           string `arg:"" help:"The backup, or - for standard input."`
	PassphraseFile string `help:"Decrypt with the first line of a file. Default: $$SATCHEL_PASSPHRASE_FILE, $$SATCHEL_PASSPHRASE, or asked for." placeholder:"FILE"`
}

// Run makes the store in a folder beside its target, and renames the folder when everything
// is there and complete.
func (c *RestoreCmd) Run(a *cli.App) error {
	h, err := a.Home()
	if err != nil {
		return err
	}
	if h.InDatabase() {
		return cli.Refusedf("a backup becomes a folder: name one with --store, and bring it into the database with satchel store move; " +
			"what pg_dump wrote goes back with pg_restore, see docs/operate.md")
	}
	if err := requireEmpty(h); err != nil {
		return err
	}
	conf, err := c.restore(a, h)
	if err != nil {
		return err
	}
	a.Say("restored; hosts that named another folder need satchel connect again")
	if a.JSON {
		return a.Emit(map[string]any{"owner": conf.Owner, "store": h.Dir})
	}
	a.Print("owner  %s\nstore  %s", conf.Owner, h.Dir)
	return nil
}

func (c *RestoreCmd) restore(a *cli.App, h cli.Home) (cli.Config, error) {
	in := a.Stdin()
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return cli.Config{}, err
		}
		defer f.Close()
		in = f
	}
	archive, err := c.decrypt(a, bufio.NewReader(in))
	if err != nil {
		return cli.Config{}, err
	}
	temp, remove, err := beside(h)
	if err != nil {
		return cli.Config{}, err
	}
	defer remove()
	conf, err := restore(a, cli.Home{Dir: temp}, archive)
	if err != nil {
		return cli.Config{}, err
	}
	return conf, take(h, temp)
}

// beside makes a private folder beside this one. remove removes it and the folders made for
// it, unless they hold something.
func beside(h cli.Home) (dir string, remove func(), err error) {
	parent := filepath.Dir(h.Dir)
	var made []string // deepest first
	for up := parent; filepath.Dir(up) != up; up = filepath.Dir(up) {
		if _, err := os.Lstat(up); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, up)
	}
	remove = func() {
		if dir != "" {
			os.RemoveAll(dir)
		}
		for _, up := range made {
			os.Remove(up) // fails for a folder with something in it
		}
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		remove()
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(parent, restoring+"*"); err != nil { // 0700
		remove()
		return "", nil, err
	}
	if err := access.Enclose(dir); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// requireEmpty refuses a folder with content.
func requireEmpty(h cli.Home) error {
	entries, err := os.ReadDir(h.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return cli.Refusedf("%s is not empty, and a restore overwrites nothing; name another folder with --store, or end all programs that use this one and move it away", h.Dir)
	}
	return nil
}

// take renames a folder to this one.
func take(h cli.Home, from string) error {
	if err := os.Remove(h.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // filled meanwhile
	}
	if err := os.Rename(from, h.Dir); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(h.Dir))
}

// decrypt returns the archive in a backup.
func (c *RestoreCmd) decrypt(a *cli.App, in *bufio.Reader) (io.Reader, error) {
	if !cli.IsEncrypted(in) {
		return in, nil
	}
	pass, err := a.SealedPassphrase(c.PassphraseFile, "the backup")
	if err != nil {
		return nil, err
	}
	return cli.Decrypt(in, "the backup", pass)
}

// restore unpacks an archive into an empty folder and checks the result.
func restore(a *cli.App, h cli.Home, archive io.Reader) (cli.Config, error) {
	if err := os.Mkdir(h.Keys(), 0o700); err != nil {
		return cli.Config{}, err
	}
	if err := unpack(a.Ctx, h.Dir, archive); err != nil {
		return cli.Config{}, err
	}
	conf, err := h.ReadConfig()
	if err != nil {
		return conf, cli.Invalidf("the backup: %w", err)
	}
	if _, err := h.ReadToken(); err != nil {
		return conf, cli.Invalidf("the backup: %w", err)
	}
	key, err := keys.ReadFile(h.Key(cli.OwnerKey), nil)
	switch {
	case errors.Is(err, keys.ErrSealed):
	case err != nil:
		return conf, cli.Invalidf("the backup: %w", err)
	case key.DID() != conf.Owner:
		return conf, cli.Invalidf("the backup holds the key of another owner than its store")
	}
	o := &cli.Session{Home: h, Config: conf, Key: key, Past: cli.FormerKeys{App: a, Home: h}}
	o.StoreKey, _, err = cli.UnlockWith(h.Key(cli.StoreKey), nil)
	if err != nil && !errors.Is(err, keys.ErrSealed) && !errors.Is(err, fs.ErrNotExist) {
		return conf, cli.Invalidf("the backup: %w", err)
	}
	s, err := h.OpenStore(a, o.Seal) // as far as the keys are open
	if err != nil {
		return conf, err
	}
	err = requireWhole(a, s, "the store in the backup")
	if err == nil && !key.IsZero() && (!o.StoreKey.IsZero() || !cli.Exists(h.Key(cli.StoreKey))) {
		err = o.DropSessions(a.Ctx, s, a.Now())
	} else if err == nil { // when the keys are open
		conf.EndSessions = true
		err = h.WriteConfig(conf)
	}
	if rooted, ok := s.(store.Rooted); err == nil && ok { // no run of an agent goes on by itself from then
		err = rooted.NewLineage(a.Ctx)
	}
	return conf, errors.Join(err, s.Close())
}

// copyStore makes the store's file of a machine that joins others from a copy of the other
// machine's. If it fails, the folder may hold a part of it.
func copyStore(a *cli.App, h cli.Home, conf cli.Config, owner keys.Private, j *machines.JoinedMachine) (err error) {
	room, err := freeSpace(h.Dir)
	if errors.Is(err, errors.ErrUnsupported) {
		room, err = math.MaxUint64, nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(h.Database(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = j.Copy(a, f, int64(min(room, maxDatabase)))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	o := &cli.Session{Home: h, Config: conf, Key: owner, Past: cli.FormerKeys{App: a, Home: h}}
	s, err := h.OpenStore(a, o.Seal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := requireWhole(a, s, "the copy of the store"); err != nil {
		return err
	}
	owners, err := s.Owners(a.Ctx)
	if err != nil {
		return err
	}
	if len(owners) != 1 || owners[0] != conf.Owner {
		return cli.Invalidf("the copy of the store belongs to others")
	}
	if err = j.Part(a, s); err == nil {
		a.Detail("the store begins with a copy of the other machine's")
	}
	return err
}

// requireWhole refuses a store that is damaged.
func requireWhole(a *cli.App, s cli.Engine, what string) error {
	found, err := s.Check(a.Ctx)
	if err == nil && len(found) > 0 {
		err = cli.Invalidf("%s is damaged: %s", what, strings.Join(found, "; "))
	}
	return err
}

// dropStore removes what copyStore left.
func dropStore(h cli.Home) error {
	entries, err := os.ReadDir(h.Dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), cli.DatabaseName) {
			err = errors.Join(err, os.Remove(filepath.Join(h.Dir, entry.Name())))
		}
	}
	return err
}
