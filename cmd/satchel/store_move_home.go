package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// follow gives the store that everything went to its home folder: a copy of the one
// that was left, or that itself.
func (o *opened) follow(to home) error {
	conf := o.config
	conf.Remote = to.remote()
	if o.dir == to.dir {
		return to.writeConfig(conf)
	}
	if err := os.MkdirAll(to.keys(), 0o700); err != nil {
		return err
	}
	kept, err := o.retiredKeys()
	if err != nil {
		return err
	}
	for _, name := range append(append(kept, "audit.head"), backupNames()...) {
		if name == databaseName || name == "config.json" || exists(filepath.Join(to.dir, filepath.FromSlash(name))) && name != "audit.head" {
			continue
		}
		data, err := readBounded(filepath.Join(o.dir, filepath.FromSlash(name)), maxSmall)
		if errors.Is(err, fs.ErrNotExist) && (name == "audit.head" || slices.Contains(unusedKeyFiles(), name)) {
			continue
		}
		if err == nil {
			err = atomicfile.Write(filepath.Join(to.dir, filepath.FromSlash(name)), 0o600, data)
		}
		if err != nil {
			return fmt.Errorf("copy the home folder: %w", err)
		}
	}
	return to.writeConfig(conf)
}
