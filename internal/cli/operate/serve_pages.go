package operate

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/server"
)

// pages lets a server show the owner's pages. A server that stores nothing cannot let a
// browser in.
func (c *ServeCmd) pages(a *cli.App, h cli.Home) server.Pages {
	if !c.Pages || c.ReadOnly {
		return server.Pages{}
	}
	return server.Pages{Name: server.PageName(storeName(h)), Store: h.Name(), Many: h.InDatabase(), Hosts: func() []server.Host { return hostsFor(a, h) }, Connector: newPagesConnector(a)}
}

// hostsFor lists the hosts as the pages show them, without those whose files cannot be found.
func hostsFor(a *cli.App, home cli.Home) (all []server.Host) {
	for _, h := range Hosts() {
		s, err := stateOfHost(a, h)
		if err != nil {
			continue
		}
		out := server.Host{Name: h.Name, Title: h.Title, Calls: h.ownNames(), Installed: s.Installed, Connected: s.Connected, File: s.File}
		out.After, out.Elsewhere = h.after, storeElsewhere(a, home, s)
		if s.broken != nil {
			out.Broken = s.broken.Error()
		}
		if cli.Exists(s.File + ".bak") {
			out.Backup = s.File + ".bak"
		}
		if h.notes != nil {
			if out.Notes, err = h.notes(a); err != nil {
				out.Notes = ""
			}
		}
		all = append(all, out)
	}
	return all
}

// storeElsewhere names the store that a connected host uses, if that is not this one.
func storeElsewhere(a *cli.App, home cli.Home, s hostState) string {
	if !s.Connected {
		return ""
	}
	at := storeOf(a, s.entry)
	switch {
	case isStore(home, at):
		return ""
	case cli.IsDatabase(at): // its name has no password
		if other, err := a.HomeOf(at); err == nil {
			return other.Name()
		}
		return "a database"
	}
	return at
}

// storeName tells a store apart from the others of this machine.
func storeName(h cli.Home) string {
	sum := sha256.Sum256([]byte(h.Name() + "\x00" + h.Dir))
	return hex.EncodeToString(sum[:4])
}

// pagesAt returns where browsers reach the pages of a server that listens at an address.
func (c *ServeCmd) pagesAt(h cli.Home, at net.Addr) string {
	for _, origin := range c.Origin {
		if strings.HasPrefix(origin, "https://") {
			return origin
		}
	}
	tcp, ok := at.(*net.TCPAddr)
	if ok && tcp.IP.IsLoopback() && c.scheme() == "http" {
		return "http://" + net.JoinHostPort(server.PageName(storeName(h)), strconv.Itoa(tcp.Port))
	}
	return c.scheme() + "://" + c.reachedAt(at)
}

// publish says where the pages of a server are, until withdraw, and tells who waits for
// them. stop ends the server if that fails.
func (c *ServeCmd) publish(o *cli.Session, at net.Addr, p server.Pages, stop func()) (withdraw func()) {
	if p.Name == "" {
		return func() {}
	}
	address := c.pagesAt(o.Home, at)
	withdraw = cli.PublishPages(o.Home, address)
	if c.opened != nil {
		go func() {
			if c.opened(o, address) != nil { // it keeps the error
				stop()
			}
		}()
	}
	return withdraw
}
