package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/keys"
)

type restoreCmd struct {
	File           string `arg:"" help:"The backup, or - for standard input."`
	PassphraseFile string `help:"Decrypt with the first line of a file. Default: $$SATCHEL_PASSPHRASE_FILE, $$SATCHEL_PASSPHRASE, or asked for." placeholder:"FILE"`
}

// Run makes the store in a folder beside the one it is for, and gives it its
// name when everything is there and whole.
func (c *restoreCmd) Run(a *app) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	if h.remote() {
		return refusedf("a backup becomes a folder: name one with --store, and bring it into the database with satchel store move; " +
			"what pg_dump wrote goes back with pg_restore, see docs/operate.md")
	}
	if err := h.free(); err != nil {
		return err
	}
	conf, err := c.restore(a, h)
	if err != nil {
		return err
	}
	a.say("restored; hosts that named another folder need satchel connect again")
	if a.json {
		return a.emit(map[string]any{"owner": conf.Owner, "store": h.dir})
	}
	a.print("owner  %s\nstore  %s", conf.Owner, h.dir)
	return nil
}

func (c *restoreCmd) restore(a *app, h home) (config, error) {
	in := a.stdin()
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return config{}, err
		}
		defer f.Close()
		in = f
	}
	archive, err := c.decrypted(a, bufio.NewReader(in))
	if err != nil {
		return config{}, err
	}
	temp, remove, err := h.beside()
	if err != nil {
		return config{}, err
	}
	defer remove()
	conf, err := restore(a, home{dir: temp}, archive)
	if err != nil {
		return config{}, err
	}
	return conf, h.take(temp)
}

// beside makes a folder that nobody else can enter beside this one. What has to
// be made for that goes again with remove, unless there is something in it.
func (h home) beside() (dir string, remove func(), err error) {
	parent := filepath.Dir(h.dir)
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
			os.Remove(up) // refuses a folder with something in it
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
	return dir, remove, nil
}

// free refuses a folder in which there is anything.
func (h home) free() error {
	entries, err := os.ReadDir(h.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return refusedf("%s is not empty, and a restore overwrites nothing; name another folder with --store, or move this one away", h.dir)
	}
	return nil
}

// take gives a folder this one's name.
func (h home) take(from string) error {
	if err := os.Remove(h.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // filled meanwhile
	}
	if err := os.Rename(from, h.dir); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(h.dir))
}

// decrypted returns the archive in a backup.
func (c *restoreCmd) decrypted(a *app, in *bufio.Reader) (io.Reader, error) {
	if !isSealed(in) {
		return in, nil
	}
	pass, err := a.sealedPassphrase(c.PassphraseFile, "the backup")
	if err != nil {
		return nil, err
	}
	return unseal(in, "the backup", pass)
}

// restore unpacks an archive into an empty folder and checks what came out.
func restore(a *app, h home, archive io.Reader) (config, error) {
	if err := os.Mkdir(h.keys(), 0o700); err != nil {
		return config{}, err
	}
	if err := unpack(a.ctx, h.dir, archive); err != nil {
		return config{}, err
	}
	conf, err := h.readConfig()
	if err != nil {
		return conf, invalidf("the backup: %w", err)
	}
	if _, err := h.readToken(); err != nil {
		return conf, invalidf("the backup: %w", err)
	}
	key, err := keys.ReadFile(h.key(ownerKey), nil)
	switch {
	case errors.Is(err, keys.ErrSealed):
	case err != nil:
		return conf, invalidf("the backup: %w", err)
	case key.DID() != conf.Owner:
		return conf, invalidf("the backup holds the key of another owner than its store")
	}
	o := &opened{home: h, config: conf, key: key, past: formerKeys{app: a, home: h}}
	o.storeKey, _, err = unlockWith(h.key(storeKey), nil)
	if err != nil && !errors.Is(err, keys.ErrSealed) && !errors.Is(err, fs.ErrNotExist) {
		return conf, invalidf("the backup: %w", err)
	}
	s, err := h.openStore(a, o.seal) // as far as the keys are open
	if err != nil {
		return conf, err
	}
	found, err := s.Check(a.ctx)
	if err == nil && len(found) > 0 {
		err = invalidf("the store in the backup is damaged: %s", strings.Join(found, "; "))
	}
	return conf, errors.Join(err, s.Close())
}
