package operate

import (
	"archive/tar"
	"bufio"
	"context"
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

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
)

// BackupCmd is the command satchel backup.
type BackupCmd struct {
	Output         string `short:"o" help:"The file to write; an earlier backup there is replaced, any other file is refused. Default: satchel-backup-DATE.tar, or .tar.age when encrypted, in the current folder." placeholder:"FILE"`
	Encrypt        bool   `help:"Encrypt with a passphrase: asked for, or from $$SATCHEL_PASSPHRASE. A store with a sealed key is always encrypted."`
	PassphraseFile string `help:"Encrypt with the first line of a file." placeholder:"FILE"`
}

// A backup is a tar archive of the store's folder, with or without age encryption:
// config.json, token, keys/*.key (with those of former owners), the settings of runs of agents
// (run/), satchel.db, and last the SHA-256 of each.

// Run writes a consistent copy while others may use the store.
func (c *BackupCmd) Run(a *cli.App) error {
	if h, err := a.Home(); err == nil && h.InDatabase() {
		return cli.Refusedf("a database is backed up by its own means, such as pg_dump: see docs/operate.md; "+
			"keep a copy of the home folder %s beside it, without whose keys nobody can sign, and keys of other owners stay closed", h.Dir)
	}
	return a.With(cli.Reading, func(o *cli.Session) error {
		if j, begun, err := o.ReadJournal(); err != nil {
			return err
		} else if begun && j.To != o.Config.Owner {
			return cli.Refusedf("the owner is going over to another key; finish that first with satchel owner rekey")
		}
		pass, err := c.passphrase(a, o.Home, o.Config)
		if err != nil {
			return err
		}
		if c.Output == "" {
			c.Output = "satchel-backup-" + a.Now().Format("20060102-150405") + ".tar"
			if pass != "" {
				c.Output += ".age"
			}
		}
		if cli.IsStdout(c.Output) && cli.IsTerminal(a.Out) {
			return cli.Usagef("a backup is not for the terminal; name a file with -o")
		}
		if err := mayReplace(c.Output); err != nil {
			return err
		}
		err = a.Place(c.Output, func(w io.Writer) error { return backup(o.Home, a, w, pass, copyOf(o)) })
		if err != nil {
			return err
		}
		if pass == "" {
			a.Warn("the backup is not encrypted and holds the keys: keep it where nobody else reads it")
		}
		if a.JSON && !cli.IsStdout(c.Output) {
			return a.Emit(map[string]any{"file": c.Output, "encrypted": pass != ""})
		}
		if !cli.IsStdout(c.Output) {
			a.Say("written to %s", c.Output)
		}
		return nil
	})
}

// mayReplace refuses to replace a file that is no backup.
func mayReplace(file string) error {
	info, err := os.Stat(file)
	if cli.IsStdout(file) || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // another kind of file, and one that cannot be written, gets an error of its own
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	in := bufio.NewReader(f)
	if cli.IsEncrypted(in) {
		return nil
	}
	if first, err := tar.NewReader(in).Next(); err == nil && slices.Contains(backupNames(), first.Name) {
		return nil
	}
	return cli.Refusedf("%s is no backup and would be lost: name another file with -o, or remove that one first", cli.Clean(file))
}

// passphrase returns the passphrase for the encryption: the one the flags ask for, or that
// of the owner's key.
func (c *BackupCmd) passphrase(a *cli.App, h cli.Home, conf cli.Config) (string, error) {
	if c.PassphraseFile != "" || c.Encrypt {
		return a.NewPassphrase(c.PassphraseFile, true)
	}
	_, pass, err := cli.UnlockWith(h.Key(cli.OwnerKey), a.PassphraseSources(conf.Owner))
	return pass, err
}

// databaseCopy writes a consistent copy of a database.
type databaseCopy func(context.Context, io.Writer) error

// copyOf copies the database of an open store.
func copyOf(o *cli.Session) databaseCopy {
	return func(ctx context.Context, w io.Writer) error {
		from, ok := o.Store.(store.Backuper)
		if !ok {
			return errors.ErrUnsupported
		}
		return from.Backup(ctx, w)
	}
}

func backup(h cli.Home, a *cli.App, out io.Writer, pass string, database databaseCopy) error {
	if pass == "" {
		return archive(h, a, out, database)
	}
	return a.Encrypt(out, pass, func(sealed io.Writer) error { return archive(h, a, sealed, database) })
}

func archive(h cli.Home, a *cli.App, out io.Writer, database databaseCopy) error {
	w := &archiver{tar: tar.NewWriter(out)}
	retired, err := retiredKeys(h)
	if err != nil {
		return err
	}
	settings, left, err := runSettings(h)
	if err != nil {
		return err
	}
	for _, name := range left {
		a.Warn("the backup does not hold %s: %s", cli.Clean(name), whyLeft(name))
	}
	for _, name := range slices.Concat(backupNames(), retired, settings) {
		if name == cli.DatabaseName {
			continue
		}
		f, err := os.Open(filepath.Join(h.Dir, filepath.FromSlash(name)))
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
	if err := copyDatabase(h, a, w, database); err != nil {
		return err
	}
	return w.end()
}

// backupNames are the files of a backup, in order.
func backupNames() []string {
	names := []string{"config.json", "token"}
	for _, key := range keyNames() {
		names = append(names, "keys/"+key+".key")
	}
	return append(append(names, unusedKeyFiles()...), cli.DatabaseName)
}

// optional reports whether a backup may lack a file: an earlier release made no key of the
// store, and this one makes none that it does not use.
func optional(name string) bool {
	return name == "keys/"+cli.StoreKey+".key" || slices.Contains(unusedKeyFiles(), name)
}

// copyDatabase adds a consistent copy of the database. A tar archive states a file's length
// before its content, so the copy goes to the store's own folder first.
func copyDatabase(h cli.Home, a *cli.App, w *archiver, database databaseCopy) (err error) {
	f, done, err := cli.Spool(h.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := database(a.Ctx, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return w.add(cli.DatabaseName, f)
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
	if name != cli.DatabaseName && info.Size() > mostOf(name) {
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
	if err := w.write(cli.BackupSums, int64(len(w.sums)), strings.NewReader(w.sums)); err != nil {
		return err
	}
	return w.tar.Close()
}

func sumLine(h hash.Hash, name string) string { return fmt.Sprintf("%x  %s\n", h.Sum(nil), name) }

func keyNames() []string { return []string{cli.OwnerKey, cli.StoreKey} }

// unusedKeyFiles are the paths of an earlier release's keys, which sign nothing any more.
func unusedKeyFiles() []string { return []string{"keys/producer.key", "keys/issuer.key"} }

// maxRetired is how many keys of former owners a backup may have.
const maxRetired = 100

// retiredKeys lists the keys of former owners as a backup names them.
func retiredKeys(h cli.Home) ([]string, error) {
	entries, err := os.ReadDir(h.Keys())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if name := "keys/" + entry.Name(); cli.IsRetired(name) && entry.Type().IsRegular() && len(names) < maxRetired {
			names = append(names, name)
		}
	}
	return names, nil
}
