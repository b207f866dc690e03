package operate

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// OpenCmd is the command satchel open.
type OpenCmd struct {
	Page     string `arg:"" optional:"" help:"The page to show: agents, assistants, audit, context, export, health, help, imports, memories, owners, projects, search, settings, sharing, timeline or waiting, or a memory by its id. The address of a server of somebody else that keeps your memory, such as https://memory.example: its pages."`
	CA       string `name:"ca" help:"A file of certificates to trust for that address, beside those of this machine." placeholder:"FILE"`
	Print    bool   `help:"Print the link, and open no browser."`
	Confirm  bool   `help:"Print the code by which you confirm what a page is about to do, such as erasing a memory."`
	Leave    bool   `help:"Turn out every browser that was let in."`
	AddrName string `name:"addr-name" help:"Use this name of this machine in the link, for a browser that knows no names below .localhost." placeholder:"NAME"`
}

// Run makes a link that is good once, for the running server of the store or for one that
// ends with this command.
func (c *OpenCmd) Run(a *cli.App) error {
	switch {
	case c.Leave && c.Confirm:
		return cli.Usagef("--leave turns every browser out: there is nothing to confirm then")
	case c.Leave:
		return c.leave(a)
	case c.Confirm:
		return c.confirm(a)
	}
	if u, err := url.Parse(c.Page); err == nil && u.Host != "" {
		return c.elsewhere(a, u)
	}
	h, _, err := a.ExistingStore()
	if err != nil {
		return err
	}
	if at := cli.RunningPages(h); at != "" {
		return a.With(cli.Signing, func(o *cli.Session) error { return c.show(a, o, at) })
	}
	return c.serve(a, h)
}

// leave turns out every browser.
func (c *OpenCmd) leave(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		n, err := visit.New(o.Vault).LeaveAll(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"left": n})
		}
		a.Print("%s turned out", cli.Plural(n, "browser was", "browsers were"))
		return nil
	})
}

// serve runs a server for as long as the command does.
func (c *OpenCmd) serve(a *cli.App, h cli.Home) error {
	shown := make(chan error, 1)
	s := &ServeCmd{opened: func(o *cli.Session, at string) error {
		err := c.show(a, o, at)
		shown <- err
		return err
	}}
	conf, err := h.ReadConfig()
	if err = errors.Join(err, cli.Defaults(s)); err != nil {
		return err
	}
	s.Addr = freeAddress(conf.Port)
	err = s.Run(a)
	select {
	case failed := <-shown:
		err = errors.Join(err, failed)
	default: // it ended before
	}
	if a.Ctx.Err() != nil {
		a.Say("the server of this command has stopped; satchel serve runs one that stays")
	}
	return err
}

// freeAddress returns an address of this machine with a port, or with any port if that one
// is taken.
func freeAddress(port int) string {
	at := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close() // it accepted nobody
	return at
}

// link is what lets a browser in, for machines.
type link struct {
	URL  string    `json:"url"`
	Code string    `json:"code,omitempty"`
	Ends time.Time `json:"ends"`
}

// show makes a link to the pages at an address, prints it and opens it.
func (c *OpenCmd) show(a *cli.App, o *cli.Session, at string) error {
	to, err := c.page(a.Ctx, o)
	if err != nil {
		return err
	}
	if at, err = c.renamed(a, at); err != nil {
		return err
	}
	e, err := visit.New(o.Vault).Invite(a.Ctx, o.Caller(), visit.ForLink)
	if err != nil {
		return err
	}
	l := link{URL: pages.EntranceLink(at, to, e.Secret), Code: e.Code, Ends: e.Ends}
	if c.Print || a.JSON || a.Env("SSH_CONNECTION") != "" {
		defer c.hint(a, at)
	}
	return c.hand(a, o.Dir, l)
}

// hand prints a link and opens it.
func (c *OpenCmd) hand(a *cli.App, dir string, l link) error {
	if a.JSON {
		return a.Emit(l)
	}
	a.Print("%s", l.URL)
	if l.Code == "" {
		a.Say("good once, until %s", l.Ends.Local().Format("15:04"))
	} else {
		a.Say("good once, until %s; a browser without JavaScript asks for the code %s", l.Ends.Local().Format("15:04"), l.Code)
	}
	if c.Print || a.Env("SSH_CONNECTION") != "" {
		return nil
	}
	return openBrowser(a, dir, l.URL)
}

// hint says how a browser on another machine reaches a server that only this one can reach.
func (c *OpenCmd) hint(a *cli.App, at string) {
	where, err := url.Parse(at)
	if err != nil || where.Scheme != "http" {
		return
	}
	port := where.Port()
	a.Say("from another machine, first: ssh -L %s:127.0.0.1:%s THIS-MACHINE", port, port)
}

// pageNames are the names of the pages.
func pageNames() []string {
	return []string{"agents", "assistants", "audit", "context", "export", "health", "help", "imports", "memories", "owners", "projects", "runs", "search", "settings", "sharing", "timeline", "waiting"}
}

// page returns the path of the page to show, below the root of the pages.
func (c *OpenCmd) page(ctx context.Context, o *cli.Session) (string, error) {
	if c.Page == "" || slices.Contains(pageNames(), c.Page) {
		return c.Page, nil
	}
	id, err := o.FindID(ctx, c.Page)
	if memory.KindOf(err) == memory.NotFound || memory.KindOf(err) == memory.InvalidRecord {
		return "", cli.Usagef("%s is no page and no memory; the pages are %s", cli.Clean(c.Page), strings.Join(pageNames(), ", "))
	}
	return "memories/" + strings.TrimPrefix(string(id), memory.IDPrefix), err
}

// renamed replaces the host of an address by the name of the option.
func (c *OpenCmd) renamed(a *cli.App, at string) (string, error) {
	if c.AddrName == "" {
		return at, nil
	}
	where, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	if c.AddrName != "localhost" && net.ParseIP(c.AddrName) == nil || where.Scheme != "http" {
		return "", cli.Usagef("--addr-name takes 127.0.0.1 or localhost, for a server of this machine without TLS")
	}
	a.Warn("other programs of this machine that serve pages at %s get the cookie too, at whatever port", c.AddrName)
	where.Host = net.JoinHostPort(c.AddrName, where.Port())
	return where.String(), nil
}
