package machines

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// SyncCmd is the command satchel sync.
type SyncCmd struct {
	Now    syncNowCmd    `cmd:"" default:"withargs" help:"Sync this machine with your others now."`
	Add    syncAddCmd    `cmd:"" help:"Add a remote: satchel serve and satchel mcp then sync with it by themselves."`
	List   syncListCmd   `cmd:"" help:"List the remotes, and when this machine last synced with them."`
	Remove syncRemoveCmd `cmd:"" help:"Remove a remote. The packs there stay."`
}

type syncNowCmd struct {
	Remote string `arg:"" optional:"" help:"A name from satchel sync list, the address of another Satchel of yours, a folder, webdav+https://… or s3+https://HOST/BUCKET. Default: all added remotes."`
	Status bool   `help:"Only show when this machine last synced with the others, and what they lack."`
	Access
}

// Run syncs with remotes, or shows their status.
func (c *syncNowCmd) Run(a *cli.App) error {
	if c.Status {
		return showStatus(a)
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		t, err := openThisMachine(a, o, true)
		if err != nil {
			return err
		}
		remotes, err := c.remotes(t)
		if err != nil {
			return err
		}
		lock, err := t.lock(a.Ctx, true)
		if err != nil {
			return err
		}
		defer lock.Close()
		out, failed := []outcome{}, error(nil)
		for _, r := range remotes {
			one := t.exchange(a.Ctx, r, true)
			out = append(out, one)
			if one.err != nil && a.Ctx.Err() != nil {
				return one.err
			}
			if one.err != nil {
				failed = cli.Silent(cli.ExitFailed)
			}
			if !a.JSON {
				one.say(a)
			}
		}
		if a.JSON {
			failed = errors.Join(a.Emit(map[string]any{"remotes": out}), failed)
		}
		return failed
	})
}

// remotes returns the remotes to sync with: the named one, or all that the owner added.
func (c *syncNowCmd) remotes(t *thisMachine) ([]remote, error) {
	s, err := readState(t.Home)
	if err != nil {
		return nil, err
	}
	own := s.of(t.Owner)
	if c.Remote == "" {
		if len(own.kept()) == 0 {
			return nil, cli.Usagef("name where your machines meet: satchel sync REMOTE does it once, satchel sync add REMOTE from now on")
		}
		return own.kept(), nil
	}
	if known, ok := own.remote(c.Remote); ok {
		return []remote{*known}, nil
	}
	r, err := newRemote(c.Remote, "", c.Access)
	if known, ok := own.remote(r.Address); ok {
		r = *known
	} else {
		r.Name, r.Once = own.freeName(r.Name), true
	}
	return []remote{r}, err
}

type syncAddCmd struct {
	Address string `arg:"" help:"The address of another Satchel of yours, a folder, webdav+https://… or s3+https://HOST/BUCKET."`
	Name    string `help:"A name for the remote. Default: its host or its last folder." placeholder:"NAME"`
	Access
}

// Run adds a remote, then syncs with it.
func (c *syncAddCmd) Run(a *cli.App) error {
	if strings.Contains(c.Name, "/") || len(c.Name) > maxMachineName || cli.Clean(c.Name) != c.Name {
		return cli.Usagef("a name has at most %d characters, and no /", maxMachineName)
	}
	r, err := newRemote(c.Address, c.Name, c.Access)
	if err != nil {
		return err
	}
	err = a.With(cli.Signing, func(o *cli.Session) error {
		if _, err := openThisMachine(a, o, true); err != nil {
			return err
		}
		return changeState(o.Home, o.Owner, func(s *ownerState) error {
			if c.Name != "" {
				if other, taken := s.remote(c.Name); taken && other.Address != r.Address {
					return cli.Refusedf("another remote has the name %s; choose another", c.Name)
				}
			}
			return s.add(r)
		})
	})
	if err != nil {
		return err
	}
	err = (&syncNowCmd{Remote: r.Address}).Run(a)
	if err != nil {
		a.Say("it is remembered all the same: satchel sync tries again, satchel sync remove forgets it")
	} else {
		a.Say("satchel serve and satchel mcp sync with it from now on")
	}
	return err
}

type syncListCmd struct{}

// Run lists remotes.
func (c *syncListCmd) Run(a *cli.App) error { return showStatus(a) }

type syncRemoveCmd struct {
	Remote string `arg:"" help:"The remote, by its name or its address."`
}

// Run removes a remote.
func (c *syncRemoveCmd) Run(a *cli.App) error {
	h, conf, err := a.ExistingStore()
	if err != nil {
		return err
	}
	owner := conf.Owner
	if a.Owner != "" {
		if err := a.With(cli.Looking, func(o *cli.Session) error { owner = o.Owner; return nil }); err != nil {
			return err
		}
	}
	var gone remote
	err = changeState(h, owner, func(s *ownerState) error {
		r, ok := s.remote(c.Remote)
		if !ok {
			return &memory.Error{Kind: memory.NotFound, Op: "sync", Message: "no remote has that name or address; satchel sync list lists them"}
		}
		gone = *r
		s.Remotes = slices.DeleteFunc(s.Remotes, func(r remote) bool { return r.Name == gone.Name })
		return nil
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(map[string]any{"removed": gone.Name})
	}
	a.Print("%s is forgotten; the packs there stay, encrypted", cli.Clean(gone.Name))
	return nil
}

// remoteOut is a [remote] as JSON. It leaves out passwords' files and machines.
type remoteOut struct {
	Name    string    `json:"name"`
	Address string    `json:"address"`
	Once    bool      `json:"once,omitempty"`
	Met     time.Time `json:"met,omitzero"`
	Tried   time.Time `json:"tried,omitzero"`
	Failed  string    `json:"failed,omitempty"`
}

// showStatus prints the remotes and the machines.
func showStatus(a *cli.App) error {
	return a.With(cli.Showing, func(o *cli.Session) error {
		s, err := readState(o.Home)
		if err != nil {
			return err
		}
		all, err := allMachines(a, a.Ctx, o, o.Owner)
		if err != nil {
			return err
		}
		remotes := []remoteOut{}
		for _, r := range s.of(o.Owner).Remotes {
			remotes = append(remotes, remoteOut{r.Name, r.Address, r.Once, r.Met, r.Tried, r.Failed})
		}
		if a.JSON {
			return a.Emit(map[string]any{"remotes": remotes, "machines": cli.OrEmpty(all)})
		}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, r := range s.of(o.Owner).Remotes {
			text := "never met"
			if !r.Met.IsZero() {
				text = "met " + cli.HowOld(r.Met, a.Now())
			}
			if r.Once {
				text += ", only when you name it"
			}
			if r.Failed != "" {
				text += "; failed " + cli.HowOld(r.Tried, a.Now()) + ": " + cli.OneLine(r.Failed, 300)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", cli.Clean(r.Name), cli.Clean(r.Address), text)
		}
		for _, m := range all {
			if m.State != "removed" {
				fmt.Fprintf(w, "%s\t%s\t\n", cli.Clean(m.Name), m.inWords(a.Now()))
			}
		}
		if len(remotes) == 0 {
			a.Say("this machine has no remote; satchel sync add REMOTE adds one")
		}
		return w.Flush()
	})
}
