package operate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"

	"github.com/satchel-memory/satchel/internal/cli"
)

// begin makes the owner's store if a host starts the program and there is none yet, so that
// a bundle or a package is all that a host needs. It makes none where somebody named the
// place: that one may be a disk which is not there today. It never touches a folder that
// holds anything else.
func (c *MCPCmd) begin(a *cli.App) error {
	if c.NoInit || c.ReadOnly || a.Owner != "" || a.Store != "" || a.Env("SATCHEL_STORE") != "" || a.Interactive() {
		return nil
	}
	h, err := a.Home()
	if err != nil || !lacksConfig(h) {
		return err
	}
	if err := vacant(h); err != nil {
		if cli.Exists(h.Database()) {
			return nil // opening it says what to do
		}
		return err
	}
	if err := h.Make(); err != nil {
		return fmt.Errorf("make the store's folder: %w", err)
	}
	return cli.InTurn(h.Config(), func() error { return makeFirst(a, h) })
}

// makeFirst makes the store, unless another host was first or the folder is what is left of a
// store.
func makeFirst(a *cli.App, h cli.Home) error {
	if !lacksConfig(h) || cli.Exists(h.Database()) {
		return nil
	}
	first := InitCmd{Seal: a.Env("SATCHEL_PASSPHRASE") != "" || a.Env("SATCHEL_PASSPHRASE_FILE") != "", kitUnseen: true}
	conf, _, err := first.create(a, h)
	if err != nil {
		return fmt.Errorf("there was no store yet, and none could be made: %w", err)
	}
	a.Warn("there was no memory on this computer yet: made one in %s, of %s", cli.Clean(h.Dir), conf.Owner)
	a.Warn("its key is in that folder and nowhere else. Make a recovery kit, and write it down: %s keys kit", ownCommand())
	return nil
}

func lacksConfig(h cli.Home) bool {
	_, err := h.ReadConfig()
	return errors.Is(err, fs.ErrNotExist)
}

// ownCommand is how the owner calls this program on a command line.
func ownCommand() string {
	if _, err := exec.LookPath("satchel"); err == nil {
		return "satchel"
	}
	if path, err := os.Executable(); err == nil {
		return `"` + path + `"`
	}
	return "satchel"
}

// unseenKit tells a model that the owner has no recovery kit yet.
func unseenKit(o *cli.Session) string {
	if !o.Config.KitUnseen {
		return ""
	}
	return fmt.Sprintf(" This memory is new, and its owner has not seen its recovery kit: without that, a lost folder %s is a lost memory. When you first remember something, say so in one sentence, "+
		"and that the command %s keys kit shows the kit, to be written down. Do not run it yourself: the kit is a secret.", cli.Clean(o.Home.Dir), ownCommand())
}
