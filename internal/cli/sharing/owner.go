package sharing

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// OwnerCmd is the command satchel owner.
type OwnerCmd struct {
	List   ownerListCmd   `cmd:"" help:"List the owners of the store."`
	Add    ownerAddCmd    `cmd:"" help:"Add an owner, with a key in this store, or with the public key of an owner who signs elsewhere."`
	Invite ownerInviteCmd `cmd:"" help:"Make a link that lets an owner's browser in to the pages of a server. Good once, for a day."`
	Quota  ownerQuotaCmd  `cmd:"" help:"Set how much an owner may keep. Without flags: show it."`
	Remove ownerRemoveCmd `cmd:"" help:"Erase everything an owner keeps, for good, and close the account."`
	Rekey  OwnerRekeyCmd  `cmd:"" help:"Change to another key: sign every memory anew, under a new owner."`
}

type ownerListCmd struct {
	All bool `help:"Show removed owners too."`
}

// ownerOut is an owner for machines.
type ownerOut struct {
	Owner   memory.DID `json:"owner"`
	Label   string     `json:"label,omitempty"`
	Records int        `json:"records"`
	Bytes   int64      `json:"bytes"`
	Quota   *quotaOut  `json:"quota,omitempty"` // absent: as much as there is room for
	Key     string     `json:"key"`             // here, client (held by the owner), or none
	Added   string     `json:"added,omitempty"`
	Current bool       `json:"current"` // the owner whose home folder it is
	Removed bool       `json:"removed"` // the account is closed
	MovedTo memory.DID `json:"moved_to,omitempty"`
	Moving  bool       `json:"moving,omitempty"`
	Store   string     `json:"moved_to_store,omitempty"`
}

type quotaOut struct {
	Records int64 `json:"records,omitempty"`
	Bytes   int64 `json:"bytes,omitempty"`
}

func showOwner(o *cli.Session, w vault.OwnerInfo) ownerOut {
	out := ownerOut{
		Owner: w.Owner, Label: w.Label, Records: w.Records, Bytes: w.Bytes, Added: cli.Stamp(w.Added),
		Current: w.Owner == o.Config.Owner, Removed: o.IsRemoved(w), MovedTo: w.MovedTo, Moving: w.Moving, Store: w.Store, Key: "none",
	}
	switch {
	case w.Held || out.Current:
		out.Key = "here"
	case !w.Added.IsZero():
		out.Key = "client"
	}
	if w.Quota != (store.Quota{}) {
		out.Quota = &quotaOut{w.Quota.Records, w.Quota.Bytes}
	}
	return out
}

// Run lists owners, and marks the home folder's owner.
func (c *ownerListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		owners, err := o.Owners(a.Ctx, o.Operator(), "")
		if err != nil {
			return err
		}
		out, found := []ownerOut{}, false
		for _, w := range owners {
			found = found || w.Owner == o.Config.Owner
			if c.All || !o.IsRemoved(w) {
				out = append(out, showOwner(o, w))
			}
		}
		if !found { // nothing was ever written
			out = append(out, showOwner(o, vault.OwnerInfo{Owner: o.Config.Owner}))
		}
		if a.JSON {
			return a.Emit(map[string]any{"owners": out})
		}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, one := range out {
			mark := " "
			if one.Current {
				mark = "*"
			}
			fmt.Fprintf(w, "%s %s\t%s\n", mark, cli.Clean(string(one.Owner)), one.inWords())
		}
		return w.Flush()
	})
}

// inWords describes an owner beside the DID.
func (w ownerOut) inWords() string {
	if w.Removed {
		return "removed"
	}
	text := cli.Plural(w.Records, "memory", "memories")
	if w.Quota != nil && w.Quota.Records > 0 {
		text += fmt.Sprintf(" of %d", w.Quota.Records)
	}
	bounded := w.Quota != nil && w.Quota.Bytes > 0
	if w.Bytes > 0 || bounded {
		text += ", " + size.Bytes(w.Bytes).String()
	}
	if bounded {
		text += " of " + size.Bytes(w.Quota.Bytes).String()
	}
	if w.Label != "" {
		text += ", " + cli.OneLine(w.Label, 40)
	}
	if w.Key == "client" {
		text += ", signs elsewhere"
	}
	switch {
	case w.Moving:
		text += ", going over to " + cli.Clean(string(w.MovedTo))
	case w.MovedTo != "":
		text += ", went over to " + cli.Clean(string(w.MovedTo))
	case w.Store != "":
		text += ", moved to " + cli.Clean(w.Store)
	}
	return text
}

// keyIsOpen refuses an action that needs the signature of an owner whose key is held
// elsewhere.
func keyIsOpen(o *cli.Session, ctx context.Context) error {
	info, err := o.Vault.Owner(ctx, o.Operator(), o.Owner)
	if err == nil && !info.Held {
		err = cli.Refusedf("the key of %s is held by its owner alone: nothing can be signed here for it", o.Owner)
	}
	return err
}
