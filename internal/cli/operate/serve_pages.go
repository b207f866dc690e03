package operate

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/filelock"
	"github.com/satchel-memory/satchel/internal/server"
)

// pages lets a server show the owner's pages. A server that stores nothing cannot let a
// browser in.
func (c *ServeCmd) pages(a *cli.App, o *cli.Session) server.Pages {
	if !c.Pages || c.ReadOnly {
		return server.Pages{}
	}
	return server.Pages{Name: server.PageName(storeName(o.Home)), Store: o.Home.Name(), Doctor: pagesDoctor{a, o}}
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
	withdraw = publishAddress(o.Home, address)
	if c.opened != nil {
		go func() {
			if c.opened(o, address) != nil { // it keeps the error
				stop()
			}
		}()
	}
	return withdraw
}

// serveAddress is the path of the file in which a running server says where its pages are.
// The server holds a lock on the file, which the system frees however it ends.
func serveAddress(h cli.Home) string { return filepath.Join(h.Dir, "serve.addr") }

// publishAddress writes where the pages are, until withdraw. It does nothing if another
// server of this store has done so, or where nobody can write.
func publishAddress(h cli.Home, address string) (withdraw func()) {
	none := func() {}
	f, err := os.OpenFile(serveAddress(h), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return none
	}
	if free, err := filelock.Try(f); err != nil || !free {
		_ = f.Close() // it was only read
		return none
	}
	withdraw = func() {
		_ = f.Truncate(0) // without the lock nobody believes the content
		_ = f.Close()
	}
	if f.Truncate(0) != nil {
		withdraw()
		return none
	}
	if _, err := f.WriteAt([]byte(address+"\n"), 0); err != nil {
		withdraw()
		return none
	}
	return withdraw
}

// publishing is how long a server takes at most between the lock and the address.
const publishing = time.Second

// runningPages returns where the pages of the running server of a store are, "" if none
// runs.
func runningPages(h cli.Home) string {
	f, err := os.OpenFile(serveAddress(h), os.O_RDWR, 0o600)
	if err != nil {
		return ""
	}
	defer f.Close()
	for began := time.Now(); time.Since(began) < publishing; time.Sleep(publishing / 20) {
		if free, err := filelock.Try(f); err != nil || free {
			return "" // closing the file frees the lock
		}
		text, err := io.ReadAll(io.NewSectionReader(f, 0, cli.MaxSmall))
		if address, whole := strings.CutSuffix(string(text), "\n"); err == nil && whole {
			return address
		}
	}
	return ""
}
