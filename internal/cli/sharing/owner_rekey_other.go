package sharing

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The next key of an owner other than the home folder's is keys/next-….key in the home
// folder, from before the change begins until it is finished. Meanwhile the store has it as
// well, wrapped like every such owner's.

// Upcoming is the path of that key.
func Upcoming(h cli.Home, owner memory.DID) string {
	return h.Key("next-" + string(owner[max(0, len(owner)-cli.RetiredTail):]))
}

// of changes the key of one of many owners, or continues an interrupted change.
func (c *OwnerRekeyCmd) of(a *cli.App, o *cli.Session) error {
	info, err := o.Vault.Owner(a.Ctx, o.Operator(), o.Owner)
	at := Upcoming(o.Home, o.Owner)
	switch {
	case err != nil:
		return err
	case !info.Held && !info.Moving:
		return cli.Refusedf("the key of %s is held by its owner alone, who has to change it", o.Owner)
	case !info.Moving && info.MovedTo != "":
		return cli.Refusedf("%s went over to another key already, that of %s", o.Owner, info.MovedTo)
	case c.Abandon && !info.Moving:
		return cli.Refusedf("there is nothing to give up: no change of the key of %s was begun", o.Owner)
	case c.Abandon:
		if err := rekey.New(o.Vault).AbandonRekey(a.Ctx, o.Caller(), info.MovedTo); err != nil {
			return err
		}
		a.Say("given up: %s keeps the key", o.Owner)
		return RemoveKeyFile(at)
	case info.Moving:
		a.Say("taking up the change to %s", info.MovedTo)
	default:
		if err := c.confirm(a); err != nil {
			return err
		}
		if err := c.Prepare(a, o, at); err != nil {
			return err
		}
	}
	next, _, err := cli.UnlockWith(at, a.PassphraseSources(o.Config.Owner))
	if err != nil {
		return fmt.Errorf("the key of the new owner: %w; --abandon gives the change up", err)
	}
	return c.goOver(a, o, next, at)
}

// confirm asks for confirmation of a change.
func (c *OwnerRekeyCmd) confirm(a *cli.App) error {
	if c.Yes {
		return nil
	}
	if !a.Interactive() {
		return cli.Usagef("a change of keys cannot be undone; say --yes when there is no terminal to ask on")
	}
	yes, err := a.Confirm("Every memory of the owner is signed anew by another key, under another owner, and tokens end. Go on?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was changed")
	}
	return err
}

// Prepare makes the new key, or reads it, and stores it, sealed like the home folder's key.
func (c *OwnerRekeyCmd) Prepare(a *cli.App, o *cli.Session, at string) error {
	if err := RemoveKeyFile(at); err != nil { // of a change that never began
		return err
	}
	_, pass, err := cli.UnlockWith(o.Home.Key(cli.OwnerKey), a.PassphraseSources(o.Config.Owner))
	if err != nil {
		return err
	}
	var next keys.Private
	if c.Key == "" {
		next, err = keys.Generate(rand.Reader)
	} else {
		next, _, err = cli.UnlockWith(c.Key, a.PassphraseSources(o.Config.Owner))
	}
	switch {
	case err != nil:
		return err
	case next.DID() == o.Owner:
		return cli.Usagef("the key in %s is the owner's present key", c.Key)
	case next.DID() == o.Config.Owner:
		return cli.Usagef("the key in %s is that of the home folder", c.Key)
	}
	return o.Home.WriteKey(at, next, pass)
}

// RemoveKeyFile removes the file of a key, if there is one.
func RemoveKeyFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// goOver moves everything, removes the old owner, and issues a token for the new one.
func (c *OwnerRekeyCmd) goOver(a *cli.App, o *cli.Session, next keys.Private, at string) error {
	from := o.Caller()
	report, err := CarryOver(o, a, from, next)
	if err != nil {
		return fmt.Errorf("%w; nothing was erased: the same command goes on from here, --abandon gives up", err)
	}
	cleared, err := rekey.New(o.Vault).FinishRekey(a.Ctx, from, next.DID())
	if err != nil {
		return err
	}
	expires := a.Now().Add(firstToken)
	token, err := mintFirstToken(o, a, next.DID(), expires)
	if err != nil {
		return err
	}
	info, err := o.Vault.Owner(a.Ctx, o.Operator(), next.DID())
	if err = errors.Join(err, RemoveKeyFile(at)); err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(struct {
			added
			Before  memory.DID `json:"before"`
			Records int        `json:"records"`
			Pending bool       `json:"pending"`
		}{added{Owner: info.Owner, Label: info.Label, Key: "here", Token: token, Expires: cli.Stamp(expires)}, from.Owner, report.Records, !cleared})
	}
	a.Print("owner   %s\nbefore  %s\ntoken   %s", info.Owner, from.Owner, token)
	a.Say("%s signed by the new key, with the same IDs and history; tokens of the old one have ended", cli.Plural(info.Records, "memory is", "memories are"))
	a.Warn("whoever has this token is the owner, until %s; it is shown this once", cli.Local(expires))
	if !cleared {
		a.Warn("of the old owner's memories %s", o.TracesLeft())
	}
	return nil
}
