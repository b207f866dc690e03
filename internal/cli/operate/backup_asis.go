package operate

import (
	"context"
	"io"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
)

// BackupAsIs writes a backup of a store in a folder without opening the store, so that it
// stays in the form of the release that used it last: that release can restore the backup.
// The keys are sealed if the owner's key is.
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

// Schemas returns the schema of a store in a folder, which it does not change, and the one
// that this release writes. It refuses a file that this release cannot use.
func Schemas(a *cli.App, h cli.Home) (found, known int, err error) {
	found, known, err = sqlite.Schemas(a.Ctx, h.Database())
	return found, known, h.NameError(err)
}

// Address returns the address of a server with these flags, for programs of its machine.
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
