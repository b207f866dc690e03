package sharing

import (
	"fmt"
	"strconv"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

type ownerQuotaCmd struct {
	Who string `arg:"" name:"owner" help:"The owner, by DID or label."`
	quotaFlags
}

// quotaFlags change an owner's quota. A missing flag changes nothing.
type quotaFlags struct {
	Records *amount     `help:"The most memories, every version counted. 0 or none: no limit." placeholder:"N"`
	Bytes   *size.Bytes `help:"The most space, signatures included (about 0.8 KiB a memory): 200M, 2G. 0 or none: no limit." placeholder:"N"`
}

// over returns a quota with the flags applied.
func (q quotaFlags) over(have store.Quota) store.Quota {
	if q.Records != nil {
		have.Records = int64(*q.Records)
	}
	if q.Bytes != nil {
		have.Bytes = int64(*q.Bytes)
	}
	return have
}

// Run changes or shows an owner's quota. Existing data stays.
func (c *ownerQuotaCmd) Run(a *cli.App) error {
	need := cli.Signing
	if c.quotaFlags == (quotaFlags{}) {
		need = cli.Reading
	}
	return a.With(need, func(o *cli.Session) error {
		owner, err := o.FindOwner(a.Ctx, c.Who)
		if err != nil {
			return err
		}
		info, err := o.Vault.Owner(a.Ctx, o.Operator(), owner)
		if err == nil && o.IsRemoved(info) {
			err = cli.RefuseRemoved(owner)
		}
		if err != nil {
			return err
		}
		quota := c.over(info.Quota)
		if need == cli.Signing {
			if err := o.SetQuota(a.Ctx, o.Operator(), owner, quota); err != nil {
				return err
			}
		}
		if a.JSON {
			return a.Emit(map[string]any{"owner": owner, "quota": quotaOut{quota.Records, quota.Bytes}, "records": info.Records, "bytes": info.Bytes})
		}
		a.Print("%s may keep %s, and keeps %s, %s", owner, allowance(quota), cli.Plural(info.Records, "memory", "memories"), size.Bytes(info.Bytes))
		return nil
	})
}

// allowance says a quota in words.
func allowance(q store.Quota) string {
	switch {
	case q == store.Quota{}:
		return "as much as there is room for"
	case q.Bytes == 0:
		return cli.Plural(int(q.Records), "memory", "memories")
	case q.Records == 0:
		return size.Bytes(q.Bytes).String()
	}
	return cli.Plural(int(q.Records), "memory", "memories") + " and " + size.Bytes(q.Bytes).String()
}

// amount is a number of things; 0 or none: no limit.
type amount int64

// UnmarshalText reads the typed text.
func (n *amount) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*n = 0
		return nil
	}
	read, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || read < 0 {
		return fmt.Errorf("write a number that is not below 0, or none")
	}
	*n = amount(read)
	return nil
}

type ownerRemoveCmd struct {
	Who     string     `arg:"" name:"owner" help:"The owner, by DID or label."`
	Confirm memory.DID `required:"" help:"The owner's DID once more, to confirm the erasure." placeholder:"DID"`
	Yes     bool       `short:"y" help:"Do not ask."`
}

// Run erases an owner and closes the account. The owner's audit log stays.
func (c *ownerRemoveCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		owner, err := o.FindOwner(a.Ctx, c.Who)
		switch {
		case err != nil:
			return err
		case owner == o.Config.Owner:
			return cli.Refusedf("%s is the owner of the home folder and stays; satchel erase erases what they keep", owner)
		case owner != c.Confirm:
			return cli.Refusedf("%s is %s; give that after --confirm if everything of theirs is to be erased", cli.Clean(c.Who), owner)
		}
		if err := c.ask(a, owner); err != nil {
			return err
		}
		if info, err := o.Vault.Owner(a.Ctx, o.Operator(), owner); err == nil && o.IsRemoved(info) {
			return cli.RefuseRemoved(owner)
		}
		cleared, err := o.RemoveOwner(a.Ctx, o.Operator(), owner)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"owner": owner, "result": "removed", "pending": !cleared})
		}
		a.Print("removed %s: everything of theirs is erased, and their tokens let nobody in", owner)
		if !cleared {
			a.Warn("%s", o.TracesLeft())
		}
		return nil
	})
}

func (c *ownerRemoveCmd) ask(a *cli.App, owner memory.DID) error {
	switch {
	case c.Yes:
		return nil
	case !a.Interactive():
		return cli.Usagef("everything of theirs is erased, for good; say --yes when there is no terminal to ask on")
	}
	yes, err := a.Confirm("Erase everything of " + string(owner) + ", for good?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was erased")
	}
	return err
}
