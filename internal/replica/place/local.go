package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// Local is a folder of this machine.
type Local struct {
	dir   string
	root  *os.Root
	files *atomicfile.Folder
}

var _ folder.Storage = (*Local)(nil)

// OpenLocal opens a folder, which the caller closes. It fails with fs.ErrNotExist if there is no
// folder: it must not take a stick that is not plugged in for an empty folder.
func OpenLocal(dir string) (*Local, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s; make it, or plug in the disk that holds it (%w)", dir, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	files, err := atomicfile.OpenFolder(dir, atomicfile.FolderOptions{Most: pack.MaxSealed, Ours: func(string, []byte) bool { return true }})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Local{dir, root, files}, nil
}

// Close releases the folder.
func (l *Local) Close() error { return errors.Join(l.files.Close(), l.root.Close()) }

// List implements [folder.Storage]. It follows no links. It skips hidden folders, in which sync
// services keep old versions.
func (l *Local) List(ctx context.Context, dir string) ([]folder.File, error) {
	var found []folder.File
	err := fs.WalkDir(l.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // or another program deleted it
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir() && name != dir && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			found = append(found, folder.File{Name: name, Size: info.Size()})
			err = checkCount(len(found))
		}
		return err
	})
	return found, err
}

// Get implements [folder.Storage].
func (l *Local) Get(_ context.Context, name string, most int64) ([]byte, error) {
	info, err := l.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no file", replica.ErrAltered, path.Base(name))
	}
	file, err := l.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return readAll(file, most)
}

// Put implements [folder.Storage]. The file is on the disk when Put returns.
func (l *Local) Put(_ context.Context, name string, data []byte) error {
	return l.files.Put(name, data)
}

// Delete implements [folder.Storage].
func (l *Local) Delete(_ context.Context, name string) error {
	err := l.root.Remove(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = atomicfile.SyncFolder(filepath.Join(l.dir, filepath.FromSlash(path.Dir(name))))
	}
	return err
}
