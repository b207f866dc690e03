package machines

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/memory"
)

// SyncCmd is the command satchel sync.
type SyncCmd struct {
	Now    syncNowCmd    `cmd:"" default:"withargs" help:"Let this machine meet your others now."`
	Add    syncAddCmd    `cmd:"" help:"Remember where your machines meet: satchel serve and satchel mcp then sync by themselves."`
	List   syncListCmd   `cmd:"" help:"List where your machines meet, and when they last did."`
	Remove syncRemoveCmd `cmd:"" help:"Forget a place where your machines meet. What lies there stays."`
}

type syncNowCmd struct {
	Remote string `arg:"" optional:"" help:"Where: a name from satchel sync list, the address of another Satchel of yours, a folder, webdav+https://… or s3+https://HOST/BUCKET. Default: everywhere."`
	Status bool   `help:"Only show when this machine last met the others, and what they lack."`
	Access
}

// Run syncs, or shows how it stands.
func (c *syncNowCmd) Run(a *cli.App) error {
	if c.Status {
		return showStatus(a)
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		f, err := enter(a, o, true)
		if err != nil {
			return err
		}
		remotes, err := c.remotes(f)
		if err != nil {
			return err
		}
		turn, err := f.turn(a.Ctx, true)
		if err != nil {
			return err
		}
		defer turn.Close()
		out, failed := []outcome{}, error(nil)
		for _, r := range remotes {
			one := f.exchange(a.Ctx, r, true)
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

// remotes are those that the command names.
func (c *syncNowCmd) remotes(f *fleet) ([]remote, error) {
	s, err := readState(f.Home)
	if err != nil {
		return nil, err
	}
	own := s.of(f.Owner)
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

// newRemote reads an address: that of another Satchel, of a WebDAV server or of S3-compatible
// storage by its scheme, otherwise a folder.
func newRemote(address, name string, access Access) (r remote, err error) {
	for _, file := range []*string{&access.CA, &access.Password} {
		if *file != "" {
			if *file, err = filepath.Abs(*file); err != nil {
				return r, err
			}
		}
	}
	kind, _, isURL := strings.Cut(address, "://")
	switch {
	case isPeer(address):
		err = cli.WithStatus(cli.ExitUsage, peer.CheckAddress(address))
	case isURL && !isStorage(kind):
		err = cli.Usagef("%s is no address that sync knows: give https://HOST of another Satchel, webdav+https://HOST/FOLDER, s3+https://HOST/BUCKET/FOLDER, or a folder", cli.Clean(address))
	case !isURL:
		address, err = filepath.Abs(address)
	}
	if name == "" {
		name = nameOf(address)
	}
	return remote{Name: name, Address: address, Access: access}, err
}

// isPeer reports whether an address is that of another Satchel.
func isPeer(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// nameOf makes a name of an address: its host, or its last folder.
func nameOf(address string) string {
	rest := address
	if _, after, ok := strings.Cut(address, "://"); ok {
		if rest = after; isPeer(address) {
			rest, _, _ = strings.Cut(rest, "/")
		}
	}
	rest = filepath.Base(strings.TrimRight(filepath.ToSlash(rest), "/"))
	if rest == "." || rest == "" || len(rest) > maxMachineName {
		return "remote"
	}
	return rest
}

// add remembers a remote, unless its name or address is taken.
func (s *ownerState) add(r remote) error {
	if known, ok := s.remote(r.Address); ok {
		known.Access, known.Once = r.Access, false
		if r.Machine != "" {
			known.Machine, known.Met, known.Tried = r.Machine, r.Met, r.Tried
		}
		return nil
	}
	r.Name = s.freeName(r.Name)
	if len(s.Remotes) >= mostRemotes {
		return cli.Refusedf("there are %d remotes, the most that may be; satchel sync remove forgets one", mostRemotes)
	}
	s.Remotes = append(s.Remotes, r)
	return nil
}

// freeName makes a name unlike those of other remotes.
func (s *ownerState) freeName(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, taken := s.remote(free); !taken {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// addOnce remembers a remote that was met once. It takes the place of the one of its kind
// that was met longest ago if there are too many.
func (s *ownerState) addOnce(r remote) {
	if _, known := s.remote(r.Address); known {
		return
	}
	if len(s.Remotes) >= mostRemotes {
		oldest := -1
		for i, o := range s.Remotes {
			if o.Once && (oldest < 0 || o.Met.Before(s.Remotes[oldest].Met)) {
				oldest = i
			}
		}
		if oldest < 0 {
			return
		}
		s.Remotes = slices.Delete(s.Remotes, oldest, oldest+1)
	}
	s.Remotes = append(s.Remotes, r)
}

type syncAddCmd struct {
	Address string `arg:"" help:"The address of another Satchel of yours, a folder, webdav+https://… or s3+https://HOST/BUCKET."`
	Name    string `help:"What to call it. Default: its host or its last folder." placeholder:"NAME"`
	Access
}

// Run remembers a remote, after a first exchange.
func (c *syncAddCmd) Run(a *cli.App) error {
	if strings.Contains(c.Name, "/") || len(c.Name) > maxMachineName || cli.Clean(c.Name) != c.Name {
		return cli.Usagef("a name has at most %d characters, and no /", maxMachineName)
	}
	r, err := newRemote(c.Address, c.Name, c.Access)
	if err != nil {
		return err
	}
	err = a.With(cli.Signing, func(o *cli.Session) error {
		if _, err := enter(a, o, true); err != nil {
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

// Run forgets a remote.
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

// remoteOut is a remote for programs.
type remoteOut struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Once    bool   `json:"once,omitempty"` // it is met only when the owner names it
	Met     string `json:"met,omitempty"`
	Tried   string `json:"tried,omitempty"`
	Failed  string `json:"failed,omitempty"`
}

// showStatus prints the remotes and the machines.
func showStatus(a *cli.App) error {
	return a.With(cli.Showing, func(o *cli.Session) error {
		s, err := readState(o.Home)
		if err != nil {
			return err
		}
		all, err := overview(a, o)
		if err != nil {
			return err
		}
		remotes := []remoteOut{}
		for _, r := range s.of(o.Owner).Remotes {
			remotes = append(remotes, remoteOut{r.Name, r.Address, r.Once, cli.Stamp(r.Met), cli.Stamp(r.Tried), r.Failed})
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
