package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/server"
)

type serveCmd struct {
	Addr        string   `help:"Where to listen. Default: 127.0.0.1 and the port in config.json, 7777." placeholder:"HOST:PORT"`
	AllowRemote bool     `help:"Let other machines reach it. Put TLS in front."`
	Host        []string `help:"A name it is reached by, besides those of this machine." placeholder:"NAME"`
	Origin      []string `help:"A web origin whose pages may call it." placeholder:"URL"`
	ReadOnly    bool     `help:"Answer questions and store nothing."`
	ToolNames   string   `default:"plain" enum:"plain,dotted" help:"How MCP tools are listed: plain or dotted." placeholder:"N"`
}

// Run serves until it is interrupted, and then ends what is under way.
func (c *serveCmd) Run(a *app) error {
	log := slog.New(slog.DiscardHandler)
	if !a.quiet {
		log = slog.New(slog.NewTextHandler(a.err, nil))
	}
	o, err := a.openLogging(log, served(c.ReadOnly), "mcp", "http", "file")
	if err != nil {
		return err
	}
	return errors.Join(c.serve(a, o, log), o.Close())
}

func (c *serveCmd) serve(a *app, o *opened, log *slog.Logger) error {
	token, err := o.readToken()
	if err != nil {
		return err
	}
	if c.Addr == "" {
		c.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port))
	}
	l, err := c.listen()
	if err != nil {
		return err
	}
	a.say("serving http://%s/ump and http://%[1]s/mcp; the token is in %s", l.Addr(), o.token())
	ctx, stop := context.WithCancel(a.ctx)
	kept := o.keep(ctx, a, c.ReadOnly)
	err = server.Serve(ctx, l, server.Options{
		Backend: server.Over(o.Vault), Owner: o.Owner, Token: token,
		AllowRemote: c.AllowRemote, Hosts: c.Host, Origins: c.Origin,
		Release: release(), Dotted: c.ToolNames == "dotted", Log: log,
	})
	stop()
	<-kept
	return errors.Join(err, closed(l))
}

// listen takes the address, unless others could reach it and need not.
func (c *serveCmd) listen() (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", c.Addr)
	if err != nil {
		return nil, usagef("%s is no address to listen on (%w); give --addr HOST:PORT", clean(c.Addr), err)
	}
	if !at.IP.IsLoopback() && !c.AllowRemote {
		return nil, usagef("%s can be reached from other machines: listen on 127.0.0.1, or say --allow-remote and put TLS in front; "+
			"--host names it goes by, --origin pages that may call it", clean(c.Addr))
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("%w; is satchel running already? --addr names another port", err)
	}
	return l, nil
}

// closed closes a listener that may be closed already.
func closed(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// readToken reads the owner's token, which nobody else may read.
func (h home) readToken() (string, error) {
	info, err := os.Stat(h.token())
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the token %s is missing; satchel doctor says how to make one", h.token())
	}
	if err != nil {
		return "", err
	}
	if others(info) {
		return "", refusedf("others may read the token %s; chmod 600 it, and replace it if somebody may have", h.token())
	}
	data, err := readBounded(h.token(), maxSmall)
	token := strings.TrimSpace(string(data))
	if err == nil && len(token) < leastToken {
		err = fmt.Errorf("the token %s is too short to be safe; remove it and run satchel doctor --mend", h.token())
	}
	return token, err
}
