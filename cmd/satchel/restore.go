package main

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"filippo.io/age"

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
	if err := h.free(); err != nil {
		return err
	}
	in := a.in
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	archive, err := c.decrypted(a, bufio.NewReader(in))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(h.dir), 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(h.dir), ".satchel-restore-*") // 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	conf, err := restore(a, home{temp}, archive)
	if err != nil {
		return err
	}
	if err := h.take(temp); err != nil {
		return err
	}
	a.say("restored; hosts that named another folder need satchel connect again")
	if a.json {
		return a.emit(map[string]any{"owner": conf.Owner, "store": h.dir})
	}
	a.print("owner  %s\nstore  %s", conf.Owner, h.dir)
	return nil
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

// ageHead is how an encrypted backup begins.
const ageHead = "age-encryption.org/v1\n"

// decrypted returns the archive in a backup.
func (c *restoreCmd) decrypted(a *app, in *bufio.Reader) (io.Reader, error) {
	if head, err := in.Peek(len(ageHead)); err != nil || string(head) != ageHead {
		return in, nil
	}
	pass, err := c.passphrase(a)
	if err != nil {
		return nil, err
	}
	identity, err := age.NewScryptIdentity(pass)
	if err != nil {
		return nil, err
	}
	identity.SetMaxWorkFactor(maxWorkFactor)
	archive, err := age.Decrypt(in, identity)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, fmt.Errorf("the backup: %w", keys.ErrPassphrase)
	}
	if err != nil {
		return nil, invalidf("the backup is damaged: %w", err)
	}
	return archive, nil
}

// maxWorkFactor bounds the memory and time that a backup can make us spend on
// its passphrase: 2^20 is a second or a few, and a GiB.
const maxWorkFactor = 20

func (c *restoreCmd) passphrase(a *app) (string, error) {
	if pass, err := passphraseFile(c.PassphraseFile); pass != "" || err != nil {
		return pass, err
	}
	for _, s := range a.passphraseSources("")[1:] { // nobody's keyring: whose backup it is stands inside
		if pass, err := s.get(); pass != "" || err != nil {
			return pass, err
		}
	}
	return "", refusedf("the backup is encrypted; name a file with --passphrase-file or set SATCHEL_PASSPHRASE")
}

// restore unpacks an archive into an empty folder and checks what came out.
func restore(a *app, h home, archive io.Reader) (config, error) {
	if err := os.Mkdir(h.keys(), 0o700); err != nil {
		return config{}, err
	}
	if err := unpack(h.dir, archive); err != nil {
		return config{}, err
	}
	conf, err := h.readConfig()
	if err != nil {
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
	s, err := h.openStore(a)
	if err != nil {
		return conf, err
	}
	found, err := s.Check(a.ctx)
	if err == nil && len(found) > 0 {
		err = invalidf("the store in the backup is damaged: %s", strings.Join(found, "; "))
	}
	return conf, errors.Join(err, s.Close())
}

// unpack writes the files of an archive, which must be those of a backup, all
// of them, with the sums it states.
func unpack(dir string, archive io.Reader) error {
	r := tar.NewReader(archive)
	sums, stated := "", ""
	for {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return invalidf("not a backup of satchel, or damaged: %w", err)
		}
		switch {
		case head.Typeflag != tar.TypeReg:
			return invalidf("not a backup of satchel: %s is no file", clean(head.Name))
		case head.Name == backupSums && stated == "":
			text, err := io.ReadAll(io.LimitReader(r, 4096))
			if err != nil {
				return invalidf("the backup is damaged: %w", err)
			}
			stated = string(text)
		case !slices.Contains(backupNames(), head.Name) || strings.Contains(sums, "  "+head.Name+"\n"):
			return invalidf("not a backup of satchel: it holds %s", clean(head.Name))
		default:
			sum, err := extract(filepath.Join(dir, filepath.FromSlash(head.Name)), r, head.Name)
			if err != nil {
				return err
			}
			sums += sum
		}
	}
	if sums == "" || sums != stated || strings.Count(sums, "\n") != len(backupNames()) {
		return invalidf("the backup is not whole")
	}
	return nil
}

func extract(path string, r io.Reader, name string) (string, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), r)
	if _, ours := errors.AsType[*fs.PathError](err); err != nil && !ours {
		return "", errors.Join(invalidf("the backup is damaged: %s: %w", name, err), f.Close())
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("restore %s: %w", name, err)
	}
	return sumLine(h, name), nil
}
