package operate

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
)

// follow gives the target store its home folder: a copy of the source's, or that itself.
func follow(o *cli.Session, to cli.Home) error {
	conf := o.Config
	conf.Remote = to.InDatabase()
	if o.Dir == to.Dir {
		return to.WriteConfig(conf)
	}
	if err := to.Make(); err != nil {
		return err
	}
	kept, err := retiredKeys(o.Home)
	if err != nil {
		return err
	}
	for _, name := range append(append(kept, movedNames()...), backupNames()...) {
		if name == cli.DatabaseName || name == "config.json" || cli.Exists(filepath.Join(to.Dir, filepath.FromSlash(name))) && name != "audit.head" {
			continue
		}
		data, err := cli.ReadBounded(filepath.Join(o.Dir, filepath.FromSlash(name)), cli.MaxSmall)
		if errors.Is(err, fs.ErrNotExist) && slices.Contains(append(movedNames(), unusedKeyFiles()...), name) {
			continue
		}
		if err == nil {
			err = atomicfile.Write(filepath.Join(to.Dir, filepath.FromSlash(name)), 0o600, data)
		}
		if err != nil {
			return fmt.Errorf("copy the home folder: %w", err)
		}
	}
	return to.WriteConfig(conf)
}

// movedNames lists the files that go with a store that moves, if they are there, and that no
// backup holds: what a restored store has is another machine's.
func movedNames() []string {
	return []string{"audit.head", "keys/" + machines.MachineKey + ".key", "sync.json"}
}
