package operate

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
)

// unpacker writes the files of a backup into a folder. It treats the archive as a
// stranger's: it limits the size before it writes anything.
type unpacker struct {
	ctx    context.Context
	dir    string
	room   uint64 // most bytes of the database
	sums   string // of the written files
	stated string // in the archive

	retired  int   // keys of former owners
	settings int   // files of the settings of runs
	set      int64 // bytes of them
}

// unpack writes the files of an archive. The archive must hold exactly the files of a
// backup, with the sums that it states.
func unpack(ctx context.Context, dir string, archive io.Reader) error {
	room, err := freeSpace(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		room = maxDatabase
	case err != nil:
		return err
	}
	u := &unpacker{ctx: ctx, dir: dir, room: min(room, maxDatabase)}
	r := tar.NewReader(archive)
	for {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return cli.Invalidf("not a backup of satchel, or damaged: %w", err)
		}
		if err := u.entry(head, r); err != nil {
			return err
		}
	}
	if u.sums == "" || u.sums != u.stated || !u.whole() {
		return cli.Invalidf("the backup is not whole")
	}
	return nil
}

// whole reports whether all files of a backup are there.
func (u *unpacker) whole() bool {
	for _, name := range backupNames() {
		if !optional(name) && !strings.Contains(u.sums, "  "+name+"\n") {
			return false
		}
	}
	return true
}

// maxDatabase is the most bytes of a restored database, however much space there is.
const maxDatabase = 1 << 40

func (u *unpacker) entry(head *tar.Header, r io.Reader) error {
	retired := cli.IsRetired(head.Name) && u.retired < maxRetired
	setting := isRunSetting(head.Name) && u.settings < mostRunFiles && u.set+head.Size <= mostRunBytes
	known := (retired || setting || slices.Contains(backupNames(), head.Name)) && !strings.Contains(u.sums, "  "+head.Name+"\n")
	sums := head.Name == cli.BackupSums && u.stated == ""
	switch {
	case head.Typeflag != tar.TypeReg || source.Sparse(head):
		return cli.Invalidf("not a backup of satchel: %s is no plain file", cli.Clean(head.Name))
	case !known && !sums:
		return cli.Invalidf("not a backup of satchel: it holds %s", cli.Clean(head.Name))
	case head.Name != cli.DatabaseName && head.Size > mostOf(head.Name):
		return cli.Invalidf("not a backup of satchel: its %s has %d bytes", cli.Clean(head.Name), head.Size)
	case uint64(head.Size) > u.room:
		return fmt.Errorf("the store in the backup has %d MiB, and there is room for %d in %s; make room, then try again",
			head.Size>>20, u.room>>20, filepath.Dir(u.dir))
	case sums:
		text, err := io.ReadAll(r)
		if err != nil {
			return cli.Invalidf("the backup is damaged: %w", err)
		}
		u.stated = string(text)
		return nil
	}
	switch {
	case retired:
		u.retired++
	case setting:
		u.settings++
		u.set += head.Size
		if err := os.MkdirAll(filepath.Dir(filepath.Join(u.dir, filepath.FromSlash(head.Name))), 0o700); err != nil {
			return cli.Invalidf("not a backup of satchel: %w", err)
		}
	}
	return u.extract(head, r)
}

// extract writes one file and notes its sum.
func (u *unpacker) extract(head *tar.Header, r io.Reader) error {
	path := filepath.Join(u.dir, filepath.FromSlash(head.Name))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), &interruptible{u.ctx, r})
	if _, ours := errors.AsType[*fs.PathError](err); err != nil && !ours && u.ctx.Err() == nil {
		return errors.Join(cli.Invalidf("the backup is damaged: %s: %w", head.Name, err), f.Close())
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("restore %s: %w", head.Name, err)
	}
	u.sums += sumLine(h, head.Name)
	return nil
}

// interruptible reads until ctx ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read fails once the context has ended.
func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
