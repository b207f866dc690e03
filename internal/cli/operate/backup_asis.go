package operate

import (
	"context"
	"io"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
)

// BackupAsIs writes a backup of a store in a folder without opening the store. The store and
// its copy keep their schema, so the release that used the store last can restore the backup.
// The backup is encrypted if the owner's key is sealed.
func BackupAsIs(a *cli.App, h cli.Home, conf cli.Config, file string) error {
	pass, err := new(BackupCmd).passphrase(a, h, conf)
	if err != nil {
		return err
	}
	copied := func(ctx context.Context, w io.Writer) error {
		return h.NameError(sqlite.CopyAsIs(ctx, h.Database(), w))
	}
	return atomicfile.ReplaceBy(file, 0o600, nil, func(w io.Writer) error { return backup(h, a, w, pass, copied) })
}

// Schemas returns the schema of a store in a folder and the schema that this release writes. It
// changes nothing, and refuses a file that this release cannot use.
func Schemas(a *cli.App, h cli.Home) (found, known int, err error) {
	found, known, err = sqlite.Schemas(a.Ctx, h.Database())
	return found, known, h.NameError(err)
}

// Address returns the address at which programs of this machine reach a server with these
// flags.
func (c *ServeCmd) Address(port int) (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	at, err := c.resolve(port)
	if err != nil {
		return "", err
	}
	if at.Port == 0 {
		return "", cli.Usagef("a service needs a port that stays: give --addr HOST:PORT")
	}
	if at.IP.IsUnspecified() || at.IP == nil {
		at.IP = loopback
	}
	return c.scheme() + "://" + at.String(), nil
}
