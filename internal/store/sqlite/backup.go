package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Backup writes a copy of the store to w. It holds one snapshot while others
// read and write. The copy is made beside the store first, in a file that only
// its owner can read and that is gone when Backup returns.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	select {
	case <-s.closing:
		return closed("backup")
	default:
	}
	c, err := dialPatiently(ctx, s.copying, s.opt.BusyTimeout)
	if err != nil {
		return err
	}
	temp, err := copyInto(c, s.path)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	err = errors.Join(send(w, temp), os.Remove(temp))
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return ctx.Err()
}

func send(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// copyInto writes what c sees into a new file beside the store, down to the
// disk, and returns its name.
func copyInto(c *conn, path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".copy-*")
	if err != nil {
		return "", gateError(err)
	}
	_, err = c.exec("VACUUM INTO ?", f.Name())
	if err = errors.Join(translate("copy store", err), f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncFolder makes new names in a folder survive the loss of power.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it keeps names by itself, and refuses
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
