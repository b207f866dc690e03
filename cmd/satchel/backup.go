package main

import (
	"archive/tar"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

type backupCmd struct {
	Output         string `short:"o" help:"The file to write. Default: satchel-backup-DATE.tar, or .tar.age when encrypted, in the current folder." placeholder:"FILE"`
	Encrypt        bool   `help:"Encrypt with a passphrase: asked for, or from $$SATCHEL_PASSPHRASE. A store with a sealed key is always encrypted."`
	PassphraseFile string `help:"Encrypt with the first line of a file." placeholder:"FILE"`
}

// A backup is a tar archive of the store's folder, encrypted with age or not:
// config.json, token, keys/*.key, those of former owners too, satchel.db, and last
// the SHA-256 of each.

// backupSums is the last file of a backup.
const backupSums = "SHA256SUMS"

// Run writes a consistent copy while others may use the store.
func (c *backupCmd) Run(a *app) error {
	if h, err := a.home(); err == nil && h.remote() {
		return refusedf("a database is backed up by its own means, such as pg_dump: see docs/operate.md; "+
			"keep a copy of the home folder %s beside it, without whose keys nobody can sign, and keys of other owners stay closed", h.dir)
	}
	return a.with(reading, func(o *opened) error {
		if j, begun, err := o.readJournal(); err != nil {
			return err
		} else if begun && j.To != o.config.Owner {
			return refusedf("the owner is going over to another key; finish that first with satchel owner rekey")
		}
		pass, err := c.passphrase(a, o)
		if err != nil {
			return err
		}
		if c.Output == "" {
			c.Output = "satchel-backup-" + a.now().Format("20060102-150405") + ".tar"
			if pass != "" {
				c.Output += ".age"
			}
		}
		if stdout(c.Output) && isTerminal(a.out) {
			return usagef("a backup is not for the terminal; name a file with -o")
		}
		err = a.place(c.Output, func(w io.Writer) error { return o.backup(a, w, pass) })
		if err != nil {
			return err
		}
		if pass == "" {
			a.warn("the backup is not encrypted and holds the keys: keep it where nobody else reads it")
		}
		if a.json && !stdout(c.Output) {
			return a.emit(map[string]any{"file": c.Output, "encrypted": pass != ""})
		}
		if !stdout(c.Output) {
			a.say("written to %s", c.Output)
		}
		return nil
	})
}

// passphrase finds what to encrypt with: what was asked for, or what the
// owner's key is sealed with.
func (c *backupCmd) passphrase(a *app, o *opened) (string, error) {
	if c.PassphraseFile != "" || c.Encrypt {
		return a.newPassphrase(c.PassphraseFile, true)
	}
	_, pass, err := unlockWith(o.home.key(ownerKey), a.passphraseSources(o.config.Owner))
	return pass, err
}

func (o *opened) backup(a *app, out io.Writer, pass string) error {
	if pass == "" {
		return o.archive(a, out)
	}
	return sealTo(out, pass, func(sealed io.Writer) error { return o.archive(a, sealed) })
}

func (o *opened) archive(a *app, out io.Writer) error {
	w := &archiver{tar: tar.NewWriter(out)}
	retired, err := o.retiredKeys()
	if err != nil {
		return err
	}
	for _, name := range append(backupNames(), retired...) {
		if name == databaseName {
			continue
		}
		f, err := os.Open(filepath.Join(o.dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) && optional(name) {
			continue
		}
		if err != nil {
			return err
		}
		if err := errors.Join(w.add(name, f), f.Close()); err != nil {
			return err
		}
	}
	if err := o.copyDatabase(a, w); err != nil {
		return err
	}
	return w.end()
}

// databaseName is what the database is called in the folder and in a backup.
const databaseName = "satchel.db"

// backupNames are the files of a backup, in order.
func backupNames() []string {
	names := []string{"config.json", "token"}
	for _, key := range keyNames() {
		names = append(names, "keys/"+key+".key")
	}
	return append(append(names, unusedKeyFiles()...), databaseName)
}

// optional reports whether a backup may be without a file: an earlier release made
// no key of the store, and this one makes none that it does not use.
func optional(name string) bool {
	return name == "keys/"+storeKey+".key" || slices.Contains(unusedKeyFiles(), name)
}

// copyDatabase adds a consistent copy of the database. A tar archive says how
// long a file is before the file, so it is spooled in the store's own folder.
func (o *opened) copyDatabase(a *app, w *archiver) (err error) {
	f, done, err := spool(o.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	from, ok := o.store.(store.Backuper)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := from.Backup(a.ctx, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return w.add(databaseName, f)
}

// archiver writes files into a tar archive and keeps their sums.
type archiver struct {
	tar  *tar.Writer
	sums string
}

func (w *archiver) add(name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if name != databaseName && info.Size() > maxSmall {
		return fmt.Errorf("%s has %d bytes and cannot be what it should; run satchel doctor", f.Name(), info.Size())
	}
	h := sha256.New()
	if err := w.write(name, info.Size(), io.TeeReader(f, h)); err != nil {
		return fmt.Errorf("back up %s: %w", name, err)
	}
	w.sums += sumLine(h, name)
	return nil
}

func (w *archiver) write(name string, size int64, r io.Reader) error {
	head := &tar.Header{Name: name, Mode: 0o600, Size: size, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(head); err != nil {
		return err
	}
	_, err := io.CopyN(w.tar, r, size)
	return err
}

// end writes the sums and closes the archive.
func (w *archiver) end() error {
	if err := w.write(backupSums, int64(len(w.sums)), strings.NewReader(w.sums)); err != nil {
		return err
	}
	return w.tar.Close()
}

func sumLine(h hash.Hash, name string) string { return fmt.Sprintf("%x  %s\n", h.Sum(nil), name) }
